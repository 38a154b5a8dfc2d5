"""The sentences of one block as plain text, with their ranges in the block's text."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from functions.book.document import BlockKind, Lines
from functions.book.markdown.plain_text import plain_text, render_plain
from functions.book.sentences.split import sentence_spans

_FENCE = re.compile(r"([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,}|\$\$)[^\r\n]*\Z")
_BREAK = re.compile("\n")
_CELL_END = re.compile(r"(?<!\\)\|")
_DELIMITER = re.compile(r"[\s>|:+-]*")
_LONGEST_NAME = 200
"""Characters of a column's name, which each of its rows has."""
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)?")
_INLINE_MARK = re.compile(r"[\\`*_\[\]<>&$~!|\r\t]|^ *(?:[#+=-]|\d+[.)])| {4}")
_QUOTE_PREFIX = re.compile(r"[ \t>]*")


class BlockSentence(
    NamedTuple
):  # a tuple: a book has tens of thousands, and it is twice as fast to create
    """A sentence and its range in the block's text.

    `quote` is the text as rendered on the page, where `text` differs from it.
    """

    text: str
    start: int
    end: int
    quote: str = ""


def sentences_of(
    kind: BlockKind, text: str, references: frozenset[str] = frozenset(), exact: bool = True
) -> list[BlockSentence]:
    """Sentences of prose, lines of code, rows of a table, or a whole formula; in order.

    Without `exact`, a sentence's range only has the right first and last line: that is faster, and
    enough for a block that is not cut.
    """
    if kind == "code" or kind == "mermaid":
        return _code_lines(text)
    if kind == "table":
        return _rows(text, references)
    if kind == "math":
        body = " ".join(_QUOTE_PREFIX.sub("", line, count=1) for line in text.splitlines())
        return [BlockSentence(body.strip(), 0, len(text))] if body.strip("$ ") else []
    if kind == "heading":
        plain = plain_text(text, references)
        return [BlockSentence(" ".join(plain.split()), 0, len(text))] if plain else []
    if not exact and (kind == "paragraph" or "\n" not in text):
        if kind == "paragraph" and not _INLINE_MARK.search(text):
            return _by_line("\n".join([line.strip(" ") for line in text.split("\n")]), text)
        plain = plain_text(text, references, "\n")
        if plain.count("\n") == text.count("\n"):
            return _by_line(plain, text)
    return _prose(text, references)


def _by_line(plain: str, text: str) -> list[BlockSentence]:
    """Sentences of a plain text with the same lines as its Markdown."""
    if "\n" not in text:
        length = len(text)
        return [BlockSentence(_one_line(plain[a:b]), 0, length) for a, b in sentence_spans(plain)]
    starts = [start for start, _ in _lines(text)]
    breaks = [found.start() for found in _BREAK.finditer(plain)]
    plain = plain.replace("\n", " ")
    return [
        BlockSentence(
            _one_line(plain[a:b]),
            starts[bisect_left(breaks, a)],
            starts[bisect_left(breaks, b)] + 1,
        )
        for a, b in sentence_spans(plain)
    ]


def header_end(text: str) -> int:
    """The offset of a table's body, after its header and delimiter rows; 0 without a header."""
    header = _LINE.match(text)
    below = _LINE.match(text, header.end()) if header else None
    if below and "-" in below[0] and _DELIMITER.fullmatch(below[0]):
        return below.end()
    return 0


def _lines(text: str) -> list[tuple[int, int]]:
    starts = Lines(text).starts
    if starts[-1] < len(text):
        starts.append(len(text))
    return list(pairwise(starts))


def _prose(text: str, references: frozenset[str]) -> list[BlockSentence]:
    raw, removed = dedented(text)
    plain = render_plain(raw, references)
    found = sentence_spans(plain.text)
    if len(found) == 1 and not removed:
        start, end = found[0]
        return [BlockSentence(_one_line(plain.text[start:end]), 0, len(text))]
    sentences = []
    for start, end in found:
        first = offset_in_text(plain.source_offset(start), removed)
        last = offset_in_text(plain.source_offset(end - 1), removed) + 1
        sentences.append(BlockSentence(_one_line(plain.text[start:end]), first, max(last, first)))
    return sentences


def _one_line(text: str) -> str:
    return text if "\n" not in text and "  " not in text else " ".join(text.split())


def dedented(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Text inside a list without its indentation, and (offset, characters removed before it)."""
    if not text.startswith((" ", "\t")):
        return text, []
    width = len(text) - len(text.lstrip(" \t"))
    kept: list[str] = []
    removed: list[tuple[int, int]] = []
    length = total = 0
    for start, end in _lines(text):
        line = text[start:end]
        cut = min(width, len(line) - len(line.lstrip(" \t")))
        total += cut
        removed.append((length, total))
        kept.append(line[cut:])
        length += len(line) - cut
    return "".join(kept), removed


def offset_in_text(offset: int, removed: list[tuple[int, int]]) -> int:
    """The offset in a text of a character of the text without its indentation."""
    if not removed:
        return offset
    low, high = 0, len(removed)
    while high - low > 1:
        middle = (low + high) // 2
        if removed[middle][0] <= offset:
            low = middle
        else:
            high = middle
    return offset + removed[low][1]


def _code_lines(text: str) -> list[BlockSentence]:
    lines = _lines(text)
    prefix = ""
    if lines and (opening := _FENCE.match(text[slice(*lines[0])].rstrip())):
        prefix = " " * len(opening.group(1))
        if ">" in opening.group(1):
            prefix = ">"
        mark = opening.group(2)[0] * 3
        lines = lines[1:]
        if lines and text[slice(*lines[-1])].strip(" \t>\r\n").startswith(mark):
            lines = lines[:-1]
    sentences = []
    for start, end in lines:
        line = text[start:end].rstrip()
        if prefix == ">":
            line = re.sub(r"^[ \t]*> ?", "", line)
        elif prefix:
            line = line[min(len(prefix), len(line) - len(line.lstrip(" \t"))) :]
        if line.strip():
            sentences.append(BlockSentence(line, start, end))
    return sentences


def _rows(text: str, references: frozenset[str]) -> list[BlockSentence]:
    lines = _lines(text)
    body = header_end(text)
    header = cells_of(text[slice(*lines[0])], references) if body else []
    names = [cell if len(cell) <= _LONGEST_NAME else "" for cell in header]
    rows = []
    for start, end in lines:
        if start < body:
            continue
        cells = cells_of(text[start:end], references)
        named = [
            f"{names[at]}: {cell}" if at < len(names) and names[at] else cell
            for at, cell in enumerate(cells)
            if cell
        ]
        if named:
            quote = " ".join(cell for cell in cells if cell)
            rows.append(BlockSentence("; ".join(named), start, end, quote))
    if not rows and any(header):
        filled = [cell for cell in header if cell]
        rows.append(BlockSentence("; ".join(filled), 0, len(text), " ".join(filled)))
    return rows


def cells_of(row: str, references: frozenset[str]) -> list[str]:
    """The cells of a row of a table as plain text."""
    bare = _QUOTE_PREFIX.sub("", row.strip(), count=1)
    if bare.startswith("|"):
        bare = bare[1:]
    cells = _CELL_END.split(bare)
    if not cells[-1].strip():
        cells.pop()
    return [_cell(cell.strip().replace("\\|", "|"), references) for cell in cells]


@lru_cache(maxsize=4_096)
def _cell(cell: str, references: frozenset[str]) -> str:
    return _one_line(plain_text(cell, references)).strip()
