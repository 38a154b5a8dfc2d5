"""Answers a recorded query again, on the text it was answered from."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import dict_row

import functions.query.app
import functions.selected.app
from functions.adapters.openai.embeddings import Embeddings, EmbeddingsUnavailable
from functions.adapters.postgres.admission import BeginRequest, Begun, PreviousQuestion
from functions.adapters.postgres.query_records import QueryRecord, QueryRecords, VerifiedSource
from functions.adapters.qdrant.chunk_search import (
    ChunkSearch,
    Hit,
    SearchResult,
    SearchUnavailable,
)
from functions.answer.rewriter import Rewritten
from functions.book.chunks.chunk import StoredChunk
from functions.lifecycle.begin_finish import Caller
from functions.lifecycle.offline import LocalState
from functions.query.requests import QueryRequest
from functions.runtime.plural import plural
from functions.runtime.settings import Settings
from functions.selected.requests import SelectedRequest
from functions.web.responses import QueryResponse
from quoth.replay.recorded import (
    CONNECT_SECONDS,
    FLAGGED_ABOVE,
    BookChange,
    NotRecorded,
    RecordedQuery,
    diff_answers,
    diff_chunk,
    variance,
)

EMBED_SECONDS = 30.0
NOW = "SELECT body FROM chunks WHERE document_id = ANY(%s::uuid[]) ORDER BY document_id, ordinal"


@dataclass(frozen=True, slots=True)
class Replayed:
    """A query's two answers. `variance` is between their embeddings, 0 when they are the same."""

    query_id: str
    question: str
    recorded: str
    replayed: str
    status: tuple[str, str]
    variance: float
    diff: tuple[str, ...]
    changes: tuple[BookChange, ...]

    @property
    def is_identical(self) -> bool:
        return self.recorded == self.replayed and self.status[0] == self.status[1]

    @property
    def is_flagged(self) -> bool:
        return self.variance > FLAGGED_ABOVE or self.status[0] != self.status[1]


class Replays:
    """Replays over one database. `settings` are those of the function `query`: they name the
    database, the embeddings, and the model, if one is to write again."""

    def __init__(self, settings: Settings, dsn: str) -> None:
        self._settings = settings
        self._dsn = dsn
        self._book = functions.query.app.build_answers(settings)
        self._selection = functions.selected.app.build_answers(settings)

    async def close(self) -> None:
        await self._book.close()
        await self._selection.close()

    async def replay(self, query: RecordedQuery) -> Replayed:
        """Run a query again. Raises NotRecorded when its text is no longer kept."""
        recorded_hits(query)
        response = await self._answer(query)
        then, now = query.generated_response, response.response
        return Replayed(
            query_id=query.query_id,
            question=query.question,
            recorded=then,
            replayed=now,
            status=(query.status, response.status),
            variance=0.0 if then == now else await self._variance(then, now),
            diff=diff_answers(then, now),
            changes=tuple(self._changes(query)),
        )

    async def _answer(self, query: RecordedQuery) -> QueryResponse:
        asked = {
            "question": query.question,
            "session_id": query.session_id or "replay",
            "mode": query.mode,
            "selected_text": query.selected_text,
            "fresh": True,
        }
        caller = Caller(None, None)
        if query.mode == "selected-text":
            records = ReplayRecords(query, self._selection.records, None)
            answers = dataclasses.replace(
                self._selection, records=records, local_state=LocalState()
            )
            return await answers.answer(SelectedRequest.model_validate(asked), caller)
        book = dataclasses.replace(
            self._book,
            records=ReplayRecords(query, self._book.records, self._calibration()),
            embeddings=RecordedEmbeddings(query),
            search=RecordedSearch(query),
            rewriter=RecordedRewriter(query),
            local_state=LocalState(),
        )
        places = {
            "page": query.page,
            "chapter_context": query.chapter_context,
            "highlight": query.highlight,
        }
        return await book.answer(QueryRequest.model_validate(asked | places), caller)

    def _calibration(self) -> Mapping[str, Any] | None:
        rows = self._read("SELECT calibration FROM index_state", ())
        return rows[0]["calibration"] if rows else None

    async def _variance(self, then: str, now: str) -> float:
        embeddings: Embeddings = self._selection.embeddings
        left, right = await embeddings.embed([then, now], EMBED_SECONDS)
        return variance(left, right)

    def _changes(self, query: RecordedQuery) -> list[BookChange]:
        """What changed in the chunks that the answer was based on."""
        used = set(query.retrieved_chunk_ids)
        then = [StoredChunk.from_payload(b) for hit, b in recorded_hits(query) if hit["id"] in used]
        rows = self._read(NOW, (sorted({chunk.document_id for chunk in then}),))
        now: dict[str, list[Sequence[str]]] = {}
        for row in rows:
            chunk = StoredChunk.from_payload(row["body"])
            now.setdefault(chunk.document_id, []).append(_sentences(chunk))
        found = (
            diff_chunk(chunk.source_path, _sentences(chunk), now.get(chunk.document_id, []))
            for chunk in then
        )
        return [change for change in found if change is not None]

    def _read(self, statement: str, parameters: tuple[Any, ...]) -> list[dict[str, Any]]:
        with psycopg.connect(
            self._dsn,
            connect_timeout=CONNECT_SECONDS,
            prepare_threshold=None,
            row_factory=dict_row,
        ) as connection:
            return connection.execute(statement.encode(), parameters).fetchall()


def _sentences(chunk: StoredChunk) -> list[str]:
    return [sentence.text for part in chunk.parts for sentence in part.sentences]


class RecordedSearch(ChunkSearch):
    """Returns the recorded hits and scores."""

    def __init__(self, query: RecordedQuery) -> None:
        super().__init__("http://127.0.0.1", None, "recorded", timeout_s=1.0)
        self._query_record = query

    async def search(self, *args: Any, **more: Any) -> SearchResult:
        return self._found()

    async def keyword_search(self, *args: Any, **more: Any) -> SearchResult:
        return self._found()

    async def absent_words(self, *args: Any, **more: Any) -> frozenset[str]:
        return frozenset((self._query_record.search or {}).get("absent", ()))

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
    """A vector for the question, which is not used, or the recorded failure."""

    def __init__(self, query: RecordedQuery) -> None:
        super().__init__("http://127.0.0.1", "none", "recorded", 1)
        self._by = (query.search or {}).get("by")

    async def embed(self, texts: Sequence[str], timeout_s: float) -> list[list[float]]:
        if self._by != "meaning":
            raise EmbeddingsUnavailable("the embeddings were away then")
        return [[1.0] for _ in texts]


@dataclass(frozen=True)
class RecordedRewriter:
    """Reads a follow-up question as it was read then."""

    query: RecordedQuery

    async def rewrite(self, question: str, *_: object) -> Rewritten:
        return Rewritten(self.query.rewritten_question or question, self.query.about or "")


class ReplayRecords(QueryRecords):
    """Admits the query as recorded, and keeps its record instead of storing it.

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
        previous = self._query_record.previous
        return Begun(
            verdict="run",
            query_id=request.query_id,
            content_version=self._query_record.content_version,
            calibration=self._calibration,
            budget="open" if self._query_record.model_asked else "quotes",
            previous=PreviousQuestion(**previous) if previous else None,
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
    """Each hit with its chunk's body. Raises NotRecorded when one is no longer kept."""
    hits = (query.search or {}).get("hits", [])
    missing = [hit["id"] for hit in hits if hit["id"] not in query.chunks]
    if missing:
        raise NotRecorded(
            f"{query.query_id} found {plural(len(hits), 'chunk')}; {len(missing)} no longer kept."
        )
    return [(hit, query.chunks[hit["id"]]) for hit in hits]
