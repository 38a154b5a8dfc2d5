"""Scores that are recorded of an answer beside the verdict of its check, and never decide it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from functions.answer.answers import Answer
from functions.answer.context import Context
from functions.answer.text.vectors import cosine

SHORTEST = 4
_MARKS = ".,!?;:"
# The English stop words of at least four letters that the measure leaves out.
_LEFT_OUT = frozenset(
    """myself ours ourselves you're you've you'll you'd your yours yourself yourselves himself she's
    hers herself it's itself they them their theirs themselves what which whom this that that'll
    these those were been being have having does doing because until while with about against
    between into through during before after above below from down over under again further then
    once here there when where both each more most other some such only same than very will just
    don't should should've aren aren't couldn couldn't didn didn't doesn doesn't hadn hadn't hasn
    hasn't haven haven't isn't mightn mightn't mustn mustn't needn needn't shan shan't shouldn
    shouldn't wasn wasn't weren weren't won't wouldn wouldn't""".split()
)


def checked_fields(answer: Answer, context: Context) -> dict[str, Any]:
    """The verdict on what was written, and its keywords' overlap; None where nothing was."""
    if not answer.checks:
        return {"keyword_overlap_ratio": None, "validation_passed": None}
    said = " ".join(check.claim.text for check in answer.checks)
    return {
        "keyword_overlap_ratio": round(
            keyword_overlap(said, *(sentence.text for sentence in context.sentences)), 4
        ),
        "validation_passed": all(check.passed for check in answer.checks),
    }


def quoted_similarity(
    answer: Answer, context: Context, vectors: Mapping[str, Sequence[float]]
) -> float | None:
    """The cosine between the mean vectors of the quoted sentences and of all the context's.

    `vectors` holds those of the sentences, by their text. None for an answer that holds other words
    than whole sentences of the context, or where a vector is missing: nothing is embedded for it.
    """
    quoted = [context.by_id[id].text for check in answer.shown for id in check.claim.sentence_ids]
    everything = [sentence.text for sentence in context.sentences]
    if (
        not answer.claims
        or not answer.quotes_only
        or any(text not in vectors for text in (*quoted, *everything))
    ):
        return None
    said = _mean([vectors[text] for text in quoted])
    given = _mean([vectors[text] for text in everything])
    return round(cosine(said, given), 4) if any(said) and any(given) else None


def _mean(vectors: Sequence[Sequence[float]]) -> list[float]:
    return [sum(values) / len(vectors) for values in zip(*vectors, strict=True)]


def keyword_overlap(response: str, *contexts: str) -> float:
    """The share of the response's keywords, repeats counted once, that are keywords of a context.

    Between 0 and 1; 1 when the response has none. Keywords are lower-case words of four letters
    and more that are no stop words, split at blanks. All the response's keywords are the divisor,
    repeats too, so that a response that repeats itself scores lower.
    """
    wanted = _keywords(response.lower().split())
    if not wanted:
        return 1.0
    given = frozenset(_keywords(set(" ".join(contexts).lower().split()) - _LEFT_OUT))
    return len(given.intersection(wanted)) / len(wanted)


def _keywords(words: Iterable[str]) -> list[str]:
    return [word.strip(_MARKS) for word in words if len(word) >= SHORTEST and word not in _LEFT_OUT]
