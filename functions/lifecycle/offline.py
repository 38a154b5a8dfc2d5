"""What a function does by itself while the database is away: limits in memory, tickets that hold on
their own word, records and deferred queries into the queue."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from functions.adapters.aws.outbox import Kind, Outbox, OutboxUnavailable
from functions.adapters.aws.secrets import secret
from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
from functions.adapters.postgres.deferred_records import Deferral, DeferredRecords
from functions.adapters.postgres.query_records import BeginRequest, Begun, QueryRecord
from functions.lifecycle.circuit_breakers import Breakers
from functions.lifecycle.local_limits import LocalLimits
from functions.lifecycle.tickets import Ticket, Tickets
from functions.runtime.logs import logger
from functions.runtime.privacy.personal_data import has_personal_data, mask_all
from functions.runtime.settings import Settings

DEFER_SECONDS = 3.0
BUSY_S = 10.0
"""How long a process takes the next question to be queued as well, after one was."""
NOT_KEPT = frozenset({"ticket", "user_id", "fresh", "session_id"})
"""Fields of a request that a deferred query does not carry as they came."""


@dataclass
class LocalState:
    """One a process. Without an outbox or deferred records less is kept, and it says so.

    `retry_s` is how often what waits for a part to come back is tried again.
    """

    tickets: Tickets = field(default_factory=Tickets)
    outbox: Outbox | None = None
    deferred: DeferredRecords | None = None
    breakers: Breakers = field(default_factory=Breakers)
    limits: LocalLimits = field(default_factory=LocalLimits)
    known: Begun = field(default_factory=lambda: Begun("run"))
    retry_s: float = 60.0
    now: Callable[[], float] = time.time
    busy_until: float = 0.0

    @classmethod
    def of(cls, settings: Settings, deferred: DeferredRecords) -> LocalState:
        """What the settings give; without a queue nothing is kept while the database is away."""
        outbox = Outbox(settings.outbox_url, settings.outbox_endpoint)
        return cls(
            Tickets(secret(settings, "ticket_key")),
            outbox if settings.outbox_url else None,
            deferred,
            retry_s=60 * settings.retry_minutes,
        )

    def observe(self, begun: Begun, ticket: Ticket | None = None) -> None:
        """Remember what the database said of the book, the parts and the crowd."""
        self.breakers.observe(begun)
        if begun.verdict == "run":
            self.known = begun
        if begun.verdict in ("queued", "full"):
            self.busy_until = self.now() + BUSY_S
        elif begun.verdict == "run" and ticket is None:
            self.busy_until = 0.0

    def expects_admission(self, ticket: str | None) -> bool:
        """Whether a question will run at once, by what is known here: its turn has come, or nobody
        had to wait lately. A wrong guess costs time or a call in vain, and nothing else."""
        return ticket is not None or self.now() >= self.busy_until

    def begin(self, request: BeginRequest, ticket: Ticket | None) -> Begun:
        """Decide alone."""
        holds = ticket is not None and ticket.is_valid(self.now())
        if ticket is not None and holds:
            # What is recorded of it later is recorded once, whoever answered it.
            request = replace(request, query_id=ticket.query_id)
        elif request.idempotency_key:
            said = (
                request.session_id,
                request.mode,
                request.idempotency_key,
                request.question_hash,
            )
            request = replace(request, query_id=self.tickets.stable_id(*said))
        return self.limits.begin(request, self.known, holds)

    def may_be_deferred(self, ticket: Ticket) -> bool:
        """Whether its query may still lie in the queue, where the database does not know of it."""
        return ticket.kind == "deferred" and ticket.is_valid(self.now())

    async def queue_record(self, record: QueryRecord, asked_at: str) -> bool:
        """Put a record into the queue, without an id of the host page in it. Whether it is kept."""
        late = replace(record, asked_at=record.asked_at or asked_at, address=None)
        names = self._names_of(record.session_id, record.user_id)
        return await self._send("record", late.to_json() | names)

    async def defer(
        self,
        query_id: str,
        mode: str,
        session_id: str,
        user_id: str | None,
        request: dict[str, Any],
    ) -> bool:
        """Keep a query that nothing can answer, masked: in the database, else in the queue."""
        kept = {name: value for name, value in request.items() if name not in NOT_KEPT}
        deferral = Deferral(
            query_id=query_id,
            mode=mode,
            request=mask_all(kept),
            session_id=session_id,
            user_id=user_id,
            personal_session=has_personal_data(session_id),
            asked_at=datetime.fromtimestamp(self.now(), UTC).isoformat(),
        )
        if self.deferred is not None:
            try:
                await self.deferred.defer(deferral, seconds=DEFER_SECONDS)
            except (DatabaseUnavailable, DatabaseRejected) as error:
                logger().error("query not deferred in the database", error=type(error).__name__)
            else:
                await self._send("look", {})
                return True
        names = self._names_of(session_id, user_id)
        return await self._send("deferral", deferral.to_json() | names)

    def _names_of(self, session_id: str, user_id: str | None) -> dict[str, Any]:
        """Who asked, fit for a queue: the database makes a keyed hash of it in the end."""
        personal = has_personal_data(session_id)
        return {
            "session_id": self.tickets.pseudonym(session_id) if personal else session_id,
            "user_id": self.tickets.pseudonym(user_id) if user_id else None,
            "personal_session": False,
        }

    async def _send(self, kind: Kind, body: dict[str, Any]) -> bool:
        if self.outbox is None:
            return False
        try:
            await self.outbox.send(kind, body)
        except OutboxUnavailable as error:
            logger().error("the queue is away", error=type(error).__name__, detail=str(error))
            return False
        return True
