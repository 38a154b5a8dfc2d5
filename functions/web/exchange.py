"""One question's way through the database: begun before the work, recorded after it.

Both query routes use it. A database that is away costs the reader nothing: the question is
answered without limits, and the failure is logged.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from dataclasses import dataclass

from fastapi import Request

from functions.adapters.database import DatabaseRejected, DatabaseUnavailable
from functions.adapters.query_records import BeginRequest, Begun, QueryRecord, QueryRecords
from functions.answer.deadline import Deadline
from functions.answer.refusals import FULL, TOO_MANY
from functions.logs import logger
from functions.web.errors import ApiError
from functions.web.requests import Asked

BEGIN_SECONDS = 3.0
FINISH_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, as far as the gateway tells. The address is never taken from a header."""

    address: str | None
    idempotency_key: str | None

    @classmethod
    def of(cls, request: Request) -> Caller:
        event = request.scope.get("aws.event") or {}
        http = event.get("requestContext", {}).get("http", {})
        client = request.client.host if request.client else None
        key = request.headers.get("idempotency-key")
        return cls(http.get("sourceIp") or client, key[:200] if key else None)


async def begin(
    records: QueryRecords,
    asked: Asked,
    caller: Caller,
    mode: str,
    question_key: str,
    cache_key: str | None = None,
) -> Begun:
    """Ask for a turn. Raises ApiError when the reader must wait or the system is full."""
    request = BeginRequest(
        query_id=str(uuid.uuid4()),
        mode=mode,
        session_id=asked.session_id,
        question_hash=question_key,
        cache_key=cache_key,
        user_id=asked.user_id,
        address=caller.address,
        idempotency_key=caller.idempotency_key,
        ticket=_ticket(asked.ticket),
        fresh=asked.fresh,
    )
    try:
        begun = await records.begin(request, seconds=BEGIN_SECONDS)
    except (DatabaseUnavailable, DatabaseRejected) as error:
        logger().error("limits unavailable", error=type(error).__name__, detail=str(error))
        return Begun(verdict="run", query_id=request.query_id)
    seconds = max(1, round(begun.retry_after_s))
    if begun.verdict == "limited":
        message = TOO_MANY.format(seconds=seconds)
        raise ApiError(429, "too_many_questions", message, {"Retry-After": str(seconds)})
    if begun.verdict == "full":
        raise ApiError(503, "full", FULL, {"Retry-After": str(seconds)})
    if begun.verdict == "expired":
        raise ApiError(404, "ticket_expired", "This ticket has expired. Please ask again.")
    return begun


async def finish(records: QueryRecords, record: QueryRecord, deadline: Deadline) -> None:
    """Record a query. A failure is logged and never reaches the reader."""
    try:
        await records.finish(record, seconds=max(1.0, deadline.within(FINISH_SECONDS)))
    except (DatabaseUnavailable, DatabaseRejected) as error:
        logger().error(
            "record lost", query_id=record.query_id, error=type(error).__name__, detail=str(error)
        )


def key_of(*parts: str) -> str:
    """A hash of texts that are the same but for case, blanks and end marks."""
    folded = "\x1f".join(re.sub(r"\s+", " ", part).strip(" ?!.").casefold() for part in parts)
    return hashlib.sha256(folded.encode("utf-8", "replace")).hexdigest()


def _ticket(text: str | None) -> str | None:
    if not text:
        return None
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise ApiError(422, "invalid_request", "ticket: this is not a ticket's id") from None
