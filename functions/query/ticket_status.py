"""Reads the state of a queued or deferred question for `GET /tickets/{id}`."""

from __future__ import annotations

from pydantic import BaseModel

from functions.adapters.postgres.admission import Begun
from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
from functions.adapters.postgres.query_records import QueryRecords
from functions.answer.refusals import UNAVAILABLE
from functions.lifecycle.answer_question import POLL_MS
from functions.lifecycle.begin_finish import read_ticket
from functions.lifecycle.not_served import NotServed
from functions.lifecycle.offline import LocalState
from functions.lifecycle.tickets import Ticket
from functions.runtime.plural import plural
from functions.web.errors import ApiError
from functions.web.responses import QueryResponse
from functions.web.sentences import QUEUED

TICKET_SECONDS = 2.5
RETRY_AFTER_S = {"queued": 5, "deferred": 30}
"""While the database is unavailable. A place in the queue is lost unless it is polled."""


class TicketResponse(BaseModel):
    """The state of a waiting question: queued, run (send it again), done, expired.

    A deferred question is queued without a position.
    """

    status: str
    position: int = 0
    eta_s: float = 0
    poll_after_ms: int = 0
    sentence: str = ""
    answer: QueryResponse | None = None


async def read_ticket_state(
    records: QueryRecords, local_state: LocalState, ticket_id: str
) -> TicketResponse:
    """The state of a ticket. Raises NotServed for an invalid ticket and while the database is
    unavailable, ApiError for an empty id."""
    try:
        ticket = read_ticket(local_state.tickets, ticket_id)
    except NotServed as error:
        if error.reason != "ticket_expired":
            raise
        return TicketResponse(status="expired")
    if ticket is None:
        raise ApiError(404, "not_found", "There is nothing at this address.")
    try:
        state = await records.ticket(ticket.query_id, seconds=TICKET_SECONDS)
    except (DatabaseUnavailable, DatabaseRejected) as error:
        raise NotServed("queue_unavailable", RETRY_AFTER_S[ticket.kind]) from error
    return _response_of(state, ticket, local_state)


def _response_of(state: Begun, ticket: Ticket, local_state: LocalState) -> TicketResponse:
    # The query may still be in the outbox, unknown to the database.
    is_in_outbox = state.verdict == "expired" and local_state.may_be_deferred(ticket)
    if state.verdict == "deferred" or is_in_outbox:
        return TicketResponse(
            status="queued", eta_s=local_state.retry_s, poll_after_ms=POLL_MS, sentence=UNAVAILABLE
        )
    queued = QUEUED.format(position=state.position, wait=plural(state.eta_s, "second"))
    return TicketResponse(
        status="queued" if state.verdict == "running" else state.verdict,
        position=state.position,
        eta_s=state.eta_s,
        poll_after_ms=state.poll_after_ms or 1000,
        sentence=queued if state.verdict == "queued" else "",
        answer=QueryResponse.model_validate(state.done) if state.done else None,
    )
