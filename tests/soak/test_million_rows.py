"""The figures over a million queries, on one connection of the function's own role."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from functions.adapters.database import Database
from functions.analytics.chapter_figures import read_chapters
from functions.analytics.coverage import read_coverage
from functions.analytics.period import Period
from functions.analytics.review_list import Wanted, read_review_list
from functions.analytics.roi import read_roi
from functions.analytics.summary import read_summary
from functions.analytics.validation import read_validation
from tests.postgres_fixtures import BookDatabase
from tests.soak.million_rows import fill

QUERIES = 1_000_000
COLD_S, CACHED_S = 3.0, 0.3
ZONE = "Europe/Berlin"

pytestmark = pytest.mark.soak


def processor_seconds(pid: int) -> float:
    """What a process of this machine has used."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def seconds_of(work: Callable[[], Awaitable[object]], pid: int) -> tuple[float, float]:
    """By the clock, and of the database's processor."""
    started, used = time.perf_counter(), processor_seconds(pid)
    await work()
    return time.perf_counter() - started, processor_seconds(pid) - used


async def test_the_summary_of_a_million_queries_is_there_at_once(
    module_database: BookDatabase, connect: Callable[..., Database]
) -> None:
    fill(module_database, QUERIES)
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
    for statement in (
        f"SELECT * FROM measure_day('{ZONE}', current_date - 40)",
        "SELECT * FROM measure_week(date_trunc('week', current_date - 40)::date)",
        f"SELECT sum(queries) FROM figure_days WHERE time_zone = '{ZONE}' AND day > '2000-01-01'",
    ):
        lines.append(statement)
        plan = module_database.run(f"EXPLAIN (ANALYZE, COSTS OFF, BUFFERS OFF) {statement}")
        lines += [f"    {row[0]}" for row in plan]
    sys.stdout.write("\n".join(["", *lines, ""]))
    summary = await read_summary(database, period)
    assert summary.queries == QUERIES
    assert taken["summary, kept"][0] < CACHED_S
    assert taken["summary, nothing kept"][0] < COLD_S
