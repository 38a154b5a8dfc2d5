"""Stores deferred queries and takes them when a retry is due."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from functions.adapters.postgres.admission import BeginRequest, Begun, read_begun
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.query_records import QueryRecords
from functions.adapters.postgres.storable import as_jsonb

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferral:
    """A query to defer. `request` is its body, masked and without the reader's ids; `asked_at` is
    an ISO 8601 time."""

    query_id: str
    mode: str
    request: Json
    session_id: str
    user_id: str | None = None
    personal_session: bool = False
    asked_at: str | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Deferred:
    """A deferred query that is due. `expired`: it must not be retried again."""

    query_id: str
    mode: str
    request: Json
    expired: bool
    begun: Begun


class DeferredRecords:
    """The deferred queries of a function; each database role sees only those of its own modes.

    `seconds` is the time-out of each method; all raise DatabaseUnavailable or DatabaseRejected.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def defer(self, deferral: Deferral, *, seconds: float) -> None:
        """Store a query. Idempotent."""
        given = as_jsonb(deferral.to_json())
        await self._database.call("SELECT defer_query(%s)", (given,), seconds=seconds)

    async def take(self, calls: Sequence[str], *, seconds: float) -> Deferred | None:
        """Take the next due query; None for none. `calls` are the services it would call."""
        rows = await self._database.call(
            "SELECT take_deferred(%s) AS taken", (as_jsonb(list(calls)),), seconds=seconds
        )
        taken = rows[0]["taken"]
        if taken is None:
            return None
        return Deferred(**(taken | {"begun": read_begun(taken["begun"])}))

    async def count(self, *, seconds: float) -> int:
        """The number of deferred queries, including those not due yet."""
        rows = await self._database.call("SELECT count_deferred() AS waiting", (), seconds=seconds)
        return int(rows[0]["waiting"])


class TakenRecords(QueryRecords):
    """The records of one deferred query, which is admitted already."""

    def __init__(self, records: QueryRecords, begun: Begun) -> None:
        super().__init__(records._database)
        self._begun = begun

    async def begin(self, request: BeginRequest, *, seconds: float) -> Begun:
        return self._begun
