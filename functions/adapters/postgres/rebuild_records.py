"""What a rebuild of the index asks the database beside the book itself."""

from __future__ import annotations

from functions.adapters.postgres.book_records import BookRecords
from functions.book.chunks.chunk import StoredChunk


async def stored_chunks_of(
    records: BookRecords, document_id: str, *, seconds: float
) -> list[StoredChunk]:
    """The chunks of a document, in order. Raises DatabaseUnavailable and DatabaseRejected."""
    rows = await records._database.call(
        "SELECT body FROM chunks WHERE document_id = %s::uuid ORDER BY ordinal",
        (document_id,),
        seconds=seconds,
    )
    return [StoredChunk.from_payload(row["body"]) for row in rows]


async def count_leases(records: BookRecords, *, seconds: float) -> int:
    """How many documents a worker has in hand. Raises as above."""
    rows = await records._database.call(
        "SELECT count(*)::integer AS held FROM leases WHERE until > clock_timestamp()",
        (),
        seconds=seconds,
    )
    return int(rows[0]["held"])
