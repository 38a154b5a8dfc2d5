"""What a reader gets when nothing can answer: the sentence, and a ticket for the answer."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import cast

from functions.adapters.postgres.deferred_records import Deferred
from functions.adapters.postgres.query_records import Begun, QueryRecord
from functions.answer.context import Mode
from functions.answer.refusals import QUEUED, UNAVAILABLE
from functions.lifecycle.build_response import queued_response
from functions.lifecycle.offline import Standby
from functions.web.errors import ApiError
from functions.web.fields import Asked
from functions.web.responses import QueryResponse, RefusalBody, TicketBody

POLL_MS = 10_000
UNKEPT_RETRY_S = 30


@dataclass
class NothingCanAnswer(Exception):
    """Every way to an answer is closed. `begun` is what the database said, if it was asked."""

    begun: Begun | None = None


async def defer(standby: Standby, asked: Asked, mode: Mode, begun: Begun) -> QueryResponse:
    """Keep the query for a retry. ApiError when it can be kept nowhere."""
    query_id = begun.query_id
    standby.limits.end(query_id)
    request = asked.model_dump(mode="json", exclude_none=True)
    if not await standby.defer(query_id, mode, asked.session_id, asked.user_id, request):
        raise ApiError(503, "unavailable", UNAVAILABLE, {"Retry-After": str(UNKEPT_RETRY_S)})
    return deferred_response(standby, query_id, mode, asked.session_id)


def waiting_response(
    standby: Standby, begun: Begun, mode: Mode, session_id: str, response_id: str
) -> QueryResponse:
    """For who must wait: a place in the queue, or for a part to come back."""
    if begun.verdict == "deferred":
        return deferred_response(standby, begun.query_id, mode, session_id)
    ticket = standby.tickets.sign(begun.ticket or begun.query_id, "queued", standby.now())
    sentence = QUEUED.format(position=begun.position, eta_s=begun.eta_s)
    return queued_response(begun, mode, session_id, response_id, sentence, ticket)


def deferred_response(
    standby: Standby, query_id: str, mode: Mode, session_id: str
) -> QueryResponse:
    """The sentence and the ticket."""
    return QueryResponse(
        query_id=query_id,
        response_id=str(uuid.uuid4()),
        status="deferred",
        mode=mode,
        response=UNAVAILABLE,
        ticket=TicketBody(
            id=standby.tickets.sign(query_id, "deferred", standby.now()),
            position=0,
            eta_s=standby.retry_s,
            poll_after_ms=POLL_MS,
        ),
        session_id=session_id,
    )


def give_up(deferred: Deferred) -> QueryRecord:
    """The record of a query whose time is over: under its ticket stands the sentence for good."""
    request = deferred.request
    response = QueryResponse(
        query_id=deferred.query_id,
        response_id=str(uuid.uuid4()),
        status="refused",
        mode=cast(Mode, deferred.mode),
        response=UNAVAILABLE,
        refusal=RefusalBody(reason="unavailable"),
        session_id=str(request.get("session_id", "")),
    )
    return QueryRecord(
        query_id=response.query_id,
        response_id=response.response_id,
        mode=response.mode,
        session_id=response.session_id,
        question=str(request.get("question", "")),
        status=response.status,
        refusal_reason="unavailable",
        generated_response=response.response,
        body=response.model_dump(mode="json"),
    )
