"""Aligns a claim with one sentence, word by word: a monotonic alignment of the words that both
have, and between two aligned words what each side has there (an edit). Pure.

After the alignment of natural logic (MacCartney and Manning, "Modeling semantic containment and
exclusion in natural language inference", 2008).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from functions.answer.text.synonyms import counterparts
from functions.answer.text.words import STOP_WORDS, WORD, fold, stem, weight

_TOKEN = re.compile(
    rf"(?<![\w)\]])[-−]\d+(?:[.,]\d+)*|{WORD.pattern}|[,;:()\[\]—–?!]|\.(?=\s+\S)|[^\w\s\"'’‘“”`.*]+|(?<=\s)-(?=\s)"
)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOT = re.compile(r"(.+)n['’]t$")
ARTICLES = frozenset("a an the".split())
MOST_CANDIDATES = 400
"""Pairs of words to choose from; the longest claims of real answers have about a hundred."""
NEXT = 0.3
"""What it adds to a pair that it follows the pair before as closely on both sides."""


class Token(NamedTuple):
    """A word, or a sign between words. `key` is the stem of a content word, else empty."""

    word: str
    key: str
    surface: str

    @property
    def is_sign(self) -> bool:
        return not self.word[-1].isalnum()

    @property
    def is_number(self) -> bool:
        return self.key.lstrip("-")[:1].isdigit()


Tokens = tuple[Token, ...]


@lru_cache(maxsize=4_096)
def tokens_of(text: str) -> Tokens:
    """The words and signs of a text; "n't" and "cannot" are two words."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        surface = match.group()
        if not surface[-1].isalnum():
            if surface != "-":
                found.append(Token("—" if surface == "–" else surface, "", surface))
            continue
        for piece in _HUMP.split(surface):
            found.extend(Token(word, _key(word), surface) for word in _pieces(piece))
    return tuple(found)


def _pieces(surface: str) -> Sequence[str]:
    if negated := _NOT.match(surface.lower()):
        stems = {"ca": "can", "wo": "will", "sha": "shall"}
        return (stems.get(negated.group(1), negated.group(1)), "not")
    if surface.lower() == "cannot":
        return ("can", "not")
    word = fold(surface)
    return (word,) if word else ()


def _key(word: str) -> str:
    if word[0] in "-−":
        return f"-{word[1:].replace(',', '')}"
    return "" if word in STOP_WORDS else stem(word)


def words_in(tokens: Tokens) -> tuple[str, ...]:
    """The words without signs."""
    return tuple(token.word for token in tokens if not token.is_sign)


@dataclass(frozen=True, slots=True)
class Edit:
    """What stands between two aligned words: `told` in the claim, `given` in the sentence, which is
    `given_at` words from its beginning. `first` and `last`: before the first, after the last."""

    told: Tokens
    given: Tokens
    told_at: int
    given_at: int
    first: bool
    last: bool


@dataclass(frozen=True)
class Alignment:
    """A claim aligned with one sentence. `pairs` are the indices of aligned content words, rising
    on both sides."""

    told: Tokens
    given: Tokens
    pairs: tuple[tuple[int, int], ...]

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """What stands between the pairs, before the first and after the last."""
        ends = [(-1, -1), *self.pairs, (len(self.told), len(self.given))]
        return tuple(
            Edit(
                self.told[i + 1 : k],
                self.given[j + 1 : m],
                i + 1,
                j + 1,
                at == 0,
                at == len(ends) - 2,
            )
            for at, ((i, j), (k, m)) in enumerate(pairwise(ends))
        )

    @cached_property
    def share(self) -> float:
        """The share of the claim's content, by weight, that is aligned (0 to 1)."""
        total = sum(weight(token.key) for token in self.told if token.key)
        aligned = sum(weight(self.told[i].key) for i, _ in self.pairs)
        return aligned / total if total else 0.0

    @cached_property
    def density(self) -> float:
        """The share of the sentence's content words, from the first aligned to the last, that are
        aligned (0 to 1)."""
        if not self.pairs:
            return 0.0
        between = self.given[self.pairs[0][1] : self.pairs[-1][1] + 1]
        return len(self.pairs) / sum(1 for token in between if token.key)


@lru_cache(maxsize=1_024)
def align(told: Tokens, given: Tokens) -> Alignment:
    """The heaviest alignment whose order is the same on both sides; an empty one of texts that are
    too long, or repeat themselves too much, to be a claim and a sentence."""
    places: dict[str, list[int]] = {}
    for at, token in enumerate(given):
        if token.key:
            places.setdefault(token.key, []).append(at)
    keys = frozenset(places)
    candidates: list[tuple[int, int, float]] = []
    for i, token in enumerate(told):
        if token.key:
            alike = counterparts(token.key, keys)
            candidates.extend(
                (i, j, (0.2 + weight(token.key)) * worth)
                for key, worth in alike.items()
                for j in places[key]
            )
    if len(candidates) > MOST_CANDIDATES:
        return Alignment(told, given, ())
    return Alignment(told, given, _heaviest_chain(candidates))


def _heaviest_chain(candidates: list[tuple[int, int, float]]) -> tuple[tuple[int, int], ...]:
    candidates.sort(key=lambda each: (each[0], -each[1]))
    best: list[tuple[float, int]] = []
    for at, (i, j, worth) in enumerate(candidates):
        score, before = worth, -1
        for other in range(at):
            k, m, _ = candidates[other]
            if k < i and m < j:
                near = NEXT if i - k == j - m else NEXT / 3 if abs(i - k - j + m) < 3 else 0.0
                total = best[other][0] + worth + near
                if total > score:
                    score, before = total, other
        best.append((score, before))
    at = max(range(len(best)), key=lambda each: best[each][0], default=-1)
    chain = []
    while at >= 0:
        chain.append(candidates[at][:2])
        at = best[at][1]
    return tuple(reversed(chain))
