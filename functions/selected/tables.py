"""Tables in a selection: rows of Markdown, or a browser's, whose cells have tabs between. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from functions.book.chunks.chunk import ChunkSentence

_DELIMITER = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?")
_CELL_END = re.compile(r"(?<!\\)\|")
_DIGIT = re.compile(r"\d")


def is_table(lines: Sequence[str]) -> bool:
    """Whether the lines are a Markdown table or rows of cells with tabs between."""
    return _is_markdown(lines) or (len(lines) > 1 and all("\t" in line.strip() for line in lines))


def read_rows(lines: Sequence[str], first: int) -> list[ChunkSentence]:
    """Each row as a sentence whose cells have their headers, where the first row names the columns.

    `first` is the first line's number. A row's quote is the row as it is in the selection.
    """
    written = _is_markdown(lines)
    cells = [_cells(line, written) for line in lines]
    header = cells[0] if written or _names_columns(cells) else []
    rows = 2 if written else 1 if header else 0
    return [
        ChunkSentence(text, first + at, first + at, " ".join(lines[at].split()))
        for at, row in enumerate(cells)
        if at >= rows and (text := _named(row, header))
    ]


def _is_markdown(lines: Sequence[str]) -> bool:
    return (
        len(lines) > 2
        and all("|" in line for line in lines)
        and _DELIMITER.fullmatch(lines[1].rstrip()) is not None
    )


def _cells(line: str, written: bool) -> list[str]:
    if not written:
        return [" ".join(cell.split()) for cell in line.split("\t")]
    cells = [" ".join(cell.split()) for cell in _CELL_END.split(line.strip())]
    return cells[not cells[0] : len(cells) - (not cells[-1])]


def _names_columns(cells: Sequence[Sequence[str]]) -> bool:
    """Whether the first row surely names the columns: a selection may begin anywhere in a table.

    It is sure when that row has no digits and a column has them in every other row.
    """
    header, *rows = cells
    return (
        len(rows) > 1
        and all(len(row) == len(header) for row in rows)
        and not any(map(_DIGIT.search, header))
        and any(all(_DIGIT.search(row[at]) for row in rows) for at in range(len(header)))
    )


def _named(row: Sequence[str], header: Sequence[str]) -> str:
    return "; ".join(
        f"{header[at]}: {cell}" if at < len(header) and header[at] else cell
        for at, cell in enumerate(row)
        if cell
    )
