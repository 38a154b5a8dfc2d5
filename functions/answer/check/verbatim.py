"""Claims that copy their evidence: verbatim spans, fragments of sentences, and altered copies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from functions.answer.context import Sentence
from functions.answer.text.words import STOP_WORDS, matches, stem, words_of

COPIED = 0.92
"""Share of a text's words that must follow the evidence for it to count as a copy."""
_TURN = re.compile(
    r"\b(?:not|no|never|n['’]t|if|unless|neither|nor|without|may|might|could|false|myth|wrong|"
    r"denied|denies|doubt|whether|allegedly|claimed|claims|hypothes\w+)\b",
    re.IGNORECASE,
)
_NEGATING = frozenset(
    """not no never none neither nor without cannot can't don't doesn't didn't isn't aren't wasn't
    weren't won't wouldn't""".split()
)

LEAST_WORDS = 4
"""Words of the shortest clause that makes a statement where it is no sentence of the book."""
LONG_WORDS = 10
"""Words from which on a clause is taken for one that has a verb."""
_VERB = re.compile(
    r"\b(?:am|is|are|was|were|be|been|being|has|have|had|do|does|did|can|could|may|might|must|"
    r"shall|should|will|would|cannot|became|began|brought|built|called|came|fell|felt|found|gave|"
    r"get|gets|give|go|got|grew|held|keep|kept|knew|lay|led|left|lies|lost|made|make|meant|met|"
    r"named|need|put|ran|said|saw|sent|set|showed|spoke|stood|take|taught|tell|thought|told|took|"
    r"use|went|won|wrote)\b|n['’]t\b|['’](?:re|ve|ll)\b",
    re.IGNORECASE,
)
_INFLECTED = re.compile(r"[a-z]{2,}(?:ed|[^s\W]s|ing)")
"""What a verb may look like. Plurals do too: in doubt a clause is taken to have one."""
_LATIN = re.compile(r"[A-Za-z]")


def is_verbatim(text: str, cited: Sequence[Sentence]) -> bool:
    """Whether a text is a span of the cited sentences that says what they say.

    A whole sentence always is. A part of one is, unless the words before it could reverse its
    meaning ("It is not true that …", "If …").
    """
    wanted = flat(text)
    if not wanted:
        return False
    for run in runs_of(cited):
        whole = " ".join(flat(sentence.text) for sentence in run)
        at = f" {whole} ".find(f" {wanted} ")
        if at < 0:
            continue
        if any(flat(sentence.text) == wanted for sentence in run):
            return True
        start = 0
        for sentence in run:
            length = len(flat(sentence.text))
            if start <= at <= start + length:
                before = whole[start:at]
                after = whole[at + len(wanted) : start + length]
                # A short label is no statement of its own; its words are checked by the rules.
                cut = bool(before.strip() or after.strip())
                return not (
                    cut and (_TURN.search(before) or re.match(r"\s*(?:if|unless)\b", after))
                )
            start += length + 1
    return False


def is_altered(text: str, evidence: str, known: frozenset[str]) -> bool:
    """Whether a text copies its evidence except for a replaced word or a negation.

    Only texts that follow the evidence word for word are judged: there, a content word whose stem
    is not `known` is no paraphrase but a change.
    """
    told, given = words_of(text), words_of(evidence)
    if len(told) < 8 or sum(map(set(given).__contains__, told)) < COPIED * len(told) - 1:
        return False
    from difflib import SequenceMatcher  # few claims come this far

    matcher = SequenceMatcher(None, told, given, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    if same < min(COPIED * len(told), len(told) - 1):
        return False
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        new, old = told[a:b], given[c:d]
        inside = c > 0 and d < len(given)
        if _NEGATING & set(new) or (_NEGATING & set(old) and inside and kind == "delete"):
            return True
        unknown = [w for w in new if w not in STOP_WORDS and not matches(stem(w), known)]
        if kind == "replace" and unknown and any(w not in STOP_WORDS for w in old):
            return True
    return False


def is_fragment(text: str, cited: Sequence[Sentence]) -> bool:
    """Whether a text is neither sentences of the book as they are nor a clause with a verb.

    Texts without Latin letters are left alone: the rules know English words only.
    """
    if not _LATIN.search(text) or _is_whole(text, cited):
        return False
    words = words_of(text)
    if len(words) < LEAST_WORDS:
        return True
    return len(words) < LONG_WORDS and not _has_verb(text, words)


def _is_whole(text: str, cited: Sequence[Sentence]) -> bool:
    """Whether a text is one cited sentence, or several that follow each other."""
    wanted = flat(text)
    for run in runs_of(cited):
        texts = [flat(sentence.text) for sentence in run]
        for first in range(len(texts)):
            for last in range(first, len(texts)):
                if " ".join(texts[first : last + 1]) == wanted:
                    return True
    return False


def _has_verb(text: str, words: Sequence[str]) -> bool:
    return _VERB.search(text) is not None or any(
        word not in STOP_WORDS and _INFLECTED.fullmatch(word) for word in words[1:]
    )


@lru_cache(maxsize=8_192)
def flat(text: str) -> str:
    """A text's folded words and nothing else."""
    return " ".join(words_of(text))


def runs_of(cited: Sequence[Sentence]) -> list[list[Sentence]]:
    """The cited sentences in runs that follow each other in one source."""
    ordered = sorted(cited, key=lambda s: (s.source, _number(s)))
    runs: list[list[Sentence]] = []
    for sentence in ordered:
        last = runs[-1][-1] if runs else None
        if last and last.source == sentence.source and _number(sentence) == _number(last) + 1:
            runs[-1].append(sentence)
        else:
            runs.append([sentence])
    return runs


def _number(sentence: Sentence) -> int:
    return int(sentence.id.split(".")[1])
