"""Replaces one generation of a document by the next, in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from functions.adapters.postgres.database import Connection
from functions.adapters.postgres.storable import as_jsonb, storable_text
from functions.book.chunks.chunk import Chapter, StoredChunk
from functions.book.fold import fold_texts

SELECT_DOCUMENTS = (
    "SELECT id::text AS document_id, source_path, version, locale, title, chapter, url, policy,"
    " content_hash, object_version, generation, deleted_at IS NOT NULL AS deleted FROM documents"
)


class GenerationConflict(Exception):
    """Another worker changed the document meanwhile. Ingest the key again."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A row of the documents.

    `generation` counts from 1 and grows with every swap; the document's chunks have the same one.
    A deleted document keeps its row, so that its generations continue.
    """

    document_id: str
    source_path: str
    version: str
    locale: str
    title: str
    chapter: Chapter | None
    url: str
    policy: str
    content_hash: str
    object_version: str
    generation: int
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class StoredBlock:
    """A block's plain text, and its lines in the source, from 1.

    `shown_at`, `shown` and `skippable` are the three fields of its `RenderedText`.
    """

    index: int
    kind: str
    text: str
    first_line: int
    last_line: int
    shown_at: int = 0
    shown: tuple[str, ...] = ()
    skippable: bool = False


async def swap_generation(
    connection: Connection,
    document: StoredDocument,
    chunks: Sequence[StoredChunk],
    blocks: Sequence[StoredBlock],
    expected_generation: int,
) -> str:
    """Replace `expected_generation` by the document's; returns the new content version."""
    # Long work for a long document: not on the event loop.
    folded, block_rows = await asyncio.to_thread(_block_rows, blocks)
    chunk_rows = await asyncio.to_thread(lambda: [chunk.to_payload() for chunk in chunks])
    await _upsert_document(connection, document, folded, expected_generation)
    await _remove_parts(connection, document.document_id)
    await connection.execute(
        "INSERT INTO chunks (id, document_id, generation, ordinal, hash, body)"
        " SELECT body ->> 'chunk_id', %s::uuid, %s, (body ->> 'ordinal')::integer,"
        " body ->> 'hash', body FROM jsonb_array_elements(%s) AS body",
        (
            document.document_id,
            document.generation,
            as_jsonb(chunk_rows),
        ),
    )
    await connection.execute(
        "DELETE FROM past_chunks USING chunks WHERE chunks.document_id = %s::uuid"
        " AND past_chunks.id = chunks.id AND past_chunks.hash = chunks.hash",
        (document.document_id,),
    )
    await connection.execute(
        "INSERT INTO blocks SELECT %s::uuid, %s, part.* FROM jsonb_to_recordset(%s) AS part"
        " (index integer, kind text, text text, first_line integer, last_line integer,"
        " folded_start integer, folded_length integer, shown_at integer, shown text[],"
        " skippable boolean)",
        (
            document.document_id,
            document.generation,
            as_jsonb(block_rows),
        ),
    )
    return await _bump_content_version(connection)


def _block_rows(blocks: Sequence[StoredBlock]) -> tuple[str, list[dict[str, Any]]]:
    """The folded text of all blocks, and their rows with their ranges in it."""
    folded = fold_texts(storable_text(block.text) for block in blocks)
    return folded.text, [
        asdict(block) | {"folded_start": start, "folded_length": length}
        for block, (start, length) in zip(blocks, folded.ranges, strict=True)
    ]


async def remove_generation(
    connection: Connection, document_id: str, expected_generation: int
) -> str:
    """Mark a document deleted and delete its parts; returns the new content version."""
    removed = await connection.execute(
        "UPDATE documents SET deleted_at = clock_timestamp(), folded = '',"
        " content_hash = '', generation = generation + 1, updated_at = clock_timestamp()"
        " WHERE id = %s::uuid AND generation = %s",
        (document_id, expected_generation),
    )
    if removed.rowcount != 1:
        raise GenerationConflict(document_id)
    await _remove_parts(connection, document_id)
    return await _bump_content_version(connection)


async def _upsert_document(
    connection: Connection, document: StoredDocument, folded: str, expected_generation: int
) -> None:
    values = asdict(document) | {
        "chapter": as_jsonb(asdict(document.chapter) if document.chapter else {}),
        "folded": folded,
        "expected": expected_generation,
    }
    swapped = await connection.execute(
        "INSERT INTO documents AS stored (id, source_path, version, locale, title, chapter, url,"
        " policy, content_hash, object_version, generation, folded)"
        " VALUES (%(document_id)s::uuid, %(source_path)s, %(version)s, %(locale)s, %(title)s,"
        " %(chapter)s, %(url)s, %(policy)s, %(content_hash)s, %(object_version)s, %(generation)s,"
        " %(folded)s)"
        " ON CONFLICT (id) DO UPDATE SET source_path = excluded.source_path,"
        " version = excluded.version, locale = excluded.locale, title = excluded.title,"
        " chapter = excluded.chapter, url = excluded.url, policy = excluded.policy,"
        " content_hash = excluded.content_hash, object_version = excluded.object_version,"
        " generation = excluded.generation, folded = excluded.folded, deleted_at = NULL,"
        " updated_at = clock_timestamp()"
        " WHERE stored.generation = %(expected)s",
        values,
    )
    if swapped.rowcount != 1:
        raise GenerationConflict(document.source_path)


async def _remove_parts(connection: Connection, document_id: str) -> None:
    await connection.execute(
        "WITH gone AS (DELETE FROM chunks WHERE document_id = %s::uuid RETURNING id, hash, body)"
        " INSERT INTO past_chunks (id, hash, body) SELECT id, hash, body FROM gone"
        " ON CONFLICT (id, hash) DO UPDATE SET body = excluded.body,"
        " replaced_at = clock_timestamp()",
        (document_id,),
    )
    await connection.execute("DELETE FROM blocks WHERE document_id = %s::uuid", (document_id,))


async def _bump_content_version(connection: Connection) -> str:
    cursor = await connection.execute(
        "UPDATE index_state SET content_version = content_version + 1,"
        " updated_at = clock_timestamp() RETURNING content_version::text"
    )
    row = await cursor.fetchone()
    if row is None:
        raise LookupError("the row of index_state is missing")
    return str(row["content_version"])


def read_document(row: Mapping[str, Any]) -> StoredDocument:
    """A row of SELECT_DOCUMENTS."""
    chapter = Chapter(**row["chapter"]) if row["chapter"] else None
    return StoredDocument(**{**row, "chapter": chapter})
