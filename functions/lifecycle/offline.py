"""Local state for the time the database is unavailable: rate limits, signed tickets, an outbox.

The outbox queues records and deferred queries until the database can store them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from functions.adapters.aws.outbox import Kind, Message, Outbox, OutboxUnavailable
from functions.adapters.aws.secrets import secret
from functions.adapters.postgres.admission import BeginRequest, Begun
from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
from functions.adapters.postgres.deferred_records import Deferral, DeferredRecords
from functions.adapters.postgres.query_records import QueryRecord
from functions.lifecycle.circuit_breakers import Breakers
from functions.lifecycle.local_limits import LocalLimits
from functions.lifecycle.tickets import Ticket, Tickets
from functions.runtime.logs import logger
from functions.runtime.privacy.personal_data import has_personal_data, mask_all
from functions.runtime.settings import Settings

DEFER_SECONDS = 1.5
BUSY_S = 10.0
"""How long a process expects questions to be queued after one was."""
NOT_DEFERRED = frozenset({"ticket", "fresh", "session_id"})
"""Request fields that are not part of a deferred query's body."""


class Queue(Protocol):
    """The outbox: SQS, or a file of this machine. Every method raises OutboxUnavailable."""

    def load(self) -> None: ...
    async def send(self, kind: Kind, body: Mapping[str, Any]) -> None: ...
    async def waiting(self) -> int: ...
    async def receive(self) -> list[Message]: ...
    async def delete(self, message: Message) -> None: ...


def queue_of(settings: Settings) -> Queue | None:
    """The outbox that the settings name: `file:` and a path, or the address of an SQS queue."""
    url = urlsplit(settings.outbox_url)
    if url.scheme == "file":
        from functions.adapters.sqlite.outbox import FileOutbox  # not in the cloud

        return FileOutbox(Path(unquote(url.path)))
    return Outbox(settings.outbox_url, settings.outbox_endpoint) if settings.outbox_url else None


@dataclass
class LocalState:
    """The state of one process: breakers, limits and the last admission by the database.

    Without an outbox or deferred records, `queue_record` and `defer` return False. `retry_s` is the
    interval at which deferred queries are retried.
    """

    tickets: Tickets = field(default_factory=Tickets)
    outbox: Queue | None = None
    deferred: DeferredRecords | None = None
    breakers: Breakers = field(default_factory=Breakers)
    limits: LocalLimits = field(default_factory=LocalLimits)
    known: Begun = field(default_factory=lambda: Begun("run"))
    retry_s: float = 60.0
    now: Callable[[], float] = time.time
    busy_until: float = 0.0

    @classmethod
    def of(cls, settings: Settings, deferred: DeferredRecords) -> LocalState:
        """Build it from the settings. Without an outbox URL nothing is queued."""
        return cls(
            Tickets(secret(settings, "ticket_key")),
            queue_of(settings),
            deferred,
            retry_s=60 * settings.retry_minutes,
        )

    def observe(self, begun: Begun, ticket: Ticket | None = None) -> None:
        """Update local state from `Begun`: the book's fields, the breakers, and queuing."""
        self.breakers.observe(begun)
        if begun.verdict == "run":
            self.known = begun
        if begun.verdict in ("queued", "full"):
            self.busy_until = self.now() + BUSY_S
        elif begun.verdict == "run" and ticket is None:
            self.busy_until = 0.0

    def expects_admission(self, ticket: str | None) -> bool:
        """Whether a question will probably run at once: it has a ticket, or nobody was queued
        lately. A wrong guess costs only time or an unused call."""
        return ticket is not None or self.now() >= self.busy_until

    def load_outbox(self) -> None:
        """Load what queuing needs, as the database seems to be unavailable."""
        if self.outbox is not None:
            self.outbox.load()

    def begin(self, request: BeginRequest, ticket: Ticket | None) -> Begun:
        """Admit a query without the database."""
        has_ticket = ticket is not None and ticket.is_valid(self.now())
        if ticket is not None and has_ticket:
            # The ticket's id, so that the query is recorded once, whichever process answers it.
            request = replace(request, query_id=ticket.query_id)
        return self.limits.begin(request, self.known, has_ticket)

    def may_be_deferred(self, ticket: Ticket) -> bool:
        """Whether the ticket's query may still be in the outbox, unknown to the database."""
        return ticket.kind == "deferred" and ticket.is_valid(self.now())

    async def queue_record(self, record: QueryRecord, asked_at: str) -> bool:
        """Queue a record, without personal ids. Returns whether it was queued."""
        queued = replace(record, asked_at=record.asked_at or asked_at)
        return await self._send("record", queued.to_json() | self._pseudonym(record.session_id))

    async def defer(
        self,
        query_id: str,
        mode: str,
        session_id: str,
        user_id: str | None,
        request: dict[str, Any],
    ) -> bool:
        """Store the masked query for a later retry: in the database, else in the outbox. Returns
        whether it was stored."""
        body = {name: value for name, value in request.items() if name not in NOT_DEFERRED}
        deferral = Deferral(
            query_id=query_id,
            mode=mode,
            request=mask_all(body),
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
        return await self._send("deferral", deferral.to_json() | self._pseudonym(session_id))

    def _pseudonym(self, session_id: str) -> dict[str, Any]:
        """The session id as it is queued: a pseudonym of a personal one."""
        personal = has_personal_data(session_id)
        return {
            "session_id": self.tickets.pseudonym(session_id) if personal else session_id,
            "personal_session": False,
        }

    async def _send(self, kind: Kind, body: dict[str, Any]) -> bool:
        if self.outbox is None:
            return False
        try:
            await self.outbox.send(kind, body)
        except OutboxUnavailable as error:
            logger().error("outbox unavailable", error=type(error).__name__, detail=str(error))
            return False
        return True
