"""Admits a question before it is answered, and records it afterwards.

Both query routes use it. While the database is unavailable, `LocalState` admits questions and
queues their records.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, TypeVar

from functions.adapters.postgres.admission import BeginRequest, Begun, LimitOf
from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
from functions.adapters.postgres.query_records import QueryRecord, QueryRecords
from functions.answer.context import Mode
from functions.answer.deadline import Deadline
from functions.answer.moderation.misconduct import Misconduct
from functions.lifecycle.circuit_breakers import Part, PartCalls
from functions.lifecycle.not_served import NotServed, Reason
from functions.lifecycle.offline import LocalState
from functions.lifecycle.redact import mask_record
from functions.lifecycle.tickets import InvalidTicket, Ticket, Tickets
from functions.runtime.logs import logger
from functions.runtime.metrics import count_query
from functions.runtime.networks import Network
from functions.runtime.privacy.personal_data import has_personal_data, mask_personal_data
from functions.runtime.trace import note_query

BEGIN_SECONDS = 2.0
SLOW_BEGIN_SECONDS = 1.0
"""After so long the outbox will probably be needed: it loads while the database is waited for."""
FINISH_SECONDS = 2.0
LEAST_FINISH_SECONDS = 1.0
"""Past the deadline; then a record is queued."""
LIMITS: dict[LimitOf, Reason] = {
    "reader": "too_many_questions",
    "network": "network_too_many_questions",
    "new_readers": "network_too_many_readers",
}

S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Caller:
    """The client of a request. `network` comes from the gateway's event, never from a header;
    `user_id` is the keyed hash of a user whom the site vouches for."""

    network: Network | None = None
    idempotency_key: str | None = None
    user_id: str | None = None


class Asked(Protocol):
    """A request of either query route."""

    question: str
    session_id: str
    ticket: str | None
    fresh: bool

    @property
    def answered_mode(self) -> Mode: ...

    def model_dump(self, *, mode: str, exclude_none: bool) -> dict[str, Any]: ...


async def begin(
    records: QueryRecords,
    local_state: LocalState,
    asked: Asked,
    caller: Caller,
    question_key: str,
    cache_key: str | None = None,
    calls: tuple[Part, ...] = (),
) -> Begun:
    """Admit a question, or queue it. Raises NotServed for an exceeded limit, a full system and an
    invalid ticket."""
    ticket = read_ticket(local_state.tickets, asked.ticket)
    attempt = str(uuid.uuid4())
    key = caller.idempotency_key
    again = (asked.session_id, asked.answered_mode, key, question_key) if key else ()
    request = BeginRequest(
        # Of a request that is made again the same, whether or not the database is there.
        query_id=local_state.tickets.stable_id(*again) if again else attempt,
        attempt=attempt,
        mode=asked.answered_mode,
        session_id=asked.session_id,
        question_hash=question_key,
        cache_key=cache_key,
        user_id=caller.user_id,
        network=caller.network.name if caller.network else None,
        network_readers=caller.network.readers if caller.network else None,
        idempotency_key=key,
        ticket=ticket.query_id if ticket else None,
        fresh=asked.fresh,
        personal_session=has_personal_data(asked.session_id),
        calls=calls,
    )
    loading = asyncio.get_running_loop().call_later(SLOW_BEGIN_SECONDS, local_state.load_outbox)
    try:
        begun = await records.begin(request, seconds=BEGIN_SECONDS)
    except (DatabaseUnavailable, DatabaseRejected) as error:
        logger().error("limits unavailable", error=type(error).__name__, detail=str(error))
        begun = local_state.begin(request, ticket)
    else:
        local_state.observe(begun, ticket)
        is_expired = begun.verdict == "expired"
        if is_expired and ticket is not None and local_state.may_be_deferred(ticket):
            begun = Begun("deferred", query_id=ticket.query_id)
    finally:
        loading.cancel()
    note_query(begun.query_id)
    _check_verdict(begun)
    return begun


def _check_verdict(begun: Begun) -> None:
    seconds = max(1, round(begun.retry_after_s))
    if begun.verdict == "limited":
        raise NotServed(LIMITS[begun.limit_of], seconds, {"most": begun.most})
    if begun.verdict == "full":
        raise NotServed("full", seconds)
    if begun.verdict == "expired":
        raise NotServed("ticket_expired")


async def begin_concurrently(
    admission: Coroutine[Any, Any, Begun],
    embed: Callable[[], Coroutine[Any, Any, T]],
    moderate: Callable[[], Coroutine[Any, Any, Misconduct | None]],
    calls: PartCalls,
    *,
    likely: bool = True,
) -> tuple[Begun, T | None, Misconduct | None]:
    """Embed and moderate a question during its admission; after it, unless it is `likely` to run.

    Work that admission made pointless is cancelled: embedding while that service is unavailable,
    everything for a question that does not run.
    """
    may_start = asyncio.Event()
    if likely:
        may_start.set()

    async def when_allowed(work: Callable[[], Coroutine[Any, Any, S]]) -> S:
        await may_start.wait()
        return await work()

    vector = asyncio.create_task(when_allowed(embed))
    objection = asyncio.create_task(when_allowed(moderate))
    try:
        begun = calls.begun = await admission
        if begun.verdict != "run":
            return begun, None, None
        may_start.set()
        if not begun.admitted_locally and not calls.allows("embeddings"):
            vector.cancel()
            return begun, None, await objection
        return begun, await vector, await objection
    finally:
        vector.cancel()
        objection.cancel()
        await asyncio.gather(vector, objection, return_exceptions=True)


async def finish(
    records: QueryRecords, local_state: LocalState, record: QueryRecord, deadline: Deadline
) -> None:
    """Store the masked record of a query in the database, else in the outbox. Never raises."""
    ms, steps = record.response_latency_ms, record.timings
    count_query(record.mode, record.status, ms, record.cost_usd, steps)
    record = mask_record(record)
    admitted_locally = local_state.limits.end(record.query_id)
    asked_at = datetime.now(UTC) - timedelta(milliseconds=record.response_latency_ms or 0)
    # The database was unavailable at admission; do not wait for it a second time.
    if admitted_locally and await local_state.queue_record(record, asked_at.isoformat()):
        return
    seconds = max(LEAST_FINISH_SECONDS, deadline.within(FINISH_SECONDS))
    try:
        await records.finish(record, seconds=seconds)
    except (DatabaseUnavailable, DatabaseRejected) as error:
        if not admitted_locally and await local_state.queue_record(record, asked_at.isoformat()):
            return
        logger().error(
            "record lost", query_id=record.query_id, error=type(error).__name__, detail=str(error)
        )


def read_ticket(tickets: Tickets, text: str | None) -> Ticket | None:
    """The ticket of a request, if it has one. Raises NotServed for an invalid one."""
    if not text:
        return None
    try:
        return tickets.read(text)
    except InvalidTicket as error:
        raise NotServed("ticket_expired" if error.forged else "invalid_ticket") from None


def key_of(*parts: str) -> str:
    """A hash of texts that ignores case, white space, final punctuation and personal data.

    Personal data is masked first, so a phone number cannot be recovered by hashing candidates.
    """
    folded = "\x1f".join(
        re.sub(r"\s+", " ", mask_personal_data(part)).strip(" ?!.").casefold() for part in parts
    )
    return hashlib.sha256(folded.encode("utf-8", "replace")).hexdigest()
