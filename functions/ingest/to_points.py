"""Stored chunks as points of the index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from functions.adapters.qdrant.chunk_index import ChunkPoint
from functions.book.chunks.chunk import StoredChunk
from functions.book.chunks.passages import starts_of
from functions.ingest.prepare import passage_hash


def points_of(
    chunks: Sequence[StoredChunk],
    passages: Sequence[Sequence[str]],
    vectors: Mapping[str, Sequence[float]],
) -> list[ChunkPoint]:
    """What the index keeps. `passages` go with `chunks`, `vectors` are by a passage's hash."""
    return [
        ChunkPoint(
            chunk_id=chunk.chunk_id,
            document_id=chunk.document_id,
            source_path=chunk.source_path,
            version=chunk.version,
            locale=chunk.locale,
            chapter_id=chunk.chapter.id,
            generation=chunk.generation,
            policy=chunk.policy,
            first_block=chunk.parts[0].block,
            last_block=chunk.parts[-1].block,
            search_text="\n".join([*chunk.titles, chunk.text]),
            vectors=[vectors[passage_hash(passage)] for passage in own],
            chunk=chunk.to_payload(),
            starts=starts_of(chunk.parts, own),
        )
        for chunk, own in zip(chunks, passages, strict=True)
    ]
