"""Laying the blocks of a chunk one behind the other: its spans, and where each stands in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from functions.book.chunks.cut import Piece, Unit
from functions.book.document import Block, Span

_NEWLINE = re.compile(r"\r\n|\n|\r")


def lay_units(
    units: Sequence[Unit], source: str
) -> tuple[tuple[Span, ...], list[tuple[Unit, int, int]]]:
    """The ranges of the source that the units fill, and where each unit stands in their text."""
    edges: list[int] = []  # start, end, start, end, …: a range grows while the next one touches it
    placed: list[tuple[Unit, int, int]] = []
    length = 0
    last: Block | None = None
    for unit in units:
        if isinstance(unit, Piece):
            block = unit.block
            spans = _slice(block.spans, unit.start, unit.end)
        else:
            block = unit
            spans = block.spans
        begin = length
        if block is last:  # a table, after its repeated header
            begin = placed.pop()[1]
        elif last:
            end, start = edges[-1], spans[0].start
            if start > end and source[end:start].isspace():
                edges[-1] = start
                length += start - end
            elif start != end:
                length += _part(edges, start, source)
            begin = length
        last = block
        for start, end in spans:
            if edges and edges[-1] == start:
                edges[-1] = end
            else:
                edges += (start, end)
            length += end - start
        placed.append((unit, begin, length))
    return tuple(map(Span, edges[::2], edges[1::2])), placed


def is_one_stretch(blocks: Sequence[Block], source: str) -> bool:
    """Whether nothing but white space stands between the blocks, and nothing was taken out."""
    end = blocks[0].spans[0].start
    for block in blocks:
        spans = block.spans
        start, stop = spans[0]
        if start != end and (start < end or not source[end:start].isspace()):
            return False
        if len(spans) > 1:
            return False
        end = stop
    return True


def _append(edges: list[int], start: int, end: int) -> int:
    if edges and edges[-1] == start:
        edges[-1] = end
    else:
        edges += (start, end)
    return end - start


def _part(edges: list[int], following: int, source: str) -> int:
    """Part two blocks by what parts them in the source, without what was taken out there."""
    end = edges[-1]
    added = 0
    for found in islice(_NEWLINE.finditer(source, end, max(end, following)), 2):
        added += _append(edges, *found.span())
    if not added and source[end - 1 : end] not in ("\n", "\r"):
        at = max(source.rfind("\n", 0, end), source.find("\n", end))
        added = _append(edges, at, at + 1) if at >= 0 else 0
    return added


def _slice(spans: Sequence[Span], start: int, end: int) -> tuple[Span, ...]:
    """The ranges of `text[start:end]`, where `text` is what `spans` join to."""
    kept: list[Span] = []
    at = 0
    for span in spans:
        length = span.end - span.start
        low, high = max(start - at, 0), min(end - at, length)
        if low < high:
            kept.append(Span(span.start + low, span.start + high))
        at += length
    return tuple(kept)
