"""Finds a document by its id, whatever version and language it is stored under."""

from __future__ import annotations

from functions.adapters.book_records import BookRecords
from functions.adapters.document_swap import SELECT_DOCUMENTS, StoredDocument, read_document


async def document_by_id(
    records: BookRecords, document_id: str, *, seconds: float
) -> StoredDocument | None:
    """The document, deleted or not; None when there never was one.

    Raises DatabaseUnavailable and DatabaseRejected.
    """
    rows = await records._database.call(
        SELECT_DOCUMENTS + " WHERE id = %s::uuid", (document_id,), seconds=seconds
    )
    return read_document(rows[0]) if rows else None
