"""Cutting a document into chunks: whole blocks, one section at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from functions.book.chunk_reading import Content, SentenceReader
from functions.book.chunks import Chunk
from functions.book.documents import Block, Document, Heading, Span
from functions.book.packing import Piece, pack_pieces
from functions.book.word_counts import WordCounter

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

    `max_words` bounds a chunk; `overlap_words` of prose are repeated where a section goes on in
    the next chunk; `passage_words` bounds the texts that are embedded. Code, tables, formulas and
    diagrams are kept whole up to `block_words` (or `max_words`, if that is more) and cut at lines
    or rows above it. A heading with nothing under it stands in front of the first chunk of the
    section inside it.
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
        self._words = WordCounter(document.source)

    def chunks(self, max_words: int, overlap_words: int, block_words: int) -> Iterator[Chunk]:
        ordinal = 0
        source, reader, words = self._source, self._reader, self._words
        for section in sections_of(self._document.blocks):
            headings = section[-1].headings
            is_one_stretch = _is_one_stretch(section, source)
            if is_one_stretch and words.fits(section, max_words):
                yield self._whole(ordinal, section, headings)
                ordinal += 1
                continue
            pieces = [reader.piece(block) for block in section]
            counts = [words.count(block, text) for block, text, *_ in pieces]
            for packed in pack_pieces(
                pieces, counts, max_words, overlap_words, block_words, reader.read_placed
            ):
                blocks = [piece.block for piece in packed if piece.sentences is None]
                if len(blocks) == len(packed) and (
                    is_one_stretch or _is_one_stretch(blocks, source)
                ):
                    yield self._whole(ordinal, blocks, headings)
                else:
                    yield self._laid(ordinal, packed, headings)
                ordinal += 1

    def _whole(self, ordinal: int, blocks: list[Block], headings: tuple[Heading, ...]) -> Chunk:
        """The chunk of blocks that are one stretch of the source."""
        first, last = blocks[0], blocks[-1]
        span = Span(first.spans[0].start, last.spans[0].end)
        text = self._source[span.start : span.end]
        return self._chunk(ordinal, text, (span,), headings, (first, last), blocks)

    def _laid(self, ordinal: int, pieces: list[Piece], headings: tuple[Heading, ...]) -> Chunk:
        edges, placed = _lay(pieces, self._source)
        spans = tuple(map(Span, edges[::2], edges[1::2]))
        text = "".join([self._source[start:end] for start, end in spans])
        ends = pieces[0].block, pieces[-1].block
        return self._chunk(ordinal, text, spans, headings, ends, (), placed)

    def _chunk(
        self,
        ordinal: int,
        text: str,
        spans: tuple[Span, ...],
        headings: tuple[Heading, ...],
        ends: tuple[Block, Block],
        blocks: Sequence[Block],
        placed: Sequence[tuple[Piece, int, int]] = (),
    ) -> Chunk:
        document, (first, last) = self._document, ends
        title = headings[-1].title if headings else document.title
        content = Content(self._reader, title, self._passage_words, blocks, placed)
        policy = document.front.policy
        return Chunk(ordinal, text, spans, headings, first.index, last.index, policy, content)


def _lay(pieces: list[Piece], source: str) -> tuple[list[int], list[tuple[Piece, int, int]]]:
    """Pieces laid one behind the other: as ranges of the source that grow while they touch.

    The ranges are start, end, start, end; with them, where each piece stands in their text.
    """
    edges: list[int] = []
    placed: list[tuple[Piece, int, int]] = []
    length = 0
    for piece in pieces:
        block, spans = piece.block, piece.block.spans
        start = spans[0].start
        if len(spans) == 1:
            ranges = [(start + piece.start, start + piece.end)]
        else:
            ranges = _slice(spans, piece.start, piece.end)
        begin = length
        if placed and block is placed[-1][0].block:  # a table, after its repeated header
            begin = placed.pop()[1]
        elif edges:
            length += _part(edges, ranges[0][0], source)
            begin = length
        for start, end in ranges:
            length += _append(edges, start, end)
        placed.append((piece, begin, length))
    return edges, placed


def _append(edges: list[int], start: int, end: int) -> int:
    if edges and edges[-1] == start:
        edges[-1] = end
    else:
        edges += (start, end)
    return end - start


def _part(edges: list[int], following: int, source: str) -> int:
    """Part two blocks by what parts them in the source, without what was taken out there."""
    end = edges[-1]
    if following > end and source[end:following].isspace():
        return _append(edges, end, following)
    if following == end:
        return 0
    added = 0
    for found in list(_NEWLINE.finditer(source, end, max(end, following)))[:2]:
        added += _append(edges, *found.span())
    if not added and source[end - 1 : end] not in ("\n", "\r"):
        at = max(source.rfind("\n", 0, end), source.find("\n", end))
        added = _append(edges, at, at + 1) if at >= 0 else 0
    return added


def sections_of(blocks: tuple[Block, ...]) -> Iterator[list[Block]]:
    """The blocks of each section, its heading first.

    A heading with nothing under it goes to the section inside it that follows, if there is one.
    """
    section: list[Block] = []
    for block in blocks:
        if block.kind == "heading" and section and opens_section(block):
            inside = len(block.headings) > len(section[-1].headings)
            if not (inside and all(opens_section(each) for each in section)):
                yield section
                section = []
        section.append(block)
    if section:
        yield section


def opens_section(block: Block) -> bool:
    """Whether the block is a heading of the document, not the title of a tab or a box."""
    return block.kind == "heading" and not block.label


def _is_one_stretch(section: list[Block], source: str) -> bool:
    """Whether nothing but white space stands between the blocks, and nothing was taken out."""
    end = section[0].spans[0].start
    for block in section:
        spans = block.spans
        start = spans[0].start
        if len(spans) > 1 or start < end or (start > end and not source[end:start].isspace()):
            return False
        end = spans[0].end
    return True


def _slice(spans: tuple[Span, ...], start: int, end: int) -> list[tuple[int, int]]:
    """The ranges of `text[start:end]`, where `text` is what `spans` join to."""
    kept: list[tuple[int, int]] = []
    at = 0
    for span in spans:
        length = span.end - span.start
        low, high = max(start - at, 0), min(end - at, length)
        if low < high:
            kept.append((span.start + low, span.start + high))
        at += length
    return kept
