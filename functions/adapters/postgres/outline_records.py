"""Reads the book's outline and single chunks from the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from functions.adapters.postgres.database import Database
from functions.book.chunks.chunk import Chapter, StoredChunk
from functions.book.outline import OutlineEntry


class OutlineRecords:
    """Reads what overviews need. Every method takes the seconds it may last, and raises
    DatabaseUnavailable or DatabaseRejected."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def outline(self, *, seconds: float) -> list[OutlineEntry]:
        """Every chunk of the book without its text, by path and order."""
        rows = await self._database.call(
            "SELECT chunks.id AS chunk_id, documents.source_path, documents.version,"
            " documents.locale, chunks.ordinal, chunks.body -> 'chapter' AS chapter,"
            " chunks.body -> 'titles' AS titles, chunks.body ->> 'place' AS place,"
            " chunks.body ->> 'url' AS url"
            " FROM chunks JOIN documents ON documents.id = chunks.document_id"
            " WHERE documents.deleted_at IS NULL ORDER BY documents.source_path, chunks.ordinal",
            (),
            seconds=seconds,
        )
        return [
            OutlineEntry(
                **{**row, "chapter": Chapter(**row["chapter"]), "titles": tuple(row["titles"])}
            )
            for row in rows
        ]

    async def chunks(self, ids: Sequence[str], *, seconds: float) -> dict[str, StoredChunk]:
        """The chunks with these ids, except those that no longer exist."""
        rows = await self._database.call(
            "SELECT id, body FROM chunks WHERE id = ANY(%s)", (list(ids),), seconds=seconds
        )
        return {row["id"]: StoredChunk.from_payload(row["body"]) for row in rows}

    async def calibration(self, *, seconds: float) -> Mapping[str, Any] | None:
        """The book's own calibration; None before `quoth calibrate`."""
        rows = await self._database.call("SELECT calibration FROM index_state", (), seconds=seconds)
        return rows[0]["calibration"] if rows else None
