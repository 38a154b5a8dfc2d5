"""What a block's sentences do not keep of its form: items, cells, the language of code. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from functions.book.document import BlockKind
from functions.book.markdown.plain_text import ByteOffsets, label_key, parse_markdown
from functions.book.sentences.block_sentences import (
    BlockSentence,
    cells_of,
    dedented,
    header_end,
    offset_in_text,
    sentences_of,
)

_INFO = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:`{3,}|~{3,})[ \t]*([\w+#.-]+)")
_LABEL = re.compile(r"\[([^\[\]\r\n]{1,200})\]")


class BlockItem(NamedTuple):
    """An item's range in its block's text. `level` is from 0; `number` is None with a bullet."""

    start: int
    end: int
    level: int
    number: int | None


class TableRow(NamedTuple):
    """A row's sentence and its cells as plain text, as many as the table has columns."""

    sentence: BlockSentence
    cells: tuple[str, ...]


def language_of(text: str) -> str:
    """The language that a block of code names in its fence; empty if none."""
    found = _INFO.match(text)
    return found.group(1).lower() if found else ""


def list_items(text: str) -> list[BlockItem]:
    """The items of a list, nested ones after the one that holds them."""
    raw, removed = dedented(text)
    at = ByteOffsets(raw).character
    numbers: list[int | None] = []
    items: list[BlockItem] = []
    for event, where in parse_markdown(raw):
        value = event.get("Start") if isinstance(event, dict) else None
        if isinstance(value, dict) and "List" in value:
            numbers.append(value["List"])
        elif value == "Item" and numbers:
            start = offset_in_text(at(where["start"]), removed)
            end = offset_in_text(max(at(where["end"]) - 1, 0), removed) + 1
            items.append(BlockItem(start, end, len(numbers) - 1, numbers[-1]))
            if numbers[-1] is not None:
                numbers[-1] += 1
        elif isinstance(event, dict) and "List" in (event.get("End") or ()):
            numbers.pop()
    return items


def table_rows(text: str) -> tuple[tuple[str, ...], list[TableRow]]:
    """The cells of a table's header (none without one), and its rows."""
    body = header_end(text)
    header = cells_of(text[:body].splitlines()[0], frozenset()) if body else []
    rows = [
        (sentence, cells_of(text[sentence.start : sentence.end], references))
        for references, sentences in readings_of("table", text)
        for sentence in sentences
        if sentence.start >= body
    ]
    width = max([len(header), *(len(cells) for _, cells in rows)], default=0)
    header += [""] * (width - len(header)) if header else []
    filled = [TableRow(row, (*cells, *[""] * (width - len(cells)))) for row, cells in rows]
    return tuple(header), filled


def readings_of(kind: BlockKind, text: str) -> Iterator[tuple[frozenset[str], list[BlockSentence]]]:
    """The sentences of a block, first without reference links and then with every one that it may
    hold: their labels are defined elsewhere in the document."""
    for references in dict.fromkeys(
        (frozenset[str](), frozenset(map(label_key, _LABEL.findall(text))))
    ):
        yield references, sentences_of(kind, text, references)
