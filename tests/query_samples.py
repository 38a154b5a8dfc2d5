"""Queries and records for tests of the database."""

from __future__ import annotations

import uuid

from functions.adapters.postgres.admission import BeginRequest, Begun
from functions.adapters.postgres.query_records import QueryRecord, QueryRecords

LIMIT = 10.0
"""Seconds a call may last."""


def request_of(session: str = "session-1", mode: str = "book-wide") -> BeginRequest:
    return BeginRequest(query_id=str(uuid.uuid4()), mode=mode, session_id=session)


def record_of(request: BeginRequest, query_id: str | None = None) -> QueryRecord:
    return QueryRecord(
        query_id=query_id or request.query_id,
        response_id=str(uuid.uuid4()),
        mode=request.mode,
        session_id=request.session_id,
        question="What is a gait?",
        question_hash=request.question_hash,
        status="answered",
        body={"response": "A way of walking [1].", "empty": None},
        cache_key=request.cache_key,
        content_version="0",
    )


async def begin(queries: QueryRecords, request: BeginRequest) -> Begun:
    return await queries.begin(request, seconds=LIMIT)
