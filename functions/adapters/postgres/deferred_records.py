"""Queries that wait in the database for a part to come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from functions.adapters.postgres.database import Database
from functions.adapters.postgres.query_records import BeginRequest, Begun, QueryRecords, read_begun
from functions.adapters.postgres.storable import as_jsonb

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferral:
    """A query to keep. `request` is its body with personal data masked, and without the ids of who
    asks: of these the database keeps what it keeps of every query. `asked_at` is an ISO time."""

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
    """A kept query whose turn has come. `expired`: it is not to be tried any more."""

    query_id: str
    mode: str
    request: Json
    expired: bool
    begun: Begun


class DeferredRecords:
    """Each role reaches the queries of its own modes only. Every method takes the seconds it may
    last, and raises DatabaseUnavailable or DatabaseRejected."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def defer(self, deferral: Deferral, *, seconds: float) -> None:
        """Keep a query. Repeating it changes nothing."""
        given = as_jsonb(deferral.to_json())
        await self._database.call("SELECT defer_query(%s)", (given,), seconds=seconds)

    async def take(self, calls: Sequence[str], *, seconds: float) -> Deferred | None:
        """The next one to try, None when none is due. `calls` are the parts that it would call."""
        rows = await self._database.call(
            "SELECT take_deferred(%s) AS taken", (as_jsonb(list(calls)),), seconds=seconds
        )
        taken = rows[0]["taken"]
        if taken is None:
            return None
        return Deferred(**(taken | {"begun": read_begun(taken["begun"])}))

    async def count(self, *, seconds: float) -> int:
        """How many wait, those not yet due counted."""
        rows = await self._database.call("SELECT count_deferred() AS waiting", (), seconds=seconds)
        return int(rows[0]["waiting"])


class TakenRecords(QueryRecords):
    """The records of one deferred query: it has begun already, and asks for no turn."""

    def __init__(self, records: QueryRecords, begun: Begun) -> None:
        super().__init__(records._database)
        self._begun = begun

    async def begin(self, request: BeginRequest, *, seconds: float) -> Begun:
        return self._begun
