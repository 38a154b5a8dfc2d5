"""Layout of A4 pages in Helvetica, from top to bottom: headings, text, tables and charts.

Lengths are in points. Character widths are those of Adobe's font metrics, in thousandths of the
font size; letters with accents are as wide as without.
"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterator, Sequence

import pydyf

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
    """The text in characters of the fonts (Windows-1252): missing accents are dropped, other
    characters become question marks."""
    kept: list[str] = []
    for char in " ".join(text.translate(_REPLACED).split()):
        if _fits(char):
            kept.append(char)
            continue
        plain = "".join(c for c in unicodedata.normalize("NFKD", char) if _fits(c))
        kept.append(plain or ("" if unicodedata.combining(char) else "?"))
    return "".join(kept)


def width(text: str, size: float, bold: bool = False) -> float:
    """The width of printable text."""
    return sum(_width(char, bold) for char in text) * size / 1000


def fold_lines(text: str, size: float, room: float, bold: bool = False) -> Iterator[str]:
    """Lines of at most `room`; a longer word is cut."""
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
    """The text, cut with an ellipsis where it is too wide."""
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


WIDTH, HEIGHT, EDGE = 595.0, 842.0, 48.0
ROOM = WIDTH - 2 * EDGE
BODY, SMALL, NOTE = 10.0, 8.5, 7.5
INDENT = 12.0
"""Of text behind a bullet."""
Colour = tuple[float, float, float]
INK: Colour = (0.10, 0.13, 0.19)
SOFT: Colour = (0.33, 0.37, 0.44)
LINE: Colour = (0.80, 0.83, 0.87)
PANEL: Colour = (0.95, 0.96, 0.98)
BAR: Colour = (0.12, 0.44, 0.70)


class Paper:
    """Takes blocks from top to bottom; one that does not fit starts a new page."""

    def __init__(self, title: str, foot: str) -> None:
        self._title, self._foot = printable(title), printable(foot)
        self._pages: list[pydyf.Stream] = []
        self._y = 0.0
        self._turn()

    def heading(self, text: str, size: float = 13.0, room: float = 60.0) -> None:
        """`room`: the height to keep free below it on the same page."""
        self._need(size * 2.1 + room)
        self._y -= size * 0.8
        self._draw(printable(text), EDGE, self._y - size, size, INK, bold=True)
        self._y -= size * 1.3 + 4

    def text(
        self, text: str, size: float = BODY, colour: Colour = INK, bullet: bool = False
    ) -> None:
        indent = INDENT if bullet else 0.0
        for at, line in enumerate(fold_lines(printable(text), size, ROOM - indent)):
            self._need(size * 1.4)
            if bullet and at == 0:
                self._draw("•", EDGE + 2, self._y - size, size, colour)
            self._draw(line, EDGE + indent, self._y - size, size, colour)
            self._y -= size * 1.4
        self._y -= 3 if size > NOTE else 1

    def tiles(self, tiles: Sequence[tuple[str, str, str]], across: int = 3) -> None:
        """Boxes with a name, a value and a note."""
        wide, tall, gap = (ROOM - 8 * (across - 1)) / across, 52.0, 8.0
        for start in range(0, len(tiles), across):
            self._need(tall + gap)
            for at, (name, value, more) in enumerate(tiles[start : start + across]):
                x, y = EDGE + at * (wide + 8), self._y - tall
                self._box(x, y, wide, tall, PANEL)
                inner = wide - 16
                self._draw(shorten(printable(name), SMALL, inner), x + 8, y + 38, SMALL, SOFT)
                size = 14.0
                while size > 9 and width(printable(value), size, True) > inner:
                    size -= 0.5
                self._draw(shorten(printable(value), size, inner, True), x + 8, y + 21, size,
                           INK, bold=True)  # fmt: skip
                self._draw(shorten(printable(more), 7.0, inner), x + 8, y + 8, 7.0, SOFT)
            self._y -= tall + gap

    def table(
        self, head: Sequence[str], rows: Sequence[Sequence[str]], shares: Sequence[float]
    ) -> None:
        """`shares`: the width of each column; all but the first are right-aligned."""
        for number, row in enumerate([head, *rows]):
            self._need(17)
            x = EDGE
            for at, (cell, part) in enumerate(zip(row, shares, strict=True)):
                room = ROOM * part - 6
                said = shorten(printable(cell), BODY if number else SMALL, room, number == 0)
                size = BODY if number else SMALL
                left = x if at == 0 else x + ROOM * part - width(said, size, number == 0)
                self._draw(said, left, self._y - 11, size, SOFT if number == 0 else INK,
                           bold=number == 0)  # fmt: skip
                x += ROOM * part
            self._y -= 16
            self._rule()
        self._y -= 5

    def bars(self, rows: Sequence[tuple[str, float, str]]) -> None:
        """A horizontal bar chart of (name, value, label)."""
        most = max((value for _, value, _ in rows), default=0) or 1
        named, said_room = ROOM * 0.40, 76.0
        for name, value, said in rows:
            self._need(17)
            self._draw(shorten(printable(name), BODY, named - 8), EDGE, self._y - 11, BODY, INK)
            length = max(1.0, (ROOM - named - said_room) * value / most)
            self._box(EDGE + named, self._y - 13, length, 10, BAR)
            self._draw(printable(said), EDGE + named + length + 6, self._y - 11, SMALL, SOFT)
            self._y -= 17
        self._y -= 4

    def columns(self, rows: Sequence[tuple[str, float, str]], tall: float = 60.0) -> None:
        """A column chart of (name, value, label)."""
        self._need(tall + 34)
        most = max((value for _, value, _ in rows), default=0) or 1
        each = min(56.0, ROOM / max(1, len(rows)))
        floor = self._y - tall - 14
        for at, (name, value, said) in enumerate(rows):
            x = EDGE + at * each
            high = tall * value / most
            if value:
                self._box(x + each * 0.2, floor, each * 0.6, high, BAR)
            self._middle(printable(said), x + each / 2, floor + high + 3, each)
            self._middle(printable(name), x + each / 2, floor - 11, each)
        self._y = floor - 20

    def finish(self) -> bytes:
        """The document."""
        pdf = pydyf.PDF()
        pdf.info["Title"] = pydyf.String(self._title)
        pdf.info["Producer"] = pydyf.String("Quoth")
        pdf.catalog["Lang"] = pydyf.String("en")
        fonts = pydyf.Dictionary()
        for key, name in (("F1", "Helvetica"), ("F2", "Helvetica-Bold")):
            font = pydyf.Dictionary({
                "Type": "/Font", "Subtype": "/Type1", "BaseFont": f"/{name}",
                "Encoding": "/WinAnsiEncoding",
            })  # fmt: skip
            pdf.add_object(font)
            fonts[key] = font.reference
        for number, page in enumerate(self._pages, 1):
            self._page = page
            said = f"Page {number} of {len(self._pages)}"
            self._draw(self._foot, EDGE, 28, SMALL, SOFT)
            self._draw(said, WIDTH - EDGE - width(said, SMALL), 28, SMALL, SOFT)
            pdf.add_object(page)
            pdf.add_page(pydyf.Dictionary({
                "Type": "/Page", "Parent": pdf.pages.reference, "Contents": page.reference,
                "MediaBox": pydyf.Array([0, 0, WIDTH, HEIGHT]),
                "Resources": pydyf.Dictionary({"Font": fonts}),
            }))  # fmt: skip
        out = io.BytesIO()
        pdf.write(out)
        return out.getvalue()

    def _turn(self) -> None:
        self._page = pydyf.Stream(compress=True)
        self._pages.append(self._page)
        self._y = HEIGHT - EDGE

    def _need(self, tall: float) -> None:
        if self._y - tall < EDGE:
            self._turn()

    def _rule(self) -> None:
        self._box(EDGE, self._y, ROOM, 0.6, LINE)

    def _middle(self, text: str, x: float, y: float, room: float) -> None:
        said = shorten(text, 7.5, room)
        self._draw(said, x - width(said, 7.5) / 2, y, 7.5, SOFT)

    def _box(self, x: float, y: float, wide: float, tall: float, colour: Colour) -> None:
        self._page.set_color_rgb(*colour)
        self._page.rectangle(round(x, 2), round(y, 2), round(wide, 2), round(tall, 2))
        self._page.fill()

    def _draw(
        self, text: str, x: float, y: float, size: float, colour: Colour, bold: bool = False
    ) -> None:
        self._page.begin_text()
        self._page.set_color_rgb(*colour)
        self._page.set_font_size("F2" if bold else "F1", size)
        self._page.set_text_matrix(1, 0, 0, 1, round(x, 2), round(y, 2))
        # Hexadecimal, because pydyf writes strings as UTF-8, which these fonts cannot show.
        self._page.stream.append(b"<" + text.encode("cp1252").hex().encode() + b"> Tj")
        self._page.end_text()
