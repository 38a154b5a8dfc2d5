"""Admits queries and records them: one database call before an answer, one after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from functions.adapters.postgres.admission import BeginRequest, Begun, read_begun
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.storable import as_jsonb, storable_text
from functions.book.chunks.chunk import StoredChunk
from functions.runtime.privacy.personal_data import mask_all, mask_personal_data

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRecord:
    """The record of one query for FR-024 and replays; `mask_record` masks it before it is stored.

    `body` is the response as sent; the database reads the text, the claims and the citations from
    it. `parts` maps the services that were called to whether they succeeded. `reader`, else
    `user_id` and `session_id`, identify the reader of a query that was admitted locally.
    """

    query_id: str
    response_id: str
    mode: str
    session_id: str
    question: str
    status: str
    personal_session: bool = False
    question_hash: str = ""
    rewritten_question: str | None = None
    selected_text: str | None = None
    page: Json | None = None
    chapter_context: Json | None = None
    highlight: Json | None = None
    search: Json | None = None
    content_version: str = ""
    retrieved_chunk_ids: Sequence[str] = ()
    chunk_hashes: Sequence[str] = ()
    similarity_scores: Sequence[float | None] = ()
    repeated: bool = False
    cached: bool = False
    refusal_reason: str | None = None
    notices: Sequence[str] = ()
    limited_mode: bool = False
    raw_output: str | None = None
    checks: Any = None
    prompt_version: str = ""
    model_asked: str = ""
    model_returned: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    confidence: float | None = None
    response_similarity_score: float | None = None
    keyword_overlap_ratio: float | None = None
    validation_passed: bool | None = None
    latency_validation_ms: float | None = None
    response_latency_ms: float | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    body: Json | None = None
    cacheable: bool = False
    cache_key: str | None = None
    parts: Mapping[str, bool] = field(default_factory=dict)
    asked_at: str | None = None
    reader: str | None = None
    user_id: str | None = None

    @classmethod
    def of_response(cls, body: dict[str, Any], **more: Any) -> QueryRecord:
        """The record of a response as sent; `more` are the fields that it does not hold."""
        refusal, metadata = body["refusal"] or {}, body["metadata"]
        given = {
            "query_id": body["query_id"],
            "response_id": body["response_id"],
            "mode": body["mode"],
            "session_id": body["session_id"],
            "status": body["status"],
            "refusal_reason": refusal.get("reason"),
            "rewritten_question": metadata["rewritten_question"],
            "notices": [notice["code"] for notice in body["notices"]],
            "limited_mode": metadata["limited_mode"],
            "body": body,
        }
        return cls(**given | more)

    def to_json(self) -> dict[str, Any]:
        """As plain JSON, for the database or the outbox."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ErrorRecord:
    """One failure, for the operator (FR-030)."""

    error_type: str
    message: str = ""
    stack_trace: str = ""
    function: str = ""
    affected_query_id: str | None = None
    detail: Json | None = None
    request_id: str = ""
    question: str = ""
    session_id: str = ""
    personal_session: bool = False

    def masked(self) -> dict[str, Any]:
        """As plain JSON, with personal data masked in all fields but the session id."""
        masked: dict[str, Any] = mask_all(asdict(self))
        return masked | {"session_id": self.session_id}


@dataclass(frozen=True, slots=True)
class VerifiedSource:
    """The position of a selection in the book. Line numbers start at 1."""

    document_id: str
    source_path: str
    first_line: int
    last_line: int
    content_version: str


@dataclass(frozen=True, slots=True)
class FoldedDocument:
    """A document's folded text, and (number, start, length) of each block in it."""

    text: str
    blocks: tuple[tuple[int, int, int], ...]


class QueryRecords:
    """The database functions that `query`, `selected` and `analytics` may call.

    `seconds` is the time-out of each method; all raise DatabaseUnavailable or DatabaseRejected.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def close(self) -> None:
        await self._database.close()

    async def begin(self, request: BeginRequest, *, seconds: float) -> Begun:
        """Admit a query, and fetch all it needs from the database."""
        rows = await self._database.call(
            "SELECT begin_query(%s) AS begun", (as_jsonb(asdict(request)),), seconds=seconds
        )
        return read_begun(rows[0]["begun"])

    async def finish(self, record: QueryRecord, *, seconds: float) -> None:
        """Store the query and its response, and free its slot. Idempotent."""
        await self._database.call(
            "SELECT finish_query(%s)", (as_jsonb(record.to_json()),), seconds=seconds
        )

    async def ticket(self, ticket: str, *, seconds: float) -> Begun:
        """The state of a ticket: queued, run, running, done or expired. Polling keeps its place."""
        rows = await self._database.call(
            "SELECT ticket_state(%s::uuid) AS state", (ticket,), seconds=seconds
        )
        return read_begun(rows[0]["state"])

    async def verify_selection(
        self, source: Json | None, version: str | None, selection: str, *, seconds: float
    ) -> list[VerifiedSource]:
        """Find the selection in the book. `source` names a source_path or permalink, or is None."""
        rows = await self._database.call(
            "SELECT document_id::text, source_path, first_line, last_line, content_version"
            " FROM verify_selection(%s, %s, %s)",
            (
                None if source is None else as_jsonb(source),
                None if version is None else storable_text(version),
                storable_text(selection),
            ),
            seconds=seconds,
        )
        return [VerifiedSource(**row) for row in rows]

    async def folded_document(
        self, source_path: str, version: str, locale: str, *, seconds: float
    ) -> FoldedDocument | None:
        """A document's folded text; None for an unknown document. An empty version or locale
        matches any."""
        rows = await self._database.call(
            "SELECT documents.folded, array_agg(ARRAY[blocks.index, blocks.folded_start,"
            " blocks.folded_length] ORDER BY blocks.index) AS blocks"
            " FROM documents JOIN blocks ON blocks.document_id = documents.id"
            " WHERE documents.deleted_at IS NULL AND documents.source_path = %s"
            " AND %s IN ('', documents.version) AND %s IN ('', documents.locale)"
            " GROUP BY documents.id ORDER BY documents.version, documents.locale LIMIT 1",
            tuple(storable_text(text) for text in (source_path, version, locale)),
            seconds=seconds,
        )
        if not rows:
            return None
        blocks = tuple((block, start, length) for block, start, length in rows[0]["blocks"])
        return FoldedDocument(rows[0]["folded"], blocks)

    async def search_chunks(
        self, question: str, most: int, wanted: Json | None = None, *, seconds: float
    ) -> list[tuple[StoredChunk, float]]:
        """Chunks with any word of the question, best first, with their rank (not a confidence).

        `wanted` filters by version, locale, source_path, and first_block with last_block.
        """
        rows = await self._database.call(
            "SELECT body, rank FROM search_chunks(%s, %s, %s)",
            (storable_text(question), most, as_jsonb(dict(wanted or {}))),
            seconds=seconds,
        )
        return [(StoredChunk.from_payload(row["body"]), row["rank"]) for row in rows]

    async def feedback(
        self,
        response_id: str,
        session_id: str,
        user_id: str | None,
        rating: Literal["helpful", "not_helpful"],
        reason: str | None = None,
        comment: str | None = None,
        *,
        seconds: float,
    ) -> bool:
        """Store a reader's feedback on an answer, masked; it replaces earlier feedback. False for
        an unknown answer, and for one that neither the session nor the user got."""
        masked = (None if text is None else mask_personal_data(text) for text in (reason, comment))
        texts = (session_id, user_id, rating, *masked)
        rows = await self._database.call(
            "SELECT record_feedback(%s::uuid, %s, %s, %s, %s, %s) AS known",
            (response_id, *(None if text is None else storable_text(text) for text in texts)),
            seconds=seconds,
        )
        return bool(rows[0]["known"])

    async def errors(self, errors: Sequence[ErrorRecord], *, seconds: float) -> None:
        """Store failures, with personal data masked."""
        given = [error.masked() for error in errors]
        await self._database.call("SELECT record_errors(%s)", (as_jsonb(given),), seconds=seconds)
