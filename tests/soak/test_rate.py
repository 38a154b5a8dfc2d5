"""The rate limit at its real length, from several processes at once."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
import uuid
from itertools import pairwise

import pytest

from functions.adapters.postgres.admission import BeginRequest
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.query_records import QueryRecords
from tests.postgres_fixtures import BookDatabase

PROCESSES = 8
SECONDS = 130.0
BURST = 12
WINDOW = 60.0

pytestmark = pytest.mark.soak


def ask_in_bursts(dsn: str) -> list[tuple[str, int]]:
    """Ask as one reader for SECONDS: each verdict with the seconds to wait."""

    async def ask() -> list[tuple[str, int]]:
        database = Database(dsn, size=BURST)
        queries = QueryRecords(database)
        answers = []
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            burst = [
                BeginRequest(str(uuid.uuid4()), "book-wide", "one-reader") for _ in range(BURST)
            ]
            begun = await asyncio.gather(*(queries.begin(each, seconds=20) for each in burst))
            answers += [(each.verdict, each.retry_after_s) for each in begun]
            await asyncio.sleep(0.5)
        await database.close()
        return answers

    return asyncio.run(ask())


def test_never_accepts_an_eleventh_in_a_minute_and_accepts_again_as_each_expires(
    fresh_database: BookDatabase,
) -> None:
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as processes:
        dsn = fresh_database.dsn("quoth_query")
        answers = processes.map(ask_in_bursts, [dsn] * PROCESSES, chunksize=1)
    verdicts = [verdict for process in answers for verdict, _ in process]
    waits = [wait for process in answers for verdict, wait in process if verdict == "limited"]
    rows = fresh_database.run(
        "SELECT extract(epoch FROM accepted_at)::double precision FROM admissions ORDER BY 1"
    )
    accepted = [float(str(row[0])) for row in rows]
    since = [round(moment - accepted[0], 2) for moment in accepted]

    assert set(verdicts) == {"run", "limited"}
    assert verdicts.count("run") == len(accepted) == 30, since
    gaps = [later - first for first, later in zip(accepted, accepted[10:], strict=False)]
    assert min(gaps) > WINDOW
    assert max(gaps) < WINDOW + 2
    assert all(first < later for first, later in pairwise(accepted))
    assert min(waits) >= 1
    assert max(waits) <= WINDOW
