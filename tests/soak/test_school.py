"""A school at real speed: 300 pupils of one network within a minute, from several processes."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import statistics
import time
import uuid
from collections import Counter
from functools import partial

import pytest

from functions.adapters.postgres.admission import BeginRequest
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.query_records import QueryRecords
from functions.runtime.networks import network_of
from tests.postgres_fixtures import BookDatabase
from tests.query_samples import record_of

PROCESSES = 4
PUPILS = 300
MINUTE = 60.0
SCHOOL = "203.0.113.0/24"
ONE_READER = 150

pytestmark = pytest.mark.soak

Told = list[tuple[str, str, float]]
"""Verdict, whose limit, and the milliseconds it took."""


async def ask(queries: QueryRecords, address: str, networks: str, session: str) -> Told:
    """One question, which is answered at once."""
    network = network_of(address, networks)
    request = BeginRequest(
        str(uuid.uuid4()), "book-wide", session,
        network=network.name, network_readers=network.readers,
    )  # fmt: skip
    started = time.perf_counter()
    begun = await queries.begin(request, seconds=20)
    took = 1000 * (time.perf_counter() - started)
    if begun.verdict == "run":
        await queries.finish(record_of(request), seconds=20)
    return [(begun.verdict, begun.limit_of, took)]


def lesson(dsn: str, networks: str, pupils: range) -> Told:
    """Each pupil asks three times within a minute."""

    async def learn(queries: QueryRecords, pupil: int) -> Told:
        lot, session, told = random.Random(pupil), str(uuid.uuid4()), []
        for _ in range(3):
            await asyncio.sleep(lot.uniform(0, MINUTE / 3))
            told += await ask(queries, f"203.0.113.{1 + pupil % 4}", networks, session)
        return told

    async def run() -> Told:
        database = Database(dsn, size=4)
        told = await asyncio.gather(*(learn(QueryRecords(database), each) for each in pupils))
        await database.close()
        return [each for pupil in told for each in pupil]

    return asyncio.run(run())


def in_processes(dsn: str, networks: str) -> Told:
    shares = [range(n, PUPILS, PROCESSES) for n in range(PROCESSES)]
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as processes:
        told = processes.map(partial(lesson, dsn, networks), shares, chunksize=1)
    return [each for share in told for each in share]


@pytest.fixture
def shipped(fresh_database: BookDatabase) -> BookDatabase:
    """A database with the limits as they ship."""
    fresh_database.run("UPDATE limit_settings SET network_readers = DEFAULT")
    return fresh_database


@pytest.mark.parametrize("readers", [PUPILS, None])
def test_300_pupils_of_a_network_ask_three_times_in_a_minute(
    shipped: BookDatabase,
    record_property: pytest.RecordProperty,
    readers: int | None,
) -> None:
    networks = f"{SCHOOL}={readers}" if readers else ""
    told = in_processes(shipped.dsn("quoth_query"), networks)
    counts = Counter((verdict, limit) for verdict, limit, _ in told)
    times = sorted(ms for _, _, ms in told)
    record_property(
        "shares",
        f"budget {readers}: {dict(counts)}, begin p50 {statistics.median(times):.0f} ms,"
        f" p95 {times[len(times) * 95 // 100]:.0f} ms",
    )
    if readers:
        assert counts == {("run", "reader"): 3 * PUPILS}
    else:
        # Four addresses without a budget: ten of each may begin.
        assert {limit for verdict, limit in counts if verdict == "limited"} == {"new_readers"}
        sessions = shipped.run("SELECT count(DISTINCT session_id) FROM queries")
        assert sessions == [(40,)]


async def test_one_reader_who_changes_address_and_session_within_a_64_begins_ten_times(
    shipped: BookDatabase,
) -> None:
    database = Database(shipped.dsn("quoth_query"), size=8)
    queries = QueryRecords(database)
    told = await asyncio.gather(
        *(ask(queries, f"2001:db8:1:2::{n:x}", "", str(uuid.uuid4())) for n in range(ONE_READER))
    )
    await database.close()
    counts = Counter((verdict, limit) for ((verdict, limit, _),) in told)
    assert counts == {("run", "reader"): 10, ("limited", "new_readers"): ONE_READER - 10}
