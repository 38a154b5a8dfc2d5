"""In place of the database: an evaluation of the index must not fall back to it unseen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from functions.adapters.postgres.database import DatabaseUnavailable
from functions.book.chunks.chunk import StoredChunk


class NoFallback:
    """A keyword store that cannot be reached."""

    async def search_chunks(
        self, question: str, most: int, wanted: Mapping[str, Any] | None = None, *, seconds: float
    ) -> list[tuple[StoredChunk, float]]:
        raise DatabaseUnavailable("an evaluation searches the index only")
