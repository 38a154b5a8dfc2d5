"""The book in the database. Only `ingest` has permission to write to it."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from functions.adapters.postgres.database import Connection, Database
from functions.adapters.postgres.document_swap import (
    SELECT_DOCUMENTS,
    StoredBlock,
    StoredDocument,
    read_document,
    remove_generation,
    swap_generation,
)
from functions.adapters.postgres.storable import as_jsonb
from functions.book.chunks.chunk import StoredChunk


@dataclass(frozen=True, slots=True)
class IndexState:
    """State of the vector index. `content_version` changes whenever the book does."""

    content_version: str
    embedding_model: str
    dimensions: int
    collection: str
    calibration: Mapping[str, Any] | None


class BookRecords:
    """Reads and writes the book. Every method takes its time-out in seconds, and raises
    DatabaseUnavailable or DatabaseRejected."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def close(self) -> None:
        await self._database.close()

    async def take_lease(self, key: str, lease_s: float, *, seconds: float) -> str | None:
        """Take the lease on a key. Returns its token, or None while another worker holds it."""
        token = str(uuid.uuid4())
        rows = await self._database.call(
            "INSERT INTO leases AS lease (key, holder, until)"
            " VALUES (%(key)s, %(token)s::uuid, clock_timestamp() + make_interval(secs => %(for)s))"
            " ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, until = excluded.until"
            " WHERE lease.until < clock_timestamp() OR lease.holder = excluded.holder"
            " RETURNING holder",
            {"key": key, "token": token, "for": float(lease_s)},
            seconds=seconds,
        )
        return token if rows else None

    async def release_lease(self, key: str, token: str, *, seconds: float) -> None:
        """Release a lease, unless another worker has taken it over."""
        await self._database.call(
            "DELETE FROM leases WHERE key = %s AND holder = %s::uuid", (key, token), seconds=seconds
        )

    async def count_leases(self, *, seconds: float) -> int:
        """The number of documents that workers are ingesting now."""
        rows = await self._database.call(
            "SELECT count(*)::integer AS held FROM leases WHERE until > clock_timestamp()",
            (),
            seconds=seconds,
        )
        return int(rows[0]["held"])

    async def document_by_id(self, document_id: str, *, seconds: float) -> StoredDocument | None:
        """The document, deleted or not; None if it never existed."""
        rows = await self._database.call(
            SELECT_DOCUMENTS + " WHERE id = %s::uuid", (document_id,), seconds=seconds
        )
        return read_document(rows[0]) if rows else None

    async def list_documents(self, *, seconds: float) -> list[StoredDocument]:
        """All documents now in the book, ordered by path."""
        rows = await self._database.call(
            SELECT_DOCUMENTS + " WHERE deleted_at IS NULL ORDER BY source_path, version, locale",
            (),
            seconds=seconds,
        )
        return [read_document(row) for row in rows]

    async def chunks_of(self, document_id: str, *, seconds: float) -> list[StoredChunk]:
        """The chunks of a document, in order."""
        rows = await self._database.call(
            "SELECT body FROM chunks WHERE document_id = %s::uuid ORDER BY ordinal",
            (document_id,),
            seconds=seconds,
        )
        return [StoredChunk.from_payload(row["body"]) for row in rows]

    async def known_vectors(
        self, model: str, hashes: Sequence[str], *, seconds: float
    ) -> dict[str, list[float]]:
        """The stored vectors of `model` for the passages with these hashes."""
        rows = await self._database.call(
            "SELECT hash, dimensions, vector FROM passage_vectors"
            " WHERE model = %s AND hash = ANY(%s)",
            (model, list(hashes)),
            seconds=seconds,
        )
        return {
            row["hash"]: list(struct.unpack(f"<{row['dimensions']}f", row["vector"]))
            for row in rows
        }

    async def store_vectors(
        self, model: str, vectors: Mapping[str, Sequence[float]], *, seconds: float
    ) -> None:
        """Store vectors by the hash of their passage."""
        await self._database.call(
            "INSERT INTO passage_vectors (model, hash, dimensions, vector)"
            " SELECT %s, * FROM unnest(%s::text[], %s::integer[], %s::bytea[])"
            " ON CONFLICT DO NOTHING",
            (
                model,
                list(vectors),
                [len(vector) for vector in vectors.values()],
                [struct.pack(f"<{len(vector)}f", *vector) for vector in vectors.values()],
            ),
            seconds=seconds,
        )

    async def swap_document(
        self,
        document: StoredDocument,
        chunks: Sequence[StoredChunk],
        blocks: Sequence[StoredBlock],
        expected_generation: int,
        *,
        seconds: float,
    ) -> str:
        """Replace a document by its new generation; returns the new content version.

        `expected_generation` is the stored document's, 0 if there is none. One transaction: readers
        always see exactly one generation. Raises GenerationConflict.
        """

        async def swap(connection: Connection) -> str:
            return await swap_generation(connection, document, chunks, blocks, expected_generation)

        return await self._database.run(swap, seconds=seconds)

    async def remove_document(
        self, document_id: str, expected_generation: int, *, seconds: float
    ) -> str:
        """Remove a document; returns the new content version. Raises GenerationConflict."""

        async def remove(connection: Connection) -> str:
            return await remove_generation(connection, document_id, expected_generation)

        return await self._database.run(remove, seconds=seconds)

    async def index_state(self, *, seconds: float) -> IndexState:
        """State of the vector index."""
        rows = await self._database.call(
            "SELECT content_version::text, embedding_model, dimensions, collection, calibration"
            " FROM index_state",
            (),
            seconds=seconds,
        )
        return IndexState(**rows[0])

    async def set_index_state(
        self,
        *,
        embedding_model: str,
        dimensions: int,
        collection: str,
        calibration: Mapping[str, Any] | None,
        seconds: float,
    ) -> str:
        """Record the state of the vector index; returns the new content version."""
        rows = await self._database.call(
            "UPDATE index_state SET embedding_model = %s, dimensions = %s, collection = %s,"
            " calibration = %s, content_version = content_version + 1,"
            " updated_at = clock_timestamp() RETURNING content_version::text",
            (
                embedding_model,
                dimensions,
                collection,
                None if calibration is None else as_jsonb(calibration),
            ),
            seconds=seconds,
        )
        return str(rows[0]["content_version"])
