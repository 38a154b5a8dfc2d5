"""Splits a document into chunks, section by section."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice

from functions.book.chunks.chunk import Chunk
from functions.book.chunks.cut import Piece, Unit, are_whole, block_of, count_block_words
from functions.book.chunks.pack import pack_blocks
from functions.book.chunks.read_chunk import Content, SentenceReader
from functions.book.document import Block, Document, Heading, Span

MAX_WORDS = 300
OVERLAP_WORDS = 0
PASSAGE_WORDS = 90
BLOCK_WORDS = 500
"""Code, tables, formulas and diagrams up to this length are never cut, whatever `max_words` is."""
_NEWLINE = re.compile(r"\r\n|\n|\r")


def split_into_chunks(
    document: Document,
    max_words: int = MAX_WORDS,
    overlap_words: int = OVERLAP_WORDS,
    passage_words: int = PASSAGE_WORDS,
    block_words: int = BLOCK_WORDS,
) -> tuple[Chunk, ...]:
    """The chunks of a document in order. None crosses a section.

    `max_words` bounds a chunk; `overlap_words` of prose are repeated where a section continues in
    the next chunk; `passage_words` bounds the texts that are embedded. Code, tables, formulas and
    diagrams are kept whole up to `block_words` (or `max_words`, if that is more) and cut at lines
    or rows above it. A heading without text opens the first chunk of its first subsection.
    """
    if max_words < 1 or passage_words < 1 or not 0 <= overlap_words < max_words:
        raise ValueError(
            "max_words and passage_words are at least 1, overlap_words below max_words"
        )
    return tuple(_Chunker(document, passage_words).chunks(max_words, overlap_words, block_words))


class _Chunker:
    def __init__(self, document: Document, passage_words: int) -> None:
        self._document = document
        self._source = document.source
        self._passage_words = passage_words
        self._reader = SentenceReader(document)

    def chunks(self, max_words: int, overlap_words: int, block_words: int) -> Iterator[Chunk]:
        ordinal = 0
        for section in sections_of(self._document.blocks):
            headings = section[-1].headings
            contiguous = is_contiguous(section, self._source)
            counts = count_block_words(section, self._source)
            for units in pack_blocks(
                section, counts, max_words, overlap_words, block_words, self._reader
            ):
                if contiguous and are_whole(units):
                    yield self._whole(ordinal, units, headings)
                else:
                    yield self._from_units(ordinal, units, headings)
                ordinal += 1

    def _whole(self, ordinal: int, blocks: Sequence[Block], headings: tuple[Heading, ...]) -> Chunk:
        """The chunk of whole, contiguous blocks."""
        first, last = blocks[0], blocks[-1]
        span = Span(first.spans[0].start, last.spans[0].end)
        text = self._source[span.start : span.end]
        return self._chunk(ordinal, text, (span,), headings, (first, last), blocks)

    def _from_units(
        self, ordinal: int, units: Sequence[Unit], headings: tuple[Heading, ...]
    ) -> Chunk:
        spans, placed = place_units(units, self._source)
        text = "".join([self._source[start:end] for start, end in spans])
        ends = block_of(units[0]), block_of(units[-1])
        return self._chunk(ordinal, text, spans, headings, ends, (), placed)

    def _chunk(
        self,
        ordinal: int,
        text: str,
        spans: tuple[Span, ...],
        headings: tuple[Heading, ...],
        ends: tuple[Block, Block],
        blocks: Sequence[Block],
        placed: Sequence[tuple[Unit, int, int]] = (),
    ) -> Chunk:
        document, (first, last) = self._document, ends
        title = headings[-1].title if headings else document.title
        content = Content(self._reader, title, self._passage_words, blocks, placed)
        policy = document.front.policy
        return Chunk(ordinal, text, spans, headings, first.index, last.index, policy, content)


def sections_of(blocks: Sequence[Block]) -> Iterator[Sequence[Block]]:
    """The blocks of each section, its heading first.

    A heading without text belongs to its first subsection, if there is one.
    """
    first = titles = 0  # the section's start, and the number of headings it begins with
    for at in [at for at, block in enumerate(blocks) if opens_section(block)]:
        is_bare = at - first == titles  # nothing but headings so far
        if at > first and not (is_bare and len(blocks[at].headings) > len(blocks[at - 1].headings)):
            yield blocks[first:at]
            first, titles = at, 0
        titles += at - first == titles
    if first < len(blocks):
        yield blocks[first:]


def opens_section(block: Block) -> bool:
    """Whether the block is a heading of the document, not the title of a tab or an admonition."""
    return block.kind == "heading" and not block.label


def place_units(
    units: Sequence[Unit], source: str
) -> tuple[tuple[Span, ...], list[tuple[Unit, int, int]]]:
    """The spans of the source that the units cover, and each unit's range in their joined text."""
    edges: list[int] = []  # start, end, start, end, …; adjacent ranges are merged
    placed: list[tuple[Unit, int, int]] = []
    length = 0
    last: Block | None = None
    for unit in units:
        if isinstance(unit, Piece):
            block = unit.block
            spans = _slice(unit)
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
                length += _separate(edges, start, source)
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


def is_contiguous(blocks: Sequence[Block], source: str) -> bool:
    """Whether only white space is between the blocks, and nothing was stripped from them."""
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


def _separate(edges: list[int], following: int, source: str) -> int:
    """Separate two blocks by the line ends that separate them in the source."""
    end = edges[-1]
    added = 0
    for found in islice(_NEWLINE.finditer(source, end, max(end, following)), 2):
        added += _append(edges, *found.span())
    if not added and source[end - 1 : end] not in ("\n", "\r"):
        at = max(source.rfind("\n", 0, end), source.find("\n", end))
        added = _append(edges, at, at + 1) if at >= 0 else 0
    return added


def _slice(piece: Piece) -> tuple[Span, ...]:
    """The ranges of the source that the piece is made of."""
    kept: list[Span] = []
    starts, spans = piece.span_starts, piece.block.spans
    for at in range(bisect_right(starts, piece.start) - 1, bisect_left(starts, piece.end)):
        first, last = spans[at]
        low, high = max(piece.start - starts[at], 0), min(piece.end - starts[at], last - first)
        if low < high:
            kept.append(Span(first + low, first + high))
    return tuple(kept)
