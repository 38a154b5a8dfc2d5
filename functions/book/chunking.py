"""Cutting a document into chunks: whole blocks, one section at a time."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate

from functions.book.block_sentences import BlockSentence, sentences_of
from functions.book.chunks import Chunk, ChunkPart, ChunkSentence
from functions.book.documents import Block, Document, Heading, Span
from functions.book.lines import lines_of
from functions.book.packing import Piece, pack_pieces
from functions.book.passages import pack_passages
from functions.book.plain import defined_labels

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
        self._lines = lines_of(document.source)
        self._references = defined_labels(document.source)

    def chunks(self, max_words: int, overlap_words: int, block_words: int) -> Iterator[Chunk]:
        ordinal = 0
        for section in sections_of(self._document.blocks):
            pieces = [self._piece(block) for block in section]
            for packed in pack_pieces(pieces, max_words, overlap_words, block_words, self._placed):
                yield self._chunk(ordinal, packed, section[-1].headings)
                ordinal += 1

    def _piece(self, block: Block) -> Piece:
        text = "".join(self._source[span.start : span.end] for span in block.spans)
        sentences = sentences_of(block.kind, text, self._references, placed=False)
        return Piece(block, text, 0, len(text), tuple(sentences))

    def _placed(self, piece: Piece) -> Piece:
        """With the places of its sentences: it will be cut."""
        sentences = sentences_of(piece.block.kind, piece.text, self._references)
        return replace(piece, sentences=tuple(sentences))

    def _chunk(self, ordinal: int, pieces: list[Piece], headings: tuple[Heading, ...]) -> Chunk:
        spans: list[Span] = []
        parts: list[ChunkPart] = []
        length = 0
        before: Block | None = None
        for piece in pieces:
            own = _slice(piece.block.spans, piece.start, piece.end)
            goes_on = piece.block is before  # a table, after its repeated header
            if spans and not goes_on:
                length += self._join(spans, own[0].start)
            start = parts.pop().start if goes_on else length
            for span in own:
                length += _add(spans, span)
            parts.append(self._part(piece, start, length))
            before = piece.block
        text = "".join(self._source[span.start : span.end] for span in spans)
        titles = "\n".join(heading.title for heading in headings)
        return Chunk(
            ordinal=ordinal,
            text=text,
            spans=tuple(spans),
            headings=headings,
            parts=tuple(parts),
            passages=pack_passages(
                headings[-1].title if headings else self._document.title, parts, self._passage_words
            ),
            hash=hashlib.sha256(f"{titles}\n\n{text}".encode()).hexdigest(),
            policy=self._document.front.policy,
        )

    def _join(self, spans: list[Span], following: int) -> int:
        """Part two blocks by what parts them in the source, without what was taken out there."""
        end = spans[-1].end
        gap = self._source[end:following]
        if following >= end and (not gap or gap.isspace()):
            return _add(spans, Span(end, following))
        added = 0
        for found in list(_NEWLINE.finditer(self._source, end, max(end, following)))[:2]:
            added += _add(spans, Span(*found.span()))
        if not added and self._source[end - 1 : end] not in ("\n", "\r"):
            at = max(self._source.rfind("\n", 0, end), self._source.find("\n", end))
            added = _add(spans, Span(at, at + 1)) if at >= 0 else 0
        return added

    def _part(self, piece: Piece, start: int, end: int) -> ChunkPart:
        block = piece.block
        return ChunkPart(
            block=block.index,
            kind=block.kind,
            start=start,
            end=end,
            paragraph=block.paragraph,
            label=block.label,
            sentences=tuple(self._sentences(block, piece.sentences)),
        )

    def _sentences(
        self, block: Block, sentences: tuple[BlockSentence, ...]
    ) -> Iterator[ChunkSentence]:
        if block.first_line == block.last_line:
            line = block.first_line
            for sentence in sentences:
                yield ChunkSentence(sentence.text, line, line, sentence.quote)
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
        for span, end in zip(block.spans, ends, strict=True):
            if offset < end:
                line = self._lines.at(span.end - (end - offset)) + 1
                return min(max(line, block.first_line), block.last_line)
        return block.last_line


def sections_of(blocks: tuple[Block, ...]) -> Iterator[list[Block]]:
    """The blocks of each section, its heading first.

    A heading with nothing under it goes to the section inside it that follows, if there is one.
    """
    section: list[Block] = []
    for block in blocks:
        if opens_section(block) and section:
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


def _add(spans: list[Span], span: Span) -> int:
    """Append, growing the last span when they touch. The number of characters added."""
    if span.start >= span.end:
        return 0
    if spans and spans[-1].end == span.start:
        spans[-1] = Span(spans[-1].start, span.end)
    else:
        spans.append(span)
    return span.end - span.start


def _slice(spans: tuple[Span, ...], start: int, end: int) -> list[Span]:
    """The spans of `text[start:end]`, where `text` is what `spans` join to."""
    if start == 0 and len(spans) == 1:
        return [Span(spans[0].start, spans[0].start + end)]
    kept: list[Span] = []
    at = 0
    for span in spans:
        length = span.end - span.start
        low, high = max(start - at, 0), min(end - at, length)
        if low < high:
            kept.append(Span(span.start + low, span.start + high))
        at += length
    return kept
