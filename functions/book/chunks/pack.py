"""Packs the blocks of a section into chunks of bounded length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from functions.book.chunks.cut import (
    BlockReader,
    Unit,
    cut_block,
    header_of,
    last_sentences,
    merge_pieces,
)
from functions.book.document import ATOMIC, Block


def pack_blocks(
    blocks: Sequence[Block],
    counts: Sequence[int],
    max_words: int,
    overlap_words: int,
    block_words: int,
    reader: BlockReader,
) -> Iterator[Sequence[Unit]]:
    """The units of each chunk: at most `max_words` words, as even as whole blocks allow.

    A longer atomic block of up to `block_words` words is kept whole, with nothing but its section's
    heading. `reader` reads the blocks to cut.
    """
    total = sum(counts)
    if total <= max_words:
        yield blocks
        return
    goal = total / -(-total // max_words)
    units: Sequence[Unit] = blocks
    # The room under the titles is at least half; it is computed only where it may matter.
    longest = max(counts)
    is_cut = longest > max_words // 2 and longest > (room := _room(blocks, counts, max_words))
    if is_cut:
        cut = list(_cut_long(blocks, counts, room, overlap_words, max(block_words, room), reader))
        units, counts = [unit for unit, _ in cut], [count for _, count in cut]
    # The next chunk: the overlap with the previous one, and the units from `first` on.
    repeated: list[Unit] = []
    first = words = 0
    titles = 0  # the headings right before `at` begin here
    for at, count in enumerate(counts):
        if at and units[at - 1].kind != "heading":
            titles = at
        # Close the chunk when it is full, or when the next block would take it further from an
        # even share.
        more = words + count
        if more > max_words or (more - goal > goal - words and units[at].kind != "heading"):
            end = max(first, titles)
            if end > first or repeated:
                closed = [*repeated, *units[first:end]]
                yield merge_pieces(closed) if is_cut or repeated else closed
                more = count + sum(counts[end:at])  # a title stays with the block after it
                repeated, first = [], end
                if overlap_words:
                    room = min(overlap_words, max_words - more)
                    repeated, extra = last_sentences(closed[-1], room, reader)
                    more += extra
                repeated += header_of(units[at])
        words = more
    closed = [*repeated, *units[first:]]
    yield merge_pieces(closed) if is_cut or repeated else closed


def _room(blocks: Sequence[Block], counts: Sequence[int], max_words: int) -> int:
    """How many words a block may have to fit under the titles of its section."""
    titles = [count for block, count in zip(blocks, counts, strict=True) if block.kind == "heading"]
    first = 0
    for block, count in zip(blocks, counts, strict=True):
        if block.kind != "heading":
            break
        first += count
    else:
        first = 0
    return max(max_words - max([first, *titles]), max_words // 2, 1)


def _cut_long(
    blocks: Iterable[Block],
    counts: Iterable[int],
    room: int,
    overlap_words: int,
    block_room: int,
    reader: BlockReader,
) -> Iterator[tuple[Unit, int]]:
    for block, count in zip(blocks, counts, strict=True):
        if count <= room or (block.kind in ATOMIC and count <= block_room):
            yield block, count
        else:
            yield from cut_block(block, room, overlap_words, reader)
