"""Packing the blocks of a section into chunks of at most so many words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from functions.book.block_sentences import BlockSentence, header_end
from functions.book.documents import ATOMIC, Block
from functions.book.lines import Lines

_RUN = re.compile(r"[^\W_]+")
_ASCII_RUNS = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
_WORD_AND_SPACE = re.compile(r"\S+\s*")


class Piece(NamedTuple):  # a tuple: a book has thousands, twice as fast to make
    """A stretch of a block: `text[start:end]`, `text` being the block's.

    `sentences` are those of the stretch, where a block was cut; a whole block's are not read here.
    """

    block: Block
    text: str
    start: int
    end: int
    sentences: tuple[BlockSentence, ...] | None = None


def count_words(text: str) -> int:
    """Words by white space or by runs of letters and digits, whichever are more."""
    return max(len(text.split()), count_runs(text))


def count_runs(text: str) -> int:
    """Runs of letters and digits."""
    if text.isascii():
        return len(text.translate(_ASCII_RUNS).split())
    return len(_RUN.findall(text))


def pack_pieces(
    pieces: list[Piece],
    counts: list[int],
    max_words: int,
    overlap_words: int,
    block_words: int,
    read: Callable[[Piece], tuple[BlockSentence, ...]],
) -> Iterator[list[Piece]]:
    """Lists of pieces of at most `max_words` words each, as even as whole blocks allow.

    An atomic block of up to `block_words` words is kept whole, and then stands with no other than
    its section's heading. `read` finds the sentences of a whole block that is to be cut, in order.
    """
    total = sum(counts)
    if total <= max_words:
        yield pieces
        return
    goal = total / -(-total // max_words)
    packed: list[tuple[Piece, int]] = []
    words = 0
    for piece, count in _units(pieces, counts, max_words, overlap_words, block_words, read):
        # A chunk is closed when it is full, or when it has its share and the next block would
        # take it further from that share than it is now.
        more = words + count
        past = more > max_words or (more - goal > goal - words and not _is_title(piece))
        if past and (body := _without_last_titles(packed)):
            yield _merged([each for each, _ in body])
            titles = packed[len(body) :]
            room = max_words - count - sum([each for _, each in titles])
            packed = [*_overlap(body[-1][0], min(overlap_words, room), read), *titles]
            packed += _header(piece)
            more = count + sum([each for _, each in packed])
        packed.append((piece, count))
        words = more
    yield _merged([each for each, _ in packed])


def _without_last_titles(packed: list[tuple[Piece, int]]) -> list[tuple[Piece, int]]:
    """What of a chunk can be closed: a title stays with what follows it."""
    end = len(packed)
    while end and _is_title(packed[end - 1][0]):
        end -= 1
    return packed[:end]


def _is_title(piece: Piece) -> bool:
    return piece.block.kind == "heading"


def _header(piece: Piece) -> list[tuple[Piece, int]]:
    """The header rows that a table's later piece repeats; its own count holds their words."""
    if piece.block.kind != "table" or piece.start == 0:
        return []
    end = header_end(piece.text)
    return [(piece._replace(start=0, end=end, sentences=()), 0)] if end else []


def _units(
    pieces: list[Piece],
    counts: list[int],
    max_words: int,
    overlap_words: int,
    block_words: int,
    read: Callable[[Piece], tuple[BlockSentence, ...]],
) -> Iterable[tuple[Piece, int]]:
    """The pieces with their counts; those that are too long for a chunk cut."""
    titles = [count for piece, count in zip(pieces, counts, strict=True) if _is_title(piece)]
    first = sum(counts[: next((at for at, each in enumerate(pieces) if not _is_title(each)), 0)])
    title = max([first, *titles])
    room = max(max_words - title, max_words // 2, 1)
    units = zip(pieces, counts, strict=True)
    if max(counts) <= room:
        return units
    return _cut_units(units, room, overlap_words, max(block_words, room), read)


def _cut_units(
    units: Iterable[tuple[Piece, int]],
    room: int,
    overlap_words: int,
    block_room: int,
    read: Callable[[Piece], tuple[BlockSentence, ...]],
) -> Iterator[tuple[Piece, int]]:
    for piece, count in units:
        if count <= room or (piece.block.kind in ATOMIC and count <= block_room):
            yield piece, count
            continue
        sentences = read(piece)
        if piece.block.kind in ATOMIC:
            yield from _cut(piece, sentences, _line_starts(piece), room)
        else:
            starts = _sentence_starts(piece, sentences)
            yield from _cut(piece, sentences, starts, max(room - overlap_words, 1))


def _line_starts(piece: Piece) -> list[int]:
    starts = Lines(piece.text).starts
    return starts if starts[-1] < len(piece.text) else starts[:-1]


def _sentence_starts(piece: Piece, sentences: Sequence[BlockSentence]) -> list[int]:
    """Where sentences start, moved back over the marks in front of them."""
    starts = [0]
    for sentence in sentences[1:]:
        start = sentence.start
        while start > starts[-1] and not piece.text[start - 1].isspace():
            start -= 1
        line = (
            max(
                piece.text.rfind("\n", starts[-1], start), piece.text.rfind("\r", starts[-1], start)
            )
            + 1
        )
        if line > starts[-1] and not re.search(r"[^\W\d_]", piece.text[line:start]):
            start = line
        if start > starts[-1]:
            starts.append(start)
    return starts


def _cut(
    piece: Piece, sentences: Sequence[BlockSentence], starts: list[int], max_words: int
) -> Iterator[tuple[Piece, int]]:
    """Stretches from some of `starts`, each as long as fits; longer ones are cut between words."""
    repeated = header_end(piece.text) if piece.block.kind == "table" else 0
    extra = count_words(piece.text[:repeated]) if repeated else 0
    room = max(max_words - extra, 1)
    edges: list[tuple[int, int]] = []
    for start, end in zip(starts, [*starts[1:], len(piece.text)], strict=True):
        count = count_words(piece.text[start:end])
        if count <= room or piece.block.kind == "table":
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


def _overlap(
    piece: Piece, words: int, read: Callable[[Piece], tuple[BlockSentence, ...]]
) -> list[tuple[Piece, int]]:
    """The last sentences of a chunk that ends in prose, to start the next one with."""
    if words <= 0 or piece.block.kind in ATOMIC:
        return []
    sentences = read(piece) if piece.sentences is None else piece.sentences
    for start in _sentence_starts(piece, sentences):
        count = len(piece.text[start : piece.end].split())
        if piece.start < start < piece.end and count <= words:
            kept = tuple(each for each in sentences if each.start >= start)
            return [(piece._replace(start=start, sentences=kept), count)]
    return []


def _merged(packed: list[Piece]) -> list[Piece]:
    """Neighbouring stretches of one block become one."""
    merged: list[Piece] = []
    for piece in packed:
        last = merged[-1] if merged else None
        if (
            last
            and last.block is piece.block
            and last.end <= piece.start
            and not piece.text[last.end : piece.start].strip()
        ):
            sentences = (*(last.sentences or ()), *(piece.sentences or ()))
            merged[-1] = last._replace(end=piece.end, sentences=sentences)
        else:
            merged.append(piece)
    return merged
