"""A text in plain characters, with the way back: what looks the same is written the same. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_SAME = ("<wide>", "<narrow>", "<small>", "<font>", "<noBreak>", "<compat>", "<circle>")
"""Kinds of compatibility forms that are the letter itself; raised digits and fractions are not."""
_PLAIN = {"\u2212": "-", "\u3002": ".", "\u034f": ""}
_INVISIBLE = "Cf"
"""Zero-width characters, soft hyphens, marks of direction."""


@dataclass(frozen=True, slots=True)
class PlainText:
    """`starts` has the position in the original of each character of `text`, and at the end the
    original's length; None where both are the same."""

    text: str
    starts: Sequence[int] | None = None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original for one of the plain text that is not empty."""
        if self.starts is None:
            return start, end
        return self.starts[start], self.starts[end - 1] + 1


def plain_text(text: str) -> PlainText:
    """The text in compatibility forms (NFKC, a character at a time), with plain spaces, hyphens and
    digits, and without what cannot be seen."""
    if text.isascii():
        return PlainText(text)
    pieces = [_plain(character) for character in text]
    starts = [at for at, piece in enumerate(pieces) for _ in piece]
    return PlainText("".join(pieces), [*starts, len(text)])


@lru_cache(maxsize=4_096)
def _plain(character: str) -> str:
    if character.isascii():
        return character
    if (known := _PLAIN.get(character)) is not None:
        return known
    category = unicodedata.category(character)
    if category == _INVISIBLE:
        return ""
    if category in ("Zs", "Pd"):
        return " " if category == "Zs" else "-"
    if category == "Nd":
        return str(unicodedata.digit(character))
    if unicodedata.decomposition(character).startswith(_SAME):
        return unicodedata.normalize("NFKC", character)
    return character
