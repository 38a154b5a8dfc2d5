"""Which sentences of a context carry a text: for responses whose writer named none. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

from functions.answer.check.verbatim import flat
from functions.answer.context import Context, Sentence
from functions.answer.text.synonyms import counterparts
from functions.answer.text.words import term_set, terms_of, weight

LONGEST_RUN = 3
MOST_SENTENCES = 5
GAIN = 0.08
"""Share of a text's content that a sentence from elsewhere must add to be taken with the run."""
SPAN_COVERED = 0.5
"""A span of the sentences has all its content there; less than this, and it need not be sought."""
PER_SENTENCE = 0.04
"""What a longer run must add per sentence to be preferred."""


def support_for(text: str, context: Context) -> tuple[str, ...]:
    """The ids of the sentences that carry a text best, in the context's order; at most five.

    They are the best run of up to three sentences of one source, and sentences of the same source
    that say what the run leaves open: a text often joins what stands apart.
    """
    if not context.sentences:
        return ()
    terms = tuple(dict.fromkeys(terms_of(text)))
    weights = [weight(term) for term in terms]
    total = sum(weights) or 1.0
    found = _found(terms, context.sentences)
    first, size = _best_run(text, context.sentences, found, [value / total for value in weights])
    chosen = list(range(first, first + size))
    have = [max(found[at][t] for at in chosen) for t in range(len(terms))]
    source = context.sentences[first].source
    while len(chosen) < MOST_SENTENCES:
        gains = {
            at: sum(value * max(0.0, row[t] - have[t]) for t, value in enumerate(weights))
            for at, row in enumerate(found)
            if context.sentences[at].source == source and at not in chosen
        }
        best = max(gains, key=lambda at: gains[at], default=None)
        if best is None or gains[best] < GAIN * total:
            break
        chosen.append(best)
        have = [max(old, new) for old, new in zip(have, found[best], strict=True)]
    return tuple(context.sentences[at].id for at in sorted(chosen))


def _found(terms: Sequence[str], sentences: Sequence[Sentence]) -> list[list[float]]:
    """How far each term stands in each sentence (0 to 1). Each is looked up in all of them once."""
    sets = [term_set(sentence.text) for sentence in sentences]
    everything = frozenset[str]().union(*sets)
    rows = [[0.0] * len(terms) for _ in sentences]
    for t, term in enumerate(terms):
        alike = counterparts(term, everything)
        for row, given in zip(rows, sets, strict=True) if alike else ():
            row[t] = max((alike[other] for other in alike.keys() & given), default=0.0)
    return rows


def _best_run(
    text: str,
    sentences: Sequence[Sentence],
    found: Sequence[Sequence[float]],
    shares: Sequence[float],
) -> tuple[int, int]:
    """Where the best run starts, and its length. A run that holds the text as it is wins."""
    wanted = flat(text)
    best, chosen = -1.0, (0, 1)
    reached = list(found)
    for size in range(1, min(LONGEST_RUN, len(sentences)) + 1):
        if size > 1:
            reached = [
                list(map(max, row, found[at + size - 1])) for at, row in enumerate(reached[:-1])
            ]
        for at, row in enumerate(reached):
            if sentences[at].source != sentences[at + size - 1].source:
                continue
            covered = sum(map(mul, shares, row))
            score = covered - PER_SENTENCE * size
            if wanted and covered > SPAN_COVERED and score + 1.0 > best:
                joined = " ".join(flat(sentence.text) for sentence in sentences[at : at + size])
                score += 1.0 if f" {wanted} " in f" {joined} " else 0.0
            if score > best:
                best, chosen = score, (at, size)
    return chosen
