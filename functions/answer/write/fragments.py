"""Pieces of sentences that say nothing by themselves: "OBEYED", "the hip strategy", "1907"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from functions.answer.check.verbatim import flat, runs_of
from functions.answer.context import Sentence
from functions.answer.text.words import STOP_WORDS, words_of

LEAST_WORDS = 4
"""Words of the shortest clause that can stand for itself where it is no sentence of the book."""
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
