"""The simulation of admission and the database, call by call, by one simulated clock."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.postgres_fixtures import BookDatabase
from tools.scale.admission import Admission
from tools.scale.load import Limits, draw_questions
from tools.scale.queue import Place, Queue

LIMITS = Limits(12, 40, grant_lease=2.0, heartbeat=2.5, usual_seconds=2.0)
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
FUNCTIONS = r"""
SELECT replace(replace(pg_get_functiondef(oid),
    'clock_timestamp()', 'current_setting(''simulated.now'')::timestamptz'),
    ' random()', ' current_setting(''simulated.random'')::double precision')
FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosrc ~ 'clock_timestamp|\mrandom\('
"""


class _Kept(random.Random):
    """Knows what it drew last."""

    last = 0.5

    def random(self) -> float:
        self.last = super().random()
        return self.last


@dataclass
class _Mirrored(Queue):
    """Asks the database too, at the simulated moment; both must say the same."""

    draw: _Kept = field(default_factory=lambda: _Kept(1))
    database: psycopg.Connection[Any] = field(kw_only=True)
    heard: Counter[str] = field(default_factory=Counter)

    def admit(self, now: float, number: int) -> Place | bool:
        told = super().admit(now, number)
        self._compare(told, self._begin(now, number, ticket=False), no="full")
        return told

    def look(self, now: float, number: int) -> Place | None:
        told = super().look(now, number)
        if told is None or not told.turn:  # else the database gives the slot in the same call
            self._compare(told, self._ask(now, "ticket_state(%s)", UUID(int=number)))
        return told

    def grant(self, now: float, number: int) -> bool:
        told = super().grant(now, number)
        self._compare(told, self._ask(now, "ticket_state(%s)", UUID(int=number)))
        return told

    def start(self, now: float, number: int) -> bool:
        told = super().start(now, number)
        self._compare(told, self._begin(now, number, ticket=True))
        return told

    def finish(self, now: float, number: int) -> None:
        super().finish(now, number)
        own = str(UUID(int=number))
        record = {"query_id": own, "response_id": own, "mode": "book-wide", "question": "?"}
        self._ask(now, "finish_query(%s)", Jsonb(record | {"status": "answered"}))

    def _begin(self, now: float, number: int, ticket: bool) -> Any:
        own = str(UUID(int=number))
        request = {"query_id": own, "session_id": own, "mode": "book-wide"}
        return self._ask(
            now, "begin_query(%s)", Jsonb(request | ({"ticket": own} if ticket else {}))
        )

    def _ask(self, now: float, call: str, parameter: object) -> Any:
        moment = BEGAN + timedelta(seconds=now)
        self.database.execute(
            "SELECT set_config('simulated.now', %s, false),"
            " set_config('simulated.random', %s, false)",
            (moment.isoformat(), str(self.draw.last)),
        )
        row = self.database.execute(f"SELECT {call}".encode(), (parameter,)).fetchone()
        return row[0] if row else None

    def _compare(self, told: Place | bool | None, real: Any, no: str = "expired") -> None:
        self.heard[real["verdict"]] += 1
        if isinstance(told, Place):
            assert (real["verdict"], real["position"]) == ("queued", told.position)
            assert real["eta_s"] == told.eta
            assert real["poll_after_ms"] == pytest.approx(1000 * told.poll_after, abs=1)
        else:
            assert real["verdict"] == ("run" if told else no)


@pytest.fixture
def simulated_clock(fresh_database: BookDatabase) -> Iterator[psycopg.Connection[Any]]:
    """A connection whose functions take the time, and the random number, from its settings."""
    with psycopg.connect(fresh_database.dsn(), autocommit=True) as connection:
        for (definition,) in connection.execute(FUNCTIONS).fetchall():
            connection.execute(definition)
        yield connection


@pytest.mark.parametrize("takes", [(0.4, 0.4), (0.5, 1.5), (3.0, 5.0), (0.3, 6.0)])
def test_the_simulation_and_the_database_tell_each_reader_the_same(
    simulated_clock: psycopg.Connection[Any], takes: tuple[float, float]
) -> None:
    simulated_clock.execute(
        "UPDATE limit_settings SET running_cap = %(running_cap)s, system_total = %(system_total)s,"
        " usual_seconds = %(usual_seconds)s, grant_lease = %(grant_lease)s * interval '1 s',"
        " heartbeat = %(heartbeat)s * interval '1 s'",
        asdict(LIMITS),
    )
    asked = draw_questions(1.5 * LIMITS.running_cap / takes[0], 30 * takes[0], *takes, patience=12)
    queue = _Mirrored(LIMITS, database=simulated_clock)
    # Without time under the lock, looking and getting the slot are one moment, as in one call.
    told = Admission(queue, lock=0, trip=0.01).run(asked)
    assert told.asked == len(asked)
    assert queue.heard.keys() >= {"run", "queued", "full"}
    assert min(told.left, told.overtaken) > 0, "too few questions to say anything"
