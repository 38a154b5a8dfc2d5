"""Reads the parts of a chunk: their sentences, with line numbers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from functions.book.chunks.chunk import ChunkPart, ChunkSentence
from functions.book.chunks.cut import Piece, Unit, block_of
from functions.book.chunks.passages import pack_passages
from functions.book.document import Block, Document, Lines
from functions.book.markdown.plain_text import defined_labels
from functions.book.sentences.block_sentences import BlockSentence, sentences_of


class SentenceReader:
    """Splits the blocks of one document into sentences."""

    def __init__(self, document: Document) -> None:
        self._source = document.source
        self._lines: Lines = document.lines

    @cached_property
    def _references(self) -> frozenset[str]:
        return defined_labels(self._source)

    def piece(self, block: Block) -> Piece:
        """A whole block."""
        text = self._text(block)
        starts = accumulate((end - start for start, end in block.spans[:-1]), initial=0)
        return Piece(block, text, 0, len(text), list(starts))

    def read_exact(self, piece: Piece) -> tuple[BlockSentence, ...]:
        """The sentences of a whole block with their exact ranges, so that it can be cut."""
        return tuple(sentences_of(piece.kind, piece.text, self._references))

    def read_sentences(self, unit: Unit) -> tuple[ChunkSentence, ...]:
        """The sentences of a block or a piece of it, with their line numbers."""
        if isinstance(unit, Piece) and unit.sentences is not None:
            return tuple(self._with_lines(unit.block, unit.sentences))
        block = block_of(unit)
        found = sentences_of(block.kind, self._text(block), self._references, exact=False)
        return tuple(self._with_lines(block, found))

    def _text(self, block: Block) -> str:
        spans, source = block.spans, self._source
        if len(spans) == 1:
            start, end = spans[0]
            return source[start:end]
        return "".join([source[start:end] for start, end in spans])

    def _with_lines(
        self, block: Block, sentences: list[BlockSentence] | tuple[BlockSentence, ...]
    ) -> Iterator[ChunkSentence]:
        if block.first_line == block.last_line:
            line = block.first_line
            for text, _, _, quote in sentences:
                yield ChunkSentence(text, line, line, quote)
            return
        if len(block.spans) == 1:
            start, at = block.spans[0].start, self._lines.at
            for text, first, end, quote in sentences:
                line = at(start + first) + 1
                last = at(start + end - 1) + 1 if end > first else line
                yield ChunkSentence(text, line, last, quote)
            return
        ends = list(accumulate(span.end - span.start for span in block.spans))
        for sentence in sentences:
            first = self._line(block, ends, sentence.start)
            last = self._line(block, ends, max(sentence.end - 1, sentence.start))
            yield ChunkSentence(sentence.text, first, max(first, last), sentence.quote)

    def _line(self, block: Block, ends: list[int], offset: int) -> int:
        at = bisect_right(ends, offset)
        if at == len(ends):
            return block.last_line
        line = self._lines.at(block.spans[at].end - (ends[at] - offset)) + 1
        return min(max(line, block.first_line), block.last_line)


class Content(NamedTuple):  # a tuple: a book has thousands, and it is twice as fast to create
    """The units of a chunk with their ranges in its text: `placed`.

    A chunk of whole, contiguous blocks has its `blocks` instead.
    """

    reader: SentenceReader
    title: str
    passage_words: int
    blocks: Sequence[Block]
    placed: Sequence[tuple[Unit, int, int]] = ()

    def read_parts(self) -> tuple[ChunkPart, ...]:
        """The chunk's parts in order, with their sentences."""
        read = self.reader.read_sentences
        parts: list[ChunkPart] = []
        for unit, start, end in self.placed or self._whole_blocks():
            block = block_of(unit)
            index, kind, paragraph, label = block.index, block.kind, block.paragraph, block.label
            parts.append(ChunkPart(index, kind, start, end, paragraph, label, read(unit)))
        return tuple(parts)

    def _whole_blocks(self) -> Iterator[tuple[Unit, int, int]]:
        base = self.blocks[0].spans[0].start
        for block in self.blocks:
            span = block.spans[0]
            yield block, span.start - base, span.end - base

    def pack_passages(self, parts: tuple[ChunkPart, ...]) -> tuple[str, ...]:
        return pack_passages(self.title, parts, self.passage_words)
