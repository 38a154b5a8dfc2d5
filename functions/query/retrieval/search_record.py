"""What is recorded of a search: enough to find the same again without the index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from functions.adapters.qdrant.chunk_search import SearchResult
from functions.book.chunks.chunk import StoredChunk


def record_of_search(
    result: SearchResult, absent: frozenset[str], boost: float | None
) -> dict[str, Any]:
    """The hits of the index as they came, with every score. `absent`: the question's rare words
    that the book lacks; `boost`: the mean factor on hits that the reader's place raised."""
    return {
        # Without a dense search there is no vector: words alone were compared.
        "by": "words" if result.top_dense is None else "meaning",
        "top_dense": result.top_dense,
        "top_bm25": result.top_bm25,
        "absent": sorted(absent),
        "chapter": result.chapter_id,
        "boost": boost,
        "hits": [
            {
                "id": hit.chunk_id,
                "hash": hit.payload["hash"],
                "score": hit.score,
                "dense": hit.dense_score,
                "bm25": hit.bm25_score,
                "passages": hit.passages,
            }
            for hit in result.hits
        ],
    }


def record_of_rows(
    rows: Sequence[tuple[StoredChunk, float]], boost: float | None
) -> dict[str, Any]:
    """The same of a search in the database."""
    return {
        "by": "database",
        "top_dense": None,
        "top_bm25": None,
        "boost": boost,
        "hits": [
            {"id": chunk.chunk_id, "hash": chunk.hash, "score": rank, "dense": None, "bm25": None}
            for chunk, rank in rows
        ],
    }
