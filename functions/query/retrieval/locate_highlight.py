"""Finds the blocks of a highlighted text, for pages that do not number their blocks."""

from __future__ import annotations

from collections.abc import Iterator

from functions.adapters.postgres.query_records import FoldedDocument
from functions.book.fold import fold_text

_ENDS = 32
"""Folded characters of a text's beginning and end that are looked for when the whole is not there:
a page shows formulas, tabs and titles of notes in other words than its source."""


def find_blocks(document: FoldedDocument, text: str, prefix: str = "") -> tuple[int, int] | None:
    """The first and the last block that the text reaches into; None when it is not there.

    Of several occurrences, the one with the most of `prefix` before it.
    """
    wanted = fold_text(text)
    if not wanted:
        return None
    before = fold_text(prefix)
    # Where one block ends and the next begins with a dash, folded together they would be one.
    by_line = "".join(fold_text(line) for line in text.splitlines())
    spans: list[tuple[int, int]] = []
    for each in dict.fromkeys((by_line, wanted)):
        spans = spans or [(at, at + len(each)) for at in _occurrences(document.text, each)]
    if not spans:
        spans = _nearest_length(_between_ends(document.text, wanted), len(wanted))
    if not spans:
        return None
    start, end = max(spans, key=lambda span: _shared_end(document.text[: span[0]], before))
    inside = [
        block
        for block, first, length in document.blocks
        if length and first < end and first + length > start
    ]
    return (min(inside), max(inside)) if inside else None


def _between_ends(text: str, wanted: str) -> list[tuple[int, int]]:
    if len(wanted) < 2 * _ENDS:
        return []
    head, tail = wanted[:_ENDS], wanted[-_ENDS:]
    return [
        (start, end + _ENDS)
        for start in _occurrences(text, head)
        for end in _occurrences(text, tail)
        if start < end
    ]


def _nearest_length(spans: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Those as long as the highlight, within a half: other pairs of ends are coincidence."""
    near = [span for span in spans if length / 2 <= span[1] - span[0] <= length * 3 / 2]
    best = min((abs(end - start - length) for start, end in near), default=0)
    return [span for span in near if abs(span[1] - span[0] - length) == best]


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def _shared_end(text: str, before: str) -> int:
    count = 0
    while count < min(len(text), len(before)) and text[-1 - count] == before[-1 - count]:
        count += 1
    return count
