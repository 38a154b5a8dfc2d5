"""What stands in for the outside parts in a replay: the index and the database as recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from functions.adapters.openai.embeddings import Embeddings, EmbeddingsUnavailable
from functions.adapters.postgres.query_records import (
    BeginRequest,
    Begun,
    QueryRecord,
    QueryRecords,
    VerifiedSource,
)
from functions.adapters.qdrant.chunk_search import (
    ChunkSearch,
    Hit,
    SearchResult,
    SearchUnavailable,
)
from functions.book.chunks.chunk import StoredChunk
from quoth.replay.recorded import NotRecorded, RecordedQuery


class RecordedSearch(ChunkSearch):
    """Finds what the query found then, with the scores of then."""

    def __init__(self, query: RecordedQuery) -> None:
        super().__init__("http://127.0.0.1", None, "recorded", timeout_s=1.0)
        self._query_record = query

    async def search(self, *args: Any, **more: Any) -> SearchResult:
        return self._found()

    async def keyword_search(self, *args: Any, **more: Any) -> SearchResult:
        return self._found()

    def _found(self) -> SearchResult:
        search = self._query_record.search or {}
        if search.get("by") == "database":
            raise SearchUnavailable("the index was away then")
        hits = tuple(
            Hit(
                chunk_id=hit["id"],
                score=hit["score"],
                dense_score=hit["dense"],
                bm25_score=hit["bm25"],
                payload=body,
                passages=tuple((start, cosine) for start, cosine in hit.get("passages", ())),
            )
            for hit, body in recorded_hits(self._query_record)
        )
        return SearchResult(
            hits, search.get("top_dense"), search.get("top_bm25"), search.get("chapter")
        )


class RecordedEmbeddings(Embeddings):
    """A vector for the question, which nothing looks at, or the failure of then."""

    def __init__(self, query: RecordedQuery) -> None:
        super().__init__("http://127.0.0.1", "none", "recorded", 1)
        self._by = (query.search or {}).get("by")

    async def embed(self, texts: Sequence[str], timeout_s: float) -> list[list[float]]:
        if self._by != "meaning":
            raise EmbeddingsUnavailable("the embeddings were away then")
        return [[1.0] for _ in texts]


class ReplayRecords(QueryRecords):
    """Lets the query run as it ran, and keeps its record instead of storing it.

    Everything else (the book's outline, say) is read from the database as it is now.
    """

    def __init__(
        self, query: RecordedQuery, live: QueryRecords, calibration: Mapping[str, Any] | None
    ) -> None:
        super().__init__(live._database)
        self._query_record = query
        self._calibration = calibration
        self.record: QueryRecord | None = None

    async def begin(self, request: BeginRequest, *, seconds: float) -> Begun:
        return Begun(
            verdict="run",
            query_id=request.query_id,
            content_version=self._query_record.content_version,
            calibration=self._calibration,
            budget="open" if self._query_record.model_asked else "quotes",
            previous_question=self._query_record.previous_question,
        )

    async def finish(self, record: QueryRecord, *, seconds: float) -> None:
        self.record = record

    async def verify_selection(self, *args: Any, **more: Any) -> list[VerifiedSource]:
        return []  # where a selection stands changes nothing of its answer

    async def search_chunks(self, *args: Any, **more: Any) -> list[tuple[StoredChunk, float]]:
        return [
            (StoredChunk.from_payload(body), hit["score"])
            for hit, body in recorded_hits(self._query_record)
        ]


def recorded_hits(query: RecordedQuery) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each hit with its chunk's body. Raises NotRecorded when one is kept no longer."""
    hits = (query.search or {}).get("hits", [])
    missing = [hit["id"] for hit in hits if hit["id"] not in query.chunks]
    if missing:
        raise NotRecorded(
            f"{len(missing)} of the {len(hits)} chunks that {query.query_id} found are kept no "
            "longer."
        )
    return [(hit, query.chunks[hit["id"]]) for hit in hits]
