"""A prepared document as rows of the database and points of the index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC

from functions.adapters.aws.object_store import StoredObject
from functions.adapters.postgres.document_swap import StoredBlock, StoredDocument
from functions.adapters.qdrant.chunk_index import ChunkPoint
from functions.book.chapters import place_of
from functions.book.chunks.chunk import Chunk, StoredChunk
from functions.book.chunks.passages import passage_starts
from functions.book.site.links import section_url
from functions.ingest.prepare import PreparedDocument, passage_hash


def stored_document(
    prepared: PreparedDocument, found: StoredObject, generation: int
) -> StoredDocument:
    """The row of a document in this generation."""
    return StoredDocument(
        document_id=prepared.document_id,
        source_path=prepared.document.source_path,
        version=prepared.version,
        locale=prepared.locale,
        title=prepared.document.title,
        chapter=prepared.chapter,
        url=prepared.url,
        policy=prepared.document.front.policy,
        content_hash=prepared.fingerprint,
        object_version=found.version_id,
        generation=generation,
    )


def stored_blocks(prepared: PreparedDocument) -> list[StoredBlock]:
    """The rows of its blocks, in order."""
    return [
        StoredBlock(
            index=each.block.index,
            kind=each.block.kind,
            text=each.text,
            first_line=each.block.first_line,
            last_line=each.block.last_line,
            shown_at=each.rendered.at,
            shown=each.rendered.pieces,
            skippable=each.rendered.skippable,
        )
        for each in prepared.blocks
    ]


def stored_chunks(
    prepared: PreparedDocument, found: StoredObject, generation: int
) -> list[StoredChunk]:
    """The rows of its chunks, in order, each with the time of the file's last change."""
    updated_at = found.last_modified.astimezone(UTC).isoformat(timespec="seconds")
    return [
        _stored_chunk(prepared, chunk, chunk_id, generation, updated_at)
        for chunk, chunk_id in zip(prepared.chunks, prepared.chunk_ids, strict=True)
    ]


def points_of(
    chunks: Sequence[StoredChunk],
    passages: Sequence[Sequence[str]],
    vectors: Mapping[str, Sequence[float]],
) -> list[ChunkPoint]:
    """The points of the index. `passages` go with `chunks`; `vectors` are by passage hash."""
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
            starts=passage_starts(chunk.parts, own),
        )
        for chunk, own in zip(chunks, passages, strict=True)
    ]


def _stored_chunk(
    prepared: PreparedDocument, chunk: Chunk, chunk_id: str, generation: int, updated_at: str
) -> StoredChunk:
    titles = tuple(heading.title for heading in chunk.headings)
    anchor = chunk.headings[-1].anchor if chunk.headings else ""
    source_path = prepared.document.source_path
    return StoredChunk(
        chunk_id=chunk_id,
        document_id=prepared.document_id,
        source_path=source_path,
        version=prepared.version,
        locale=prepared.locale,
        generation=generation,
        ordinal=chunk.ordinal,
        text=chunk.text,
        hash=chunk.hash,
        titles=titles,
        chapter=prepared.chapter,
        section=titles[1] if len(titles) > 1 else "",
        subsection=titles[2] if len(titles) > 2 else "",
        place=place_of(source_path, titles),
        url=section_url(prepared.url, anchor),
        policy=chunk.policy,
        updated_at=updated_at,
        parts=chunk.parts,
    )
