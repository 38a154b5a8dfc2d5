"""A highlighted range of blocks: what of a chunk stands inside it. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from functions.adapters.qdrant.schema import SearchFilters
from functions.book.chunks.chunk import StoredChunk

TOP_CHUNKS = 3
"""Chunks of a range that an answer may rest on."""


@dataclass(frozen=True, slots=True)
class BlockRange:
    """The blocks from `first` to `last`, both included, of the document at `source_path`.

    An empty version or locale asks nothing: the path alone names one document.
    """

    source_path: str
    first: int
    last: int
    version: str = ""
    locale: str = ""

    def filters(self) -> SearchFilters:
        """What a chunk must be to hold any block of the range."""
        return SearchFilters(
            version=self.version or None,
            locale=self.locale or None,
            source_path=self.source_path,
            blocks=(self.first, self.last),
        )

    def holds(self, source_path: str, block: int) -> bool:
        return source_path == self.source_path and self.first <= block <= self.last


def cut_to_range(
    chunks: Sequence[tuple[StoredChunk, float]], within: BlockRange
) -> list[tuple[StoredChunk, float]]:
    """The chunks with nothing left of them but their blocks inside; those without any are gone."""
    cut = ((cut_chunk(chunk, within), score) for chunk, score in chunks)
    return [(chunk, score) for chunk, score in cut if chunk is not None]


def cut_chunk(chunk: StoredChunk, within: BlockRange) -> StoredChunk | None:
    """The chunk's blocks inside the range as a chunk of their own; None when there are none.

    It keeps its id, its headings and its link, which say where it stands. Text and hash are those
    of the blocks inside.
    """
    kept = [part for part in chunk.parts if within.holds(chunk.source_path, part.block)]
    if len(kept) == len(chunk.parts):
        return chunk
    if not kept:
        return None
    start = min(part.start for part in kept)
    text = chunk.text[start : max(part.end for part in kept)]
    above = "\n".join(chunk.titles)
    return replace(
        chunk,
        text=text,
        hash=hashlib.sha256(f"{above}\n\n{text}".encode()).hexdigest(),
        parts=tuple(replace(part, start=part.start - start, end=part.end - start) for part in kept),
    )
