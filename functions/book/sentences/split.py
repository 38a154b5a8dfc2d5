"""Splits English prose into sentences."""

from __future__ import annotations

import re
from bisect import bisect_left

_CLOSING = r"(?:[\"'”’»)\]*_]|\[\d{1,3}\])*+"
_STOPS = ".!?…"
# Each alternative starts with its own literal, which keeps the search fast. Inside a run of stops
# none is tried again, and none gives back what it took: that would take quadratic time.
_BOUNDARY = re.compile(
    "|".join(
        [
            *(rf"{re.escape(stop)}(?<![{_STOPS}].)[{_STOPS}]*+{_CLOSING}\s+" for stop in _STOPS),
            *(rf"{stop}[。！？]*[”’」』）]*\s*" for stop in "。！？"),
            r"\n(?:[ \t]*\n\s*|(?=[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]))",
        ]
    )
)
_OPENING = "\"'“‘«([{*_¿¡"
_BEFORE_WORD = "\"'“‘«([{*_¿¡—–/\u00a0"
_NEXT_WORD = re.compile(r"[^\W\d_]+")
_CAPITAL = re.compile(r"[A-Z]")
_AROUND = 500
"""Characters on both sides of a stop that show whether a text has capitals."""

_NEVER_LAST = frozenset(
    "mr mrs ms dr prof st mt gen sen rep gov lt col capt sgt cpl rev hon pres supt messrs mme "
    "e.g i.e eg ie cf vs viz approx ca resp fig figs eq eqs eqn sec ch chap vol vols ed eds "
    "trans ref refs tab ex nos pp pt art incl esp dept univ assn bros "
    "b.a m.a b.s m.s".split()
)
"""Abbreviations that never end a sentence."""

_BEFORE_NUMBER = frozenset(
    "no p al c nr art jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
"""Abbreviations before a number (or, for `al`, a bracket)."""

_OFTEN_INSIDE = frozenset("etc inc ltd corp co jr sr esq al a.m p.m am pm ph.d m.d d.c".split())
"""Abbreviations that end a sentence only before one of `_OPENERS`."""

_OPENERS = frozenset(
    "the a an this that these those it its he she they we you i in on at by for from as if when "
    "while after before since although though because however but and or so then there here his "
    "her their our your my what why how who where which to with without during under over "
    "another other some many most all both each one two several such not no nor yet also thus "
    "therefore moreover furthermore finally later today now until once unlike despite "
    "according".split()
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """The sentences of a text as ranges `text[start:end]`, in order, without surrounding space.

    A blank line and the start of a list item always end a sentence; other line breaks are spaces.
    Every character that is not white space is in exactly one sentence.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    capitals = _Capitals(text)
    for found in _BOUNDARY.finditer(text):
        boundary = found.group()
        end = found.end()
        if boundary[0] in _STOPS:
            bare = boundary.rstrip()
            is_point = bare[0] == "." and (len(bare) == 1 or bare[1] not in _STOPS)
            if boundary.count("\n", len(bare)) < 2 and not _ends_here(
                text, start, found.start(), is_point, end, capitals
            ):
                continue
            _append(spans, text, start, found.start() + len(bare))
        else:
            _append(spans, text, start, end)
        start = end
    _append(spans, text, start, len(text))
    return spans


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    bare = piece.strip()
    if bare:
        start += piece.index(bare[0])
        spans.append((start, start + len(bare)))


class _Capitals:
    """Where a text has capitals; looked for once, on first use."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: list[int] | None = None

    def any_in(self, start: int, end: int) -> bool:
        """Whether `text[start:end]` has a capital."""
        if self._found is None:
            self._found = _capitals_of(self._text)
        first = bisect_left(self._found, start)
        return first < len(self._found) and self._found[first] < end


def _capitals_of(text: str) -> list[int]:
    if text.isascii():
        return [found.start() for found in _CAPITAL.finditer(text)]
    return [at for at, letter in enumerate(text) if letter.isupper() or letter.istitle()]


def _ends_here(
    text: str, start: int, at: int, is_point: bool, after: int, capitals: _Capitals
) -> bool:
    length = len(text)
    while after < length and text[after] in _OPENING:
        after += 1
    if after >= length:
        return True
    follower = text[after]
    # In a text without capitals, a small letter means nothing.
    is_small = follower.islower()
    all_lower = is_small and not capitals.any_in(at - _AROUND, after + _AROUND)
    if is_small and not all_lower:
        return False
    if not is_point:
        return True
    low = max(start, at - 24)
    word = text[max(text.rfind(" ", low, at) + 1, low) : at].split("\n")[-1].lstrip(_BEFORE_WORD)
    if not word:
        return True
    lowered = word.lower()
    if lowered in _NEVER_LAST:
        return False
    if lowered in _BEFORE_NUMBER and (follower.isdigit() or text[after - 1] == "("):
        return False
    if len(word) == 1 and word.isalpha() and (word.isupper() or all_lower):
        return word == "I"
    if lowered in _OFTEN_INSIDE or "." in word:
        following = _NEXT_WORD.match(text, after)
        if not any(character.isalpha() for character in word):
            return True
        return following is not None and following.group().lower() in _OPENERS and not all_lower
    # "1." in front of a list item
    return not (word.isdigit() and len(word) <= 3 and at - len(word) == start)
