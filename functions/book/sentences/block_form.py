"""What a block's sentences do not keep of its form: items, cells, styles, the language of code.

Pure.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container, Iterator, Sequence
from typing import Literal, NamedTuple

from functions.book.document import BlockKind
from functions.book.markdown.plain_text import (
    ByteOffsets,
    label_key,
    parse_markdown,
    render_plain,
)
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
_STYLE_MARK = re.compile(r"[`*_]")
MOST_COLUMNS = 100
"""Of a table that is laid out as one."""

TextStyle = Literal["code", "strong", "emphasis"]


class BlockItem(NamedTuple):
    """An item's range in its block's text. `level` is from 0; `number` is None with a bullet."""

    start: int
    end: int
    level: int
    number: int | None


class Table(NamedTuple):
    """A table's header (empty if it has none), the cells of rows by the sentences they make, each
    with as many as there are columns, and how many rows it has."""

    header: tuple[str, ...]
    cells: dict[str, tuple[str, ...]]
    rows: int


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


def read_table(text: str, wanted: Container[str]) -> Table:
    """A table with the rows whose sentences are wanted, and its first `MOST_COLUMNS`."""
    body = header_end(text)
    header = cells_of(text[:body].splitlines()[0], frozenset()) if body else []
    rows = [
        (sentence, references)
        for references, sentences in readings_of("table", text)
        for sentence in sentences
        if sentence.start >= body
    ]
    found = {
        sentence.text: cells_of(text[sentence.start : sentence.end], references)
        for sentence, references in rows
        if sentence.text in wanted
    }
    width = min(max(map(len, (header, *found.values()))), MOST_COLUMNS)
    filled = {
        sentence: (*cells[:width], *[""] * (width - len(cells)))
        for sentence, cells in found.items()
    }
    named = (*header[:width], *[""] * (width - len(header))) if header else ()
    return Table(named, filled, len({sentence.start for sentence, _ in rows}))


def styles_of(markdown: str, texts: Sequence[str]) -> list[list[tuple[int, int, TextStyle]]]:
    """The styled characters (`text[start:end]`) of each of some plain texts of a block.

    The texts are in the block's order; white space and `|` between its words may differ.
    """
    if not _STYLE_MARK.search(markdown):
        return [[] for _ in texts]
    raw, _ = dedented(markdown)
    styled_source = list(_styled_source(raw))
    if not styled_source:
        return [[] for _ in texts]
    plain = render_plain(raw, frozenset(map(label_key, _LABEL.findall(raw))))
    offsets = plain.offsets
    words = _letters(plain.text)
    sources = [offsets[at] for at in _letters_at(plain.text)]
    spans = [
        (bisect_left(sources, start), bisect_left(sources, end), style)
        for start, end, style in styled_source
    ]
    found = []
    cursor = 0
    for text in texts:
        letters = _letters(text)
        first = words.find(letters, cursor)
        last = first + len(letters)
        inside = [(max(a, first), min(b, last), style) for a, b, style in spans]
        held = [each for each in inside if first >= 0 and each[0] < each[1]]
        places = _letters_at(text) if held else []
        found.append(
            [(places[a - first], places[b - 1 - first] + 1, style) for a, b, style in held]
        )
        cursor = max(cursor, last if first >= 0 else 0)
    return found


def _letters(text: str) -> str:
    """What `_letters_at` finds, as a text."""
    return "".join(text.split()).replace("|", "")


def _letters_at(text: str) -> list[int]:
    """Where a text has something other than white space and `|`."""
    return [at for at, letter in enumerate(text) if not (letter == "|" or letter.isspace())]


def _styled_source(raw: str) -> Iterator[tuple[int, int, TextStyle]]:
    """The styled ranges of some Markdown, in its characters."""
    at = ByteOffsets(raw).character
    styles: dict[str, TextStyle] = {"Strong": "strong", "Emphasis": "emphasis"}
    for event, where in parse_markdown(raw):
        if not isinstance(event, dict):
            continue
        started = event.get("Start")
        style = styles.get(started) if isinstance(started, str) else None
        if style or "Code" in event:
            yield at(where["start"]), at(where["end"] - 1) + 1, style or "code"


def readings_of(kind: BlockKind, text: str) -> Iterator[tuple[frozenset[str], list[BlockSentence]]]:
    """The sentences of a block, first without reference links and then with every one that it may
    hold: their labels are defined elsewhere in the document."""
    for references in dict.fromkeys(
        (frozenset[str](), frozenset(map(label_key, _LABEL.findall(text))))
    ):
        yield references, sentences_of(kind, text, references)
