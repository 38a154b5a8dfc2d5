"""Sentences of the book in the book's own form: prose, lists, tables and code. Pure."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from functions.answer.context import Context, Sentence
from functions.book.sentences.block_form import (
    BlockItem,
    Table,
    TextStyle,
    language_of,
    list_items,
    read_table,
    readings_of,
    styles_of,
)

_LINE_END = re.compile(r"\r\n|\n|\r")
_FENCE = re.compile(r" {0,3}(?:`{3,}|~{3,})")


Range = tuple[int, int]
"""Characters of a claim's text: `text[start:end]`."""


@dataclass(frozen=True, slots=True)
class ListItem:
    """An item by its words in the claim's text, without its bullet or number.

    `level` counts from 0 and is more in a nested list. `number` is the book's; None with a bullet.
    """

    start: int
    end: int
    level: int = 0
    number: int | None = None


@dataclass(frozen=True, slots=True)
class ClaimPart:
    """A block of the book in a claim's text: `text[start:end]`.

    `language`: of code, as the book names it. `items`: of a list. `header` and `rows`: of a table,
    the range of each cell; each row has as many as the header, which is empty if there is none.
    `of`: how many items, rows or lines of code the block has, where only some are shown; else 0.
    """

    form: Literal["prose", "list", "table", "code"]
    start: int
    end: int
    language: str = ""
    items: tuple[ListItem, ...] = ()
    header: tuple[Range, ...] = ()
    rows: tuple[tuple[Range, ...], ...] = ()
    of: int = 0


@dataclass(frozen=True, slots=True)
class StyledRange:
    """Characters that the book sets in a style: `text[start:end]`."""

    start: int
    end: int
    style: TextStyle


@dataclass(slots=True)
class Layout:
    """A text as it is laid out: its blocks, its styles, and the place of each sentence in it by id.

    Blocks are on lines of their own, and so are list items, rows and lines of code.
    """

    text: str = ""
    parts: list[ClaimPart] = field(default_factory=list)
    styles: list[StyledRange] = field(default_factory=list)
    places: dict[str, Range] = field(default_factory=dict)

    def put(self, text: str, before: str = "") -> Range:
        """Add a text after a separator; the range it has."""
        self.text += before + text
        return len(self.text) - len(text), len(self.text)

    def put_sentences(self, sentences: Iterable[Sentence]) -> Range:
        """Add sentences of one paragraph or item."""
        start = len(self.text)
        for sentence in sentences:
            before = " " if len(self.text) > start else ""
            self.places[sentence.id] = self.put(sentence.text, before)
        return start, len(self.text)

    def put_styles(self, ranges: Sequence[Range], source: str) -> None:
        """Add the styles of what was put from a block's source."""
        found = styles_of(source, [self.text[start:end] for start, end in ranges])
        self.styles += [
            StyledRange(at + start, at + end, style)
            for (at, _), styles in zip(ranges, found, strict=True)
            for start, end, style in styles
        ]


def lay_out(sentences: Sequence[Sentence], context: Context) -> Layout:
    """Lay out sentences that follow each other. One item of a list is prose when it is alone."""
    layout = Layout()
    blocks = [list(run) for _, run in groupby(sentences, lambda s: (s.source, s.block))]
    for block in blocks:
        layout.put("", "\n" if layout.text else "")
        if block[0].kind in ("code", "mermaid"):
            _put_code(layout, block, context)
            continue
        if block[0].kind == "table":
            _put_table(layout, block, context)
        elif block[0].kind == "list":
            _put_list(layout, block, context, is_alone=len(blocks) == 1)
        else:
            _put_prose(layout, block)
        last = layout.parts[-1]
        cells = [(row[0][0], row[-1][1]) for row in (last.header, *last.rows) if row]
        ranges = cells or [layout.places[sentence.id] for sentence in block]
        layout.put_styles(ranges, source_of(block[0], context))
    return layout


def emphasis_of(layout: Layout, answering: Container[str]) -> tuple[Range, ...]:
    """The ranges of the sentences, items and rows that answer the question; none where all do.

    Neighbouring sentences are one range. Lines of code are never emphasised.
    """
    code = [part for part in layout.parts if part.form == "code"]
    places = {
        id: (start, end)
        for id, (start, end) in layout.places.items()
        if not any(part.start <= start < part.end for part in code)
    }
    ranges: list[Range] = []
    for start, end in [place for id, place in places.items() if id in answering]:
        follows = bool(ranges) and layout.text[ranges[-1][1] : start] == " "
        ranges.append((ranges.pop()[0] if follows else start, end))
    return tuple(ranges) if any(id not in answering for id in places) else ()


def _put_prose(layout: Layout, block: Sequence[Sentence]) -> None:
    layout.parts.append(ClaimPart("prose", *layout.put_sentences(block)))


def _put_code(layout: Layout, block: Sequence[Sentence], context: Context) -> None:
    """Add lines of code, with the blank ones between them."""
    start, last = len(layout.text), block[0]
    for line in block:
        ends = max(line.first_line - last.last_line, 1) if line is not last else 0
        layout.places[line.id] = layout.put(line.text, "\n" * ends)
        last = line
    language = last.kind if last.kind == "mermaid" else language_of(source_of(block[0], context))
    first = block[0]
    lines = [s for s in context.sentences if (s.source, s.block) == (first.source, first.block)]
    of = len(lines) if len(lines) > len(block) else 0
    layout.parts.append(ClaimPart("code", start, len(layout.text), language, of=of))


def _put_list(
    layout: Layout, block: Sequence[Sentence], context: Context, *, is_alone: bool
) -> None:
    """Add the items of a list; prose where these are not known, or one is all there is."""
    groups = items_of(block, context)
    if not groups or (is_alone and len(groups) == 1):
        return _put_prose(layout, block)
    start = len(layout.text)
    outermost = min(item.level for item, _ in groups)
    found: list[ListItem] = []
    for item, sentences in groups:
        level = item.level - outermost
        mark = "- " if item.number is None else f"{item.number}. "
        layout.put(mark, ("\n" if found else "") + "  " * level)
        found.append(ListItem(*layout.put_sentences(sentences), level, item.number))
    whole = len(list_items(source_of(block[0], context)))
    of = whole if whole > len(found) else 0
    layout.parts.append(ClaimPart("list", start, len(layout.text), items=tuple(found), of=of))


def items_of(block: Sequence[Sentence], context: Context) -> list[tuple[BlockItem, list[Sentence]]]:
    """The items of a list that its sentences belong to, with these; empty if one is unknown."""
    text = source_of(block[0], context)
    items = list_items(text)
    owners = _owners(block, items, text, context)
    return [
        (items[at], [sentence for _, sentence in rows])
        for at, rows in groupby(zip(owners, block, strict=False), lambda row: row[0])
    ]


def _owners(
    block: Sequence[Sentence], items: Sequence[BlockItem], text: str, context: Context
) -> list[int]:
    """For each sentence the position of its item; empty if one has none."""
    found = [each for _, sentences in readings_of("list", text) for each in sentences]
    owners: list[int] = []
    for sentence in block:
        starts = sorted({each.start for each in found if each.text == sentence.text})
        alike = [
            each.id
            for each in context.sentences
            if (each.source, each.block, each.text)
            == (sentence.source, sentence.block, sentence.text)
        ]
        start = next(iter(starts[alike.index(sentence.id) :]), -1)
        holding = [at for at, item in enumerate(items) if item.start <= start < item.end]
        if not holding:
            return []
        # What follows a nested item in the one around it stays with the nested one.
        owners.append(max([*holding, *owners[-1:]]))
    return owners


def _put_table(layout: Layout, block: Sequence[Sentence], context: Context) -> None:
    """Add the header of a table and its rows; prose where the cells are not known."""
    table = _table(block, context)
    of = table.rows if table.rows > len(block) else 0
    if any(row.text not in table.cells for row in block):
        return _put_prose(layout, block)
    start = len(layout.text)
    ranges: list[tuple[Range, ...]] = []
    for cells in [table.header] * bool(table.header) + [table.cells[row.text] for row in block]:
        layout.put("", "\n" if ranges else "")
        ranges.append(tuple(layout.put(cell, " | " if n else "") for n, cell in enumerate(cells)))
    names, rows = (ranges[0], ranges[1:]) if table.header else ((), ranges)
    for row, places in zip(block, rows, strict=True):
        layout.places[row.id] = (places[0][0], places[-1][1])
    part = ClaimPart("table", start, len(layout.text), header=names, rows=tuple(rows), of=of)
    layout.parts.append(part)


def _table(block: Sequence[Sentence], context: Context) -> Table:
    """The table that rows are of, with the cells of these."""
    text = source_of(block[0], context)
    wanted = {row.text for row in block}
    table = read_table(text, wanted)
    if table.header or "\t" not in text:
        return table
    # A browser's selection, with tabs between the cells; its first row may name the columns.
    lines = [tuple(" ".join(cell.split()) for cell in row.split("\t")) for row in _lines(text)]
    named = {_row_text(cells, lines[0]): cells for cells in lines[1:]}
    if wanted <= named.keys():
        return Table(lines[0], named, len(named))
    return Table((), {_row_text(cells, ()): cells for cells in lines}, len(lines))


def _row_text(cells: Sequence[str], header: Sequence[str]) -> str:
    """A row as its sentence has it."""
    return "; ".join(
        f"{header[at]}: {cell}" if at < len(header) and header[at] else cell
        for at, cell in enumerate(cells)
        if cell
    )


def source_of(sentence: Sentence, context: Context) -> str:
    """The source text of a sentence's block; in a selection, its lines up to blank ones."""
    source = context.sources[sentence.source]
    if source.chunk is None:
        return _stretch(source.selected, sentence.first_line - 1)
    place = (sentence.block, sentence.first_line, sentence.text)
    return next(
        (
            source.chunk.text[part.start : part.end]
            for part in source.chunk.parts
            if any((part.block, each.first_line, each.text) == place for each in part.sentences)
        ),
        "",
    )


def _stretch(text: str, at: int) -> str:
    """The lines around one, from 0, without blank lines between; none before a fence."""
    lines = _lines(text)
    if at >= len(lines):
        return ""
    first = last = at
    while first > 0 and lines[first - 1].strip() and not _FENCE.match(lines[first]):
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip():
        last += 1
    return "\n".join(lines[first : last + 1])


def _lines(text: str) -> list[str]:
    return _LINE_END.split(text)
