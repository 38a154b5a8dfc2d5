"""Counts words, and cuts blocks that are too long for a chunk at lines, sentences or words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, TypeGuard

from functions.book.document import ATOMIC, Block, BlockKind, Lines
from functions.book.sentences.block_sentences import BlockSentence, header_end

MOST_HEADER_WORDS = 150
"""Of a table's header that each of its pieces repeats."""
_WORD_AND_SPACE = re.compile(r"\S+\s*")
_RUN = re.compile(r"[^\W_]+")
_SPACE = re.compile(r"\s")
_LETTER = re.compile(r"[^\W\d_]")
_ASCII_RUNS = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))


class Piece(NamedTuple):
    """A part of a block: `text[start:end]`, where `text` is the block's.

    `span_starts` are the offsets in `text` at which the block's spans begin. `sentences` are those
    of the part if the block was cut, None for a whole block.
    """

    block: Block
    text: str
    start: int
    end: int
    span_starts: Sequence[int]
    sentences: tuple[BlockSentence, ...] | None = None

    @property
    def kind(self) -> BlockKind:
        return self.block.kind


Unit = Block | Piece
"""What chunks are packed from: a whole block, in most cases."""


def block_of(unit: Unit) -> Block:
    return unit.block if isinstance(unit, Piece) else unit


def are_whole(units: Sequence[Unit]) -> TypeGuard[Sequence[Block]]:
    return Piece not in map(type, units)


class BlockReader(Protocol):
    """Reads blocks to cut. `read_exact` returns the sentences of a piece, in order."""

    def piece(self, block: Block) -> Piece: ...
    def read_exact(self, piece: Piece) -> tuple[BlockSentence, ...]: ...


def cut_block(
    block: Block, room: int, overlap_words: int, reader: BlockReader
) -> Iterator[tuple[Piece, int]]:
    """The pieces of a block, each with its word count: at most `room`, less the overlap."""
    piece = reader.piece(block)
    sentences = reader.read_exact(piece)
    if block.kind in ATOMIC:
        return _cut(piece, sentences, _line_starts(piece), room)
    return _cut(piece, sentences, _sentence_starts(piece, sentences), max(room - overlap_words, 1))


def header_of(unit: Unit) -> list[Unit]:
    """The header rows that a table's later piece repeats; its word count includes them."""
    if not isinstance(unit, Piece) or unit.kind != "table" or unit.start == 0:
        return []
    end, _ = _repeated_header(unit.text)
    return [unit._replace(start=0, end=end, sentences=())] if end else []


@lru_cache(maxsize=4)
def _repeated_header(table: str) -> tuple[int, int]:
    """The end of the header rows that each piece of a table has, and their words; zeros where there
    are none, or too many."""
    end = header_end(table)
    words = count_words(table[:end])
    return (end, words) if words <= MOST_HEADER_WORDS else (0, 0)


def last_sentences(unit: Unit, words: int, reader: BlockReader) -> tuple[list[Unit], int]:
    """The last sentences of a chunk that ends in prose, for the overlap, and their word count."""
    if words <= 0 or unit.kind in ATOMIC:
        return [], 0
    piece = unit if isinstance(unit, Piece) else reader.piece(unit)
    sentences = reader.read_exact(piece) if piece.sentences is None else piece.sentences
    for start in _sentence_starts(piece, sentences):
        count = len(piece.text[start : piece.end].split())
        if piece.start < start < piece.end and count <= words:
            kept = tuple(each for each in sentences if each.start >= start)
            return [piece._replace(start=start, sentences=kept)], count
    return [], 0


def merge_pieces(units: list[Unit]) -> list[Unit]:
    """Merge adjacent pieces of one block."""
    merged: list[Unit] = []
    for unit in units:
        last = merged[-1] if merged else None
        if (
            isinstance(unit, Piece)
            and isinstance(last, Piece)
            and last.block is unit.block
            and last.end <= unit.start
            and not unit.text[last.end : unit.start].strip()
        ):
            sentences = (*(last.sentences or ()), *(unit.sentences or ()))
            merged[-1] = last._replace(end=unit.end, sentences=sentences)
        else:
            merged.append(unit)
    return merged


def _line_starts(piece: Piece) -> list[int]:
    starts = Lines(piece.text).starts
    return starts if starts[-1] < len(piece.text) else starts[:-1]


def _sentence_starts(piece: Piece, sentences: Sequence[BlockSentence]) -> list[int]:
    """The starts of sentences, including the marks before them."""
    text, starts = piece.text, [0]
    spaces = [found.end() for found in _SPACE.finditer(text)]
    lines = [at for at in spaces if text[at - 1] in "\r\n"]
    for sentence in sentences[1:]:
        start = _last(spaces, sentence.start)
        line = _last(lines, start)
        if line > starts[-1] and not _LETTER.search(text, line, start):
            start = line
        if start > starts[-1]:
            starts.append(start)
    return starts


def _last(edges: Sequence[int], most: int) -> int:
    """The last of some rising offsets that is at most `most`; 0 if there is none."""
    at = bisect_right(edges, most)
    return edges[at - 1] if at else 0


def _cut(
    piece: Piece, sentences: Sequence[BlockSentence], starts: list[int], max_words: int
) -> Iterator[tuple[Piece, int]]:
    """Pieces that begin at some of `starts`, as long as fits; longer ones are cut between words."""
    repeated, extra = _repeated_header(piece.text) if piece.kind == "table" else (0, 0)
    room = max(max_words - extra, 1)
    edges: list[tuple[int, int]] = []
    for start, end in zip(starts, [*starts[1:], len(piece.text)], strict=True):
        count = count_words(piece.text[start:end])
        if count <= room or piece.kind == "table":
            edges.append((start, count))
        else:
            edges.extend(_between_words(piece.text, start, end, room))
    begin, words = 0, 0
    sentence = 0
    bounds: list[tuple[int, int, int]] = []
    for start, count in edges:
        if words and words + count > room and not start < repeated:
            bounds.append((begin, start, words + (extra if begin else 0)))
            begin, words = start, 0
        words += count
    bounds.append((begin, len(piece.text), words + (extra if begin else 0)))
    for begin, end, count in bounds:
        inside: list[BlockSentence] = []
        while sentence < len(sentences) and (
            sentences[sentence].start < end or end == len(piece.text)
        ):
            inside.append(sentences[sentence])
            sentence += 1
        trimmed = begin + len(piece.text[begin:end].rstrip())
        if trimmed > begin:
            yield piece._replace(start=begin, end=trimmed, sentences=tuple(inside)), count


def _between_words(text: str, start: int, end: int, room: int) -> Iterator[tuple[int, int]]:
    begin, words = start, 0
    for found in _WORD_AND_SPACE.finditer(text, start, end):
        count = max(1, count_runs(found.group()))
        if words and words + count > room:
            yield begin, words
            begin, words = found.start(), 0
        words += count
    yield begin, words


def count_words(text: str) -> int:
    """Words separated by white space, or runs of letters and digits, whichever are more."""
    return max(len(text.split()), count_runs(text))


def count_runs(text: str) -> int:
    """Runs of letters and digits."""
    if text.isascii():
        return len(text.translate(_ASCII_RUNS).split())
    return len(_RUN.findall(text))


def count_block_words(blocks: Sequence[Block], source: str) -> list[int]:
    """The words of each block. In prose, counting hyphens, slashes and underscores approximates
    the runs of letters, and is faster."""
    counts: list[int] = []
    for block in blocks:
        text = "".join([source[start:end] for start, end in block.spans])
        if block.kind in ATOMIC:
            counts.append(count_words(text))
        else:
            counts.append(len(text.split()) + text.count("-") + text.count("/") + text.count("_"))
    return counts
