"""Finds the blocks of a highlighted text, for pages that do not number their blocks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from functions.adapters.postgres.query_records import FoldedDocument
from functions.book.fold import fold_text

_ENDS = 32
"""Folded characters of a text's beginning and end that are looked for when the whole is not there:
a page shows formulas, tabs and titles of notes in other words than its source."""
_MOST_OCCURRENCES = 50
"""Occurrences of a text in a page that are told apart by what is before them."""


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
        spans = _between_ends(document.text, wanted)
    if not spans:
        return None
    start, end = max(spans, key=lambda span: _shared_end(document.text, span[0], before))
    inside = [
        block
        for block, first, length in document.blocks
        if length and first < end and first + length > start
    ]
    return (min(inside), max(inside)) if inside else None


def _between_ends(text: str, wanted: str) -> list[tuple[int, int]]:
    """From the text's beginning to its end, as long as the text within a half, the nearest to its
    length: other pairs of ends are coincidence."""
    length = len(wanted)
    if length < 2 * _ENDS:
        return []
    tails = [at + _ENDS for at in _occurrences(text, wanted[-_ENDS:])]
    near: list[tuple[int, int]] = []
    for start in _occurrences(text, wanted[:_ENDS]):
        at = bisect_left(tails, start + length)
        near += [(start, end) for end in tails[max(at - 1, 0) : at + 1] if start < end - _ENDS]
    near = [(start, end) for start, end in near if length / 2 <= end - start <= length * 3 / 2]
    best = min((abs(end - start - length) for start, end in near), default=0)
    return [span for span in near if abs(span[1] - span[0] - length) == best]


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    """The first occurrences of a text, overlapping ones too."""
    at = -1
    for _ in range(_MOST_OCCURRENCES):
        at = text.find(wanted, at + 1)
        if at < 0:
            return
        yield at


def _shared_end(text: str, end: int, before: str) -> int:
    """How many characters `text[:end]` and `before` have in common at their ends."""
    count = 0
    while count < min(end, len(before)) and text[end - 1 - count] == before[-1 - count]:
        count += 1
    return count
