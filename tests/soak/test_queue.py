"""The queue with more readers than it lets in, at a real service's pace and a fifth of its size."""

from __future__ import annotations

import asyncio
import random
import statistics
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from functions.adapters.postgres.database import Database
from functions.adapters.postgres.query_records import QueryRecords
from tests.postgres_fixtures import BookDatabase
from tests.query_samples import LIMIT, record_of, request_of

READERS, CAP, TOTAL = 150, 40, 100
SERVICE_S, SPREAD_S = 4.0, 0.8
SECONDS = 60.0
PAUSE_S = 2.0

pytestmark = pytest.mark.soak


@dataclass
class Seen:
    """What the readers saw. Times on the monotonic clock."""

    began: float
    starts: list[tuple[int, float]] = field(default_factory=list)  # number in line, start
    late_by: list[float] = field(default_factory=list)  # wait beyond the first estimate
    busy: float = 0.0
    running: int = 0
    most_running: int = 0
    full: int = 0
    answered: int = 0


async def ask(queries: QueryRecords, seen: Seen, until: float) -> None:
    request = request_of(str(uuid.uuid4()))
    begun = await queries.begin(request, seconds=LIMIT)
    if begun.verdict == "full":
        seen.full += 1
        await asyncio.sleep(PAUSE_S)
        return
    asked, told = time.monotonic(), begun.eta_s
    while begun.verdict == "queued":
        await asyncio.sleep(begun.poll_after_ms / 1000)
        state = await queries.ticket(request.query_id, seconds=LIMIT)
        if state.verdict == "run":
            state = await queries.begin(
                replace(request_of(request.session_id), ticket=request.query_id), seconds=LIMIT
            )
        begun = state
    assert begun.verdict == "run", begun
    started = time.monotonic()
    if told:
        seen.late_by.append(started - asked - told)
    seen.starts.append((await number_of(queries, request.query_id), started))
    seen.running += 1
    seen.most_running = max(seen.most_running, seen.running)
    await asyncio.sleep(random.uniform(SERVICE_S - SPREAD_S, SERVICE_S + SPREAD_S))
    seen.running -= 1
    ended = time.monotonic()
    seen.busy += max(0.0, min(ended, until) - max(started, seen.began))
    await queries.finish(record_of(request), seconds=LIMIT)
    seen.answered += 1


async def number_of(queries: QueryRecords, query_id: str) -> int:
    rows = await queries._database.call(
        "SELECT number FROM admissions WHERE query_id = %s::uuid", (query_id,), seconds=LIMIT
    )
    return int(rows[0]["number"])


async def test_nobody_is_overtaken_for_long_and_the_slots_are_used(
    fresh_database: BookDatabase, record_property: Callable[[str, object], None]
) -> None:
    fresh_database.run(f"UPDATE limit_settings SET running_cap = {CAP}, system_total = {TOTAL}")
    database = Database(fresh_database.dsn(), size=20)
    queries = QueryRecords(database)
    until = time.monotonic() + SECONDS
    seen = Seen(time.monotonic() + 2 * SERVICE_S)  # when the queue has filled

    async def read() -> None:
        await asyncio.sleep(random.uniform(0, SERVICE_S))
        while time.monotonic() < until:
            await ask(queries, seen, until)

    await asyncio.gather(*(read() for _ in range(READERS)))
    await database.close()
    used = seen.busy / (CAP * (until - seen.began))
    seen.starts.sort()
    earliest_later = float("inf")
    overtaken = []
    for _, started in reversed(seen.starts):
        overtaken.append(max(0.0, started - earliest_later))
        earliest_later = min(earliest_later, started)
    error = statistics.median(abs(each) for each in seen.late_by)
    figures = {
        "answered": seen.answered, "full": seen.full, "most_running": seen.most_running,
        "slot_use": round(used, 3), "overtaken_s": round(max(overtaken), 2),
        "estimate_error_s": round(error, 2),
    }  # fmt: skip
    record_property("queue", figures)
    assert seen.most_running <= CAP, figures
    assert seen.full > 0
    assert used >= 0.95, figures
    assert max(overtaken) <= 5, figures
    assert error <= 1, figures
