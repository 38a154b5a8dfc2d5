"""Is a text whole sentences of the book, or at least a clause?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from functions.answer.context import Sentence
from functions.answer.text.words import STOP_WORDS, words_of

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
_SIGN = re.compile(
    r"[^\w\s,;:()\[\]—–\-\"'’‘“”«»`.?!…*_]+|[?!]+(?=[\w(])|[?!]=|\.\.=?|\*(?=[a-z])"
    r"|(?<!\w)[-−.](?=\d)|(?<=\w)[-]=|\?$"
)
_LATIN = re.compile(r"[A-Za-z]")


def is_fragment(text: str) -> bool:
    """Whether a text is no clause with a verb. Texts without Latin letters are left alone: the
    rules know English words only."""
    if not _LATIN.search(text):
        return False
    words = words_of(text)
    if len(words) < LEAST_WORDS:
        return True
    return len(words) < LONG_WORDS and not _has_verb(text, words)


def quoted_run(text: str, cited: Sequence[Sentence]) -> Sequence[Sentence]:
    """The cited sentences, one or several that follow each other, that a text is; else none."""
    wanted = flat(text)
    for run in runs_of(cited):
        texts = [flat(sentence.text) for sentence in run]
        for first in range(len(texts)):
            # The longest first: a line of code may be a bracket, which is no word.
            for end in range(len(texts), first, -1):
                given = " ".join(sentence.text for sentence in run[first:end])
                same = " ".join(filter(None, texts[first:end])) == wanted
                if wanted and same and signs_of(text) == signs_of(given):
                    return run[first:end]
    return ()


@lru_cache(maxsize=8_192)
def signs_of(text: str) -> tuple[str, ...]:
    """The signs of a text that are no punctuation ("<", "%", "++", "..="), in order."""
    return tuple(_SIGN.findall(text))


def has_signs_of(text: str, given: str) -> bool:
    """Whether the signs of a text stand in the same order in another."""
    signs = iter(signs_of(given))
    return all(sign in signs for sign in signs_of(text))


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
