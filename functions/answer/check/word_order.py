"""Claims that say the reverse of the evidence in its own words, by their order ("It slips before it
tips", "never push and only pull") or by a direction ("shifts it forward")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from functions.answer.text.synonyms import OPPOSITES, WAYS
from functions.answer.text.words import STOP_WORDS, stem, words_of

_HINGES = frozenset(
    "before after than never only not without instead unlike until because by".split()
)
_REACH = 2
_STEPS = 5

Side = frozenset[str]


def reverses_order(text: str, evidence: Sequence[str]) -> bool:
    """Whether a claim puts on one side of a hinge ("before", "never", "than") what the evidence has
    on the other, or a direction where the evidence has the opposite one."""
    given = [hinge for sentence in evidence for hinge in _hinges(sentence)]
    for word, left, right in _hinges(text):
        same = [(a, b) for hinge, a, b in given if hinge == word]
        if any(
            (left & b or right & a) and not (left & a and right & b) for a, b in same
        ) and not any(left <= a and right <= b for a, b in same):
            return not _is_inverse(text, evidence)
    given_ways = {way for sentence in evidence for way in _directed(sentence)}
    return any(
        way not in given_ways and any((other, *way[1:]) in given_ways for other in WAYS[way[0]])
        for way in _directed(text)
    )


def _is_inverse(text: str, evidence: Sequence[str]) -> bool:
    """Whether the comparison itself was reversed too ("smaller than" for "larger than")."""
    told = {stem(word) for word in words_of(text)} | set(words_of(text))
    given = {word for sentence in evidence for w in words_of(sentence) for word in (w, stem(w))}
    return any(OPPOSITES.get(word, frozenset()) & given for word in told - given)


@lru_cache(maxsize=4_096)
def _hinges(text: str) -> tuple[tuple[str, Side, Side], ...]:
    """Each hinge with the content words near it on either side, within its clause."""
    if _HINGES.isdisjoint(words_of(text)):
        return ()
    found = []
    for clause in re.split(r"[,;:.!?]\s|[()]", text):
        words = words_of(clause)
        for at, word in enumerate(words):
            if word in _HINGES:
                sides = (_near(reversed(words[:at])), _near(iter(words[at + 1 :])))
                if sides[0] and sides[1]:
                    found.append((word, *sides))
    return tuple(found)


def _near(words: Iterator[str]) -> Side:
    near: list[str] = []
    for step, word in enumerate(words):
        if len(near) == _REACH or step == _STEPS:
            break
        if word not in STOP_WORDS and word != "long":
            near.append(stem(word))
    return frozenset(near)


@lru_cache(maxsize=4_096)
def _directed(text: str) -> tuple[tuple[str, str, str], ...]:
    if WAYS.keys().isdisjoint(words_of(text)):
        return ()
    words = ["", *words_of(text), ""]
    return tuple(
        (word, stem(words[at]) if words[at] else "", words[at + 2])
        for at, word in enumerate(words[1:-1])
        if word in WAYS
    )
