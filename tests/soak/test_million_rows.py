"""The figures over a million queries, on one connection of the function's own role, without
parallel plans: the processor time is what a quiet machine's clock would show, and is bounded."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest

from functions.adapters.postgres.analytics_reviews import Wanted, read_review_list
from functions.adapters.postgres.database import Database
from functions.analytics.metrics.chapter_detection import read_chapters
from functions.analytics.metrics.coverage import read_coverage
from functions.analytics.metrics.period import Period
from functions.analytics.metrics.roi import read_roi
from functions.analytics.metrics.summary import read_summary
from functions.analytics.metrics.validation import read_validation
from tests.postgres_fixtures import BookDatabase
from tests.soak.million_rows import fill, processor_seconds

QUERIES = 1_000_000
COLD_S, CACHED_S = 3.0, 0.3
ZONE = "Europe/Berlin"

pytestmark = pytest.mark.soak


async def seconds_of(work: Callable[[], Awaitable[object]], pid: int) -> tuple[float, float]:
    """By the clock, and of the database's processor."""
    started, used = time.perf_counter(), processor_seconds(pid)
    await work()
    return time.perf_counter() - started, processor_seconds(pid) - used


def plan_of(database: BookDatabase, function: str) -> list[str]:
    """How the statement inside a function runs for a day in the middle."""
    ((source,),) = database.run("SELECT prosrc FROM pg_proc WHERE proname = %s", (function,))
    statement = re.sub(r"\bzone\b", f"'{ZONE}'::text", str(source))
    statement = re.sub(
        r"\bmeasured\b", "date_trunc('week', current_date - 40)::date", statement
    ).rstrip("; \n")
    plan = database.run(f"EXPLAIN (ANALYZE, COSTS OFF, BUFFERS OFF, TIMING OFF) {statement}")
    return [f"    {row[0]}" for row in plan]


async def test_the_summary_of_a_million_queries_is_there_at_once(
    module_database: BookDatabase, connect: Callable[..., Database]
) -> None:
    fill(module_database, QUERIES)
    module_database.run(
        f'ALTER DATABASE "{module_database.name}" SET max_parallel_workers_per_gather = 0'
    )
    database = connect(module_database.dsn("quoth_analytics"))
    period = Period.of_last_days(88, datetime.now(UTC).date() + timedelta(days=1), ZONE)
    month = Period.of_last_days(30, datetime.now(UTC).date(), ZONE)
    whole = {
        "summary, nothing kept": lambda: read_summary(database, period),
        "summary, kept": lambda: read_summary(database, period),
        "returns": lambda: read_roi(database, month),
        "validation": lambda: read_validation(database, period),
        "chapters": lambda: read_chapters(database, period),
        "coverage of a month": lambda: read_coverage(database, month),
        "coverage of 88 days": lambda: read_coverage(database, period),
        "review list": lambda: read_review_list(database, period),
        "review list, drawn by lot": lambda: read_review_list(
            database, period, Wanted(order="sample")
        ),
    }
    (row,) = await database.call("SELECT pg_backend_pid() AS pid", (), seconds=5)
    taken = {name: await seconds_of(work, row["pid"]) for name, work in whole.items()}
    lines = [f"load {os.getloadavg()[0]:.1f} {'':18}  clock  processor"]
    lines += [f"{name:<28}{c * 1000:7.0f}{p * 1000:9.0f} ms" for name, (c, p) in taken.items()]
    for function in ("measure_day", "measure_week"):
        lines += [function, *plan_of(module_database, function)]
    sys.stdout.write("\n".join(["", *lines, ""]))
    summary = await read_summary(database, period)
    assert summary.queries == QUERIES
    used = {name: processor for name, (_, processor) in taken.items()}
    assert used.pop("summary, kept") < CACHED_S
    assert max(used.values()) < COLD_S, used
