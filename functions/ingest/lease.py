"""A lease on a key: one worker at a time changes a document."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from functions.adapters.postgres.book_records import BookRecords
from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
from functions.ingest.embed import DATABASE_SECONDS
from functions.runtime.logs import logger

MARGIN_SECONDS = 15.0
"""A lease lasts this much longer than the work, which is cancelled before the lease ends."""

WAIT_SECONDS = 0.25


class DocumentBusy(Exception):
    """Another worker holds the document's lease. Try again later."""


@asynccontextmanager
async def lease_on(
    records: BookRecords, key: str, seconds: float, patience_s: float
) -> AsyncIterator[None]:
    """Hold the lease on a key for work of at most `seconds`.

    Raises DocumentBusy when another worker still holds it after `patience_s` seconds.
    """
    token = await _take(records, key, seconds + MARGIN_SECONDS, patience_s)
    try:
        yield
    finally:
        try:
            await records.release_lease(key, token, seconds=DATABASE_SECONDS)
        except (DatabaseUnavailable, DatabaseRejected):
            logger().warning("a lease was not released", extra={"source_path": key})


async def _take(records: BookRecords, key: str, lease_s: float, patience_s: float) -> str:
    for _ in range(max(1, round(patience_s / WAIT_SECONDS))):
        token = await records.take_lease(key, lease_s, seconds=DATABASE_SECONDS)
        if token is not None:
            return token
        await asyncio.sleep(WAIT_SECONDS)
    raise DocumentBusy("another worker has this document")
