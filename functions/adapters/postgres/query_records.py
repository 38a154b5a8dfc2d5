"""What the database is told of a query and what it answers: two calls a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from functions.adapters.postgres.database import Database
from functions.adapters.postgres.storable import as_jsonb, storable_text
from functions.book.chunks.chunk import StoredChunk
from functions.runtime.privacy.personal_data import has_personal_data, mask_all, mask_personal_data

Json = Mapping[str, Any]
Verdict = Literal[
    "run", "limited", "queued", "full", "done", "running", "deferred", "expired"
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class BeginRequest:
    """A query that wants to start. Ids are UUIDs as text; `address` is the reader's IP address.

    The reader is the `user_id`, else the session, else the address; only a keyed hash is stored. Of
    a `personal_session` (an id with personal data in it) as well. `calls` are the outside parts
    that the query calls if it may.
    """

    query_id: str
    mode: str
    session_id: str
    question_hash: str = ""
    cache_key: str | None = None
    user_id: str | None = None
    address: str | None = None
    idempotency_key: str | None = None
    ticket: str | None = None
    fresh: bool = False
    personal_session: bool = False
    calls: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Begun:
    """What a query may do now.

    `run`: go on, and finish under `query_id` (the ticket's, when a ticket was used). `limited` and
    `full`: try again in `retry_after_s`. `queued`: `ticket`, `position`, `eta_s`, `poll_after_ms`.
    `done`: the finished response. `running`: the same request is being answered. `deferred`: it
    waits for a part. `expired`: the ticket is no good any more. From `content_version` on, fields
    are filled for `run` only. `parts` holds the outside parts not to be called, with the seconds
    left. `alone`: the database was away, and this function decided by itself.
    """

    verdict: Verdict
    reader: str = ""
    query_id: str = ""
    accepted_at: str | None = None
    retry_after_s: int = 0
    ticket: str | None = None
    position: int = 0
    eta_s: int = 0
    poll_after_ms: int = 0
    done: Json | None = None
    content_version: str = ""
    calibration: Json | None = None
    embedding_model: str = ""
    dimensions: int = 0
    budget: Literal["open", "smaller", "quotes"] = "open"
    parts: Mapping[str, float] = field(default_factory=dict)
    cached: Json | None = None
    previous_question: str | None = None
    repeated: bool = False
    admitted_locally: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRecord:
    """Everything kept of one query: what FR-024 and a replay need. Texts already masked.

    `body` is the response as sent; the database takes the text, the claims and the citations from
    it. `parts` says which outside parts worked. `reader`, else
    `user_id`, `session_id` and `address`, are used only when the query never began in the database;
    the last three are not stored in the clear, save the session.
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
    similarity_scores: Sequence[float] = ()
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
    address: str | None = None

    @classmethod
    def of_response(cls, body: dict[str, Any], **more: Any) -> QueryRecord:
        """The record of a response as sent; `more` are fields that it does not hold."""
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
            "body": body,
        }
        return cls(**given | more)

    def to_json(self) -> dict[str, Any]:
        """As plain JSON, for the database or a queue."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ErrorRecord:
    """One failure, for whoever looks after the system (FR-030). The question is stored masked."""

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
        """As plain JSON, without personal data save the session's id."""
        masked: dict[str, Any] = mask_all(asdict(self))
        return masked | {"session_id": self.session_id}


@dataclass(frozen=True, slots=True)
class VerifiedSource:
    """Where a selection stands in the book. Lines count from 1."""

    document_id: str
    source_path: str
    first_line: int
    last_line: int
    content_version: str


@dataclass(frozen=True, slots=True)
class FoldedDocument:
    """A document's folded text, and (number, start in it, length) of each of its blocks."""

    text: str
    blocks: tuple[tuple[int, int, int], ...]


class QueryRecords:
    """The functions of the database that `query`, `selected` and `analytics` may call.

    Every method takes the seconds it may last, and raises DatabaseUnavailable or DatabaseRejected.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def close(self) -> None:
        await self._database.close()

    async def begin(self, request: BeginRequest, *, seconds: float) -> Begun:
        """Ask whether the query may run, and fetch all it needs from the database to do so."""
        rows = await self._database.call(
            "SELECT begin_query(%s) AS begun", (as_jsonb(asdict(request)),), seconds=seconds
        )
        return read_begun(rows[0]["begun"])

    async def finish(self, record: QueryRecord, *, seconds: float) -> None:
        """Store the query and its response, and free its slot. Repeating it changes nothing."""
        await self._database.call(
            "SELECT finish_query(%s)", (as_jsonb(record.to_json()),), seconds=seconds
        )

    async def ticket(self, ticket: str, *, seconds: float) -> Begun:
        """The state of a ticket: queued, run, running, done or expired. Asking keeps its place."""
        rows = await self._database.call(
            "SELECT ticket_state(%s::uuid) AS state", (ticket,), seconds=seconds
        )
        return read_begun(rows[0]["state"])

    async def verify_selection(
        self, source: Json | None, version: str | None, selection: str, *, seconds: float
    ) -> list[VerifiedSource]:
        """Where the selection stands. `source` names a source_path or permalink, or is None."""
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
        """One document, to find a text in; None when there is none. An empty version or locale
        asks nothing."""
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

        `wanted` may name version, locale, source_path, and first_block with last_block.
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
        rating: Literal["helpful", "not_helpful"],
        reason: str | None = None,
        comment: str | None = None,
        *,
        seconds: float,
    ) -> bool:
        """Store a reader's verdict on an answer, masked; a later one replaces it. False: unknown
        answer."""
        said = (None if text is None else mask_personal_data(text) for text in (reason, comment))
        texts = (session_id, rating, *said)
        rows = await self._database.call(
            "SELECT record_feedback(%s::uuid, %s, %s, %s, %s, %s) AS known",
            (
                response_id,
                *(None if text is None else storable_text(text) for text in texts),
                has_personal_data(session_id),
            ),
            seconds=seconds,
        )
        return bool(rows[0]["known"])

    async def errors(self, errors: Sequence[ErrorRecord], *, seconds: float) -> None:
        """Store failures, personal data masked."""
        given = [error.masked() for error in errors]
        await self._database.call("SELECT record_errors(%s)", (as_jsonb(given),), seconds=seconds)


_BEGUN_FIELDS = frozenset(each.name for each in fields(Begun))


def read_begun(answer: Json) -> Begun:
    """What the database said of a query, without what this version does not know."""
    return Begun(**{key: value for key, value in answer.items() if key in _BEGUN_FIELDS})
