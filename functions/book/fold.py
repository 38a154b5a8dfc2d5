"""Folds text to a form that is equal for differently typeset copies.

A browser's selection differs from the source in white space, quotation marks, dashes and
ligatures. Once both are folded, the selection is a substring of the document. The database function
`fold_text` does the same, character for character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

_REMOVED = (
    *range(0x00, 0x21),  # control characters and the space; NUL cannot be stored
    *(0x7F, 0x85, 0xA0, 0xAD, 0x034F, 0x061C, 0x1680, 0x180E),
    *range(0x2000, 0x2010),  # spaces of all widths, zero-width marks, directions
    *(0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x202F, 0x205F),
    *range(0x2060, 0x206A),
    *(0x3000, 0xFE0E, 0xFE0F, 0xFEFF),
)
_REPLACED = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u02bc",
    '"': "\u201c\u201d\u201e\u201f\u2033",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    "...": "\u2026",
    "ff": "\ufb00",
    "fi": "\ufb01",
    "fl": "\ufb02",
    "ffi": "\ufb03",
    "ffl": "\ufb04",
    "st": "\ufb05\ufb06",
}
_FOLD: dict[int, str | None] = {
    **dict.fromkeys(_REMOVED),
    **{ord(mark): plain for plain, marks in _REPLACED.items() for mark in marks},
}
_DASHES = re.compile("[-\u2010-\u2015\u2212]{2,}")
_MAYBE_MARKS = re.compile(r"[^\w\s\x00-\x7f]{2,}")


@dataclass(frozen=True, slots=True)
class FoldedText:
    """The folded texts of a document's blocks, joined. `ranges` are their (start, length)."""

    text: str
    ranges: tuple[tuple[int, int], ...]


def fold_text(text: str) -> str:
    """`text` in NFC with plain typography, without white space and invisible characters.

    Consecutive dashes become one: a site may render `--` as a dash.
    """
    return _DASHES.sub("-", unicodedata.normalize("NFC", text)).translate(_FOLD)


def long_runs_of_marks(text: str, most: int) -> Iterator[tuple[int, int]]:
    """The ranges of more than `most` combining marks in a row."""
    if text.isascii():
        return
    for found in _MAYBE_MARKS.finditer(text):
        at, end = found.span()
        if end - at <= most:
            continue
        for marks, run in groupby(found.group(), _is_mark):
            length = sum(1 for _ in run)
            if marks and length > most:
                yield at, at + length
            at += length


def _is_mark(letter: str) -> bool:
    return unicodedata.combining(unicodedata.normalize("NFD", letter)[0]) > 0


def fold_texts(texts: Iterable[str]) -> FoldedText:
    """Fold the plain texts of a document's blocks, in order."""
    folded: list[str] = []
    ranges: list[tuple[int, int]] = []
    start = 0
    for text in texts:
        piece = fold_text(text)
        folded.append(piece)
        ranges.append((start, len(piece)))
        start += len(piece)
    return FoldedText("".join(folded), tuple(ranges))
