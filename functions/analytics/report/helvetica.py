"""How wide Helvetica's characters are, and text as the fonts every PDF reader has take it. Pure.

The widths are those of Adobe's font metrics, in thousandths of the size. Letters with accents are
as wide as without.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

_FIRST = 32
_REGULAR = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip
_BOLD = (
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
    975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
    333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
    611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
)  # fmt: skip
_MARKS = {
    "–": 556, "—": 1000, "…": 1000, "•": 350, "€": 556, "·": 278, "×": 584, "°": 400, "²": 333,
}  # fmt: skip
_QUOTES = {"“": (333, 500), "”": (333, 500), "„": (333, 500), "‘": (222, 278), "’": (222, 278)}
_WIDE = 600
_REPLACED = str.maketrans({"−": "-", "\u00a0": " ", "\u202f": " ", "→": "->", "≤": "<=", "≥": ">="})


def printable(text: str) -> str:
    """The text in characters the fonts have (Windows-1252): accents they lack are dropped, other
    writings become question marks."""
    kept: list[str] = []
    for char in " ".join(text.translate(_REPLACED).split()):
        if _fits(char):
            kept.append(char)
            continue
        plain = "".join(c for c in unicodedata.normalize("NFKD", char) if _fits(c))
        kept.append(plain or ("" if unicodedata.combining(char) else "?"))
    return "".join(kept)


def width(text: str, size: float, bold: bool = False) -> float:
    """Of printable text, in points."""
    return sum(_width(char, bold) for char in text) * size / 1000


def fold_lines(text: str, size: float, room: float, bold: bool = False) -> Iterator[str]:
    """Lines of at most `room` points; a word longer than that is cut."""
    line = ""
    for word in text.split():
        while width(word, size, bold) > room:
            cut = len(word)
            while cut > 1 and width(word[:cut], size, bold) > room:
                cut -= 1
            if line:
                yield line
                line = ""
            yield word[:cut]
            word = word[cut:]
        longer = f"{line} {word}" if line else word
        if width(longer, size, bold) > room:
            yield line
            line = word
        else:
            line = longer
    if line:
        yield line


def shorten(text: str, size: float, room: float, bold: bool = False) -> str:
    """The text, or its begin with an ellipsis."""
    if width(text, size, bold) <= room:
        return text
    while text and width(text + "…", size, bold) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def _fits(char: str) -> bool:
    try:
        char.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


def _width(char: str, bold: bool) -> int:
    table = _BOLD if bold else _REGULAR
    if char in _QUOTES:
        return _QUOTES[char][bold]
    if char in _MARKS:
        return _MARKS[char]
    base = unicodedata.normalize("NFKD", char)[0]
    at = ord(base) - _FIRST
    return table[at] if 0 <= at < len(table) else _WIDE
