"""What a reader in the queue is told to wait, and who may pass."""

from __future__ import annotations

import heapq
import random
import statistics

import pytest

from functions.adapters.postgres.query_records import QueryRecords
from tests.postgres_fixtures import BookDatabase
from tests.query_samples import LIMIT, begin, request_of


def test_the_estimate_knows_how_long_the_running_have_run_and_is_not_deceived_by_a_burst(
    fresh_database: BookDatabase,
) -> None:
    fresh_database.run("UPDATE limit_settings SET running_cap = 4")
    done = (
        "INSERT INTO admissions"
        " (query_id, reader, mode, status, accepted_at, started_at, finished_at)"
        " SELECT gen_random_uuid(), n::text, 'book-wide', 'done', at, at,"
        " at + took * interval '1 s'"
        " FROM (SELECT n, clock_timestamp() - %s * interval '1 s' AS at,"
        " CASE WHEN n %% 4 < %s THEN 0.2 ELSE 10 END AS took"
        " FROM generate_series(1, 60) AS n) AS those"
    )
    fresh_database.run(done, (3600, 1))  # a quarter is refused at once
    fresh_database.run(done, (1, 4))  # of the last second, only refusals have ended yet
    fresh_database.run(
        "INSERT INTO admissions"
        " (query_id, reader, mode, status, accepted_at, started_at, lease_until)"
        " SELECT gen_random_uuid(), n::text, 'book-wide', 'running', at, at, at + interval '40 s'"
        " FROM (SELECT n, clock_timestamp() - n * interval '2 s' AS at"
        " FROM generate_series(1, 4) AS n) AS these"
    )
    waits = fresh_database.run(
        "SELECT wait_at(place, limit_settings) FROM limit_settings, unnest(ARRAY[1, 3, 8]) AS place"
    )
    # The oldest has run for 8 s of 10. A quarter of those let in are refused at once, so four slots
    # that end let in five: three have ended for the third, six for the eighth.
    for (found,), expected in zip(waits, (2, 6, 14), strict=True):
        assert abs(found - expected) < 1


def test_the_estimate_is_what_many_bursts_come_to_in_the_middle(
    fresh_database: BookDatabase,
) -> None:
    draw = random.Random(5)
    took = [0.2 if draw.random() < 0.25 else draw.lognormvariate(2.0, 0.25) for _ in range(100)]
    ages = [draw.uniform(0.5, 4.0) for _ in range(100)]
    fresh_database.run("UPDATE limit_settings SET running_cap = 100")
    fresh_database.run(
        "INSERT INTO admissions"
        " (query_id, reader, mode, status, accepted_at, started_at, finished_at)"
        " SELECT gen_random_uuid(), '', 'book-wide', 'done', at, at, at + seconds * interval '1 s'"
        " FROM unnest(%s) AS seconds, (SELECT clock_timestamp() - interval '1 h' AS at) AS moment",
        (took,),
    )
    fresh_database.run(
        "INSERT INTO admissions"
        " (query_id, reader, mode, status, accepted_at, started_at, lease_until)"
        " SELECT gen_random_uuid(), '', 'book-wide', 'running', at, at, at + interval '40 s'"
        " FROM (SELECT clock_timestamp() - age * interval '1 s' AS at FROM unnest(%s) AS age)",
        (ages,),
    )
    places = [1, 20, 80, 150]
    waits = fresh_database.run(
        "SELECT wait_at(place, limit_settings) FROM limit_settings, unnest(%s) AS place", (places,)
    )
    bursts = [_burst(draw, took, ages, max(places)) for _ in range(50)]
    for place, (told,) in zip(places, waits, strict=True):
        found = statistics.median(burst[place - 1] for burst in bursts)
        assert abs(told - found) < 0.5


def _burst(draw: random.Random, took: list[float], ages: list[float], places: int) -> list[float]:
    """When each in the queue gets a slot, if all take as long as somebody took before."""
    ends = [draw.choice([seconds for seconds in took if seconds > age]) - age for age in ages]
    heapq.heapify(ends)
    starts = []
    for _ in range(places):
        starts.append(ends[0])
        heapq.heapreplace(ends, ends[0] + draw.choice(took))
    return starts


@pytest.mark.parametrize(("run_for_s", "verdict"), [(59.5, "run"), (20, "queued")])
async def test_a_free_slot_goes_to_who_asks_first_if_those_before_need_not_wait_long(
    queries: QueryRecords, fresh_database: BookDatabase, run_for_s: float, verdict: str
) -> None:
    fresh_database.run("UPDATE limit_settings SET running_cap = 10, usual_seconds = 60")
    running, waiting = [[request_of(f"{kind}{n}") for n in range(10)] for kind in "rw"]
    for request in [*running, *waiting[:3]]:
        await begin(queries, request)
    fresh_database.run(
        "UPDATE admissions SET started_at = clock_timestamp() - %s * interval '1 s',"
        " lease_until = clock_timestamp() + interval '40 s' WHERE status = 'running'",
        (run_for_s,),
    )
    fresh_database.run("UPDATE slot_forecast SET made_at = '2000-01-01'")
    fresh_database.run(
        "UPDATE admissions SET status = 'expired' WHERE query_id = %s::uuid", (running[0].query_id,)
    )
    third = await queries.ticket(waiting[2].query_id, seconds=LIMIT)
    assert third.verdict == verdict
    if verdict == "queued":
        first = await queries.ticket(waiting[0].query_id, seconds=LIMIT)
        assert first.verdict == "run"
