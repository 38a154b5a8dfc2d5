"""Who may ask now: the rate limit, idempotency, the queue."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import time
import uuid
from dataclasses import replace
from itertools import pairwise

import pytest

from functions.adapters.postgres.query_records import QueryRecords
from quoth.postgres.embedded import Server
from tests.postgres_fixtures import BookDatabase
from tests.query_samples import LIMIT, begin, record_of, request_of


async def test_accepts_ten_questions_a_minute_and_says_when_the_next_may_come(
    queries: QueryRecords,
) -> None:
    answers = [await begin(queries, request_of()) for _ in range(12)]
    assert [answer.verdict for answer in answers] == ["run"] * 10 + ["limited"] * 2
    assert all(50 < answer.retry_after_s <= 60 for answer in answers[10:])
    assert (await begin(queries, request_of("session-2"))).verdict == "run"


async def test_accepts_ten_of_many_questions_at_once(queries: QueryRecords) -> None:
    answers = await asyncio.gather(*(begin(queries, request_of()) for _ in range(40)))
    assert [answer.verdict for answer in answers].count("run") == 10


async def test_never_accepts_more_in_any_window_and_accepts_again_as_each_expires(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    fresh_database.run("UPDATE limit_settings SET rate_window = '1 second', rate_limit = 3")

    async def ask_on() -> None:
        for _ in range(50):
            await begin(queries, request_of())
            await asyncio.sleep(0.06)

    await asyncio.gather(*(ask_on() for _ in range(3)))
    rows = fresh_database.run(
        "SELECT extract(epoch FROM accepted_at)::double precision FROM admissions ORDER BY 1"
    )
    accepted = [float(str(row[0])) for row in rows]
    assert len(accepted) >= 9
    assert all(fourth - first >= 1.0 for first, fourth in zip(accepted, accepted[3:], strict=False))
    counted = fresh_database.run("SELECT accepted FROM reader_windows")[0][0]
    kept = fresh_database.run("SELECT accepted_at FROM admissions ORDER BY number DESC LIMIT 1")
    assert isinstance(counted, list)
    assert counted[-1] == kept[0][0]


async def test_counts_on_over_the_end_of_a_week_although_the_reader_gets_a_new_name(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    # A window longer than a week puts this moment near the week's start.
    fresh_database.run("UPDATE limit_settings SET rate_window = '8 days', rate_limit = 3")
    fresh_database.run(
        "INSERT INTO salts VALUES (date_trunc('week', now() AT TIME ZONE 'UTC')::date - 7, %s)",
        (bytes(32),),
    )
    fresh_database.run(
        "INSERT INTO reader_windows VALUES"
        " (name_reader(%s, NULL, 'session-1', NULL), ARRAY[now() - interval '2 hours'])",
        (bytes(32),),
    )
    verdicts = [(await begin(queries, request_of())).verdict for _ in range(4)]
    assert verdicts == ["run", "run", "limited", "limited"]


async def test_counts_the_sites_user_over_all_sessions_and_not_for_the_network(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    fresh_database.run("UPDATE limit_settings SET network_readers = 1")
    here = replace(request_of("somebody"), network="203.0.113.9")
    assert (await begin(queries, here)).verdict == "run"
    verdicts = [
        (await begin(queries, replace(request_of(f"s-{n}"), user_id="lea", network="203.0.113.9")))
        for n in range(11)
    ]
    assert [each.verdict for each in verdicts] == ["run"] * 10 + ["limited"]
    assert (verdicts[10].limit_of, verdicts[10].most) == ("reader", 10)


async def test_limits_a_network_by_its_new_readers_and_by_its_questions_and_keeps_its_hash(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    fresh_database.run("UPDATE limit_settings SET rate_limit = 2, network_readers = 2")

    async def told(session: str, network: str | None, readers: int | None = None) -> str:
        request = replace(request_of(session), network=network, network_readers=readers)
        begun = await begin(queries, request)
        return begun.limit_of if begun.verdict == "limited" else begun.verdict

    here, there = "203.0.113.9", "203.0.113.10"
    asked = [await told(session, here) for session in ("a", "b", "c", "c", "a", "a", "b")]
    assert asked == ["run", "run", "new_readers", "new_readers", "run", "reader", "run"]
    # Who was refused for the network has lost no turn, and other networks are not concerned.
    assert [await told("c", there) for _ in range(3)] == ["run", "run", "reader"]
    assert [await told("d", None), await told("d", None)] == ["run", "run"]
    assert await told("e", here) == "network"
    # An institution may bring more. Nobody's refusal was counted for the network.
    assert [await told("e", here, 3), await told("e", here, 3)] == ["run", "run"]
    assert await told("f", here, 3) == "network"
    assert await told("f", here, 4) == "run"
    windows = dict(fresh_database.run("SELECT network, counts FROM network_windows"))
    counted = {name: sum(counts) for name, counts in windows.items()}  # type: ignore[arg-type]
    assert sorted(n for name, n in counted.items() if " new" not in str(name)) == [2, 7]
    assert sorted(n for name, n in counted.items() if " new" in str(name)) == [1, 4]
    assert all(re.fullmatch("[0-9a-f]{32}( new)?", str(name)) for name in windows)
    assert "203.0.113" not in str(fresh_database.run("SELECT admissions::text FROM admissions"))


async def test_a_network_never_gets_more_in_a_window_and_as_many_again_in_the_next(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    fresh_database.run("UPDATE limit_settings SET rate_window = '1 second', network_readers = 3")
    here = "203.0.113.9"
    told = []
    for n in range(60):
        begun = await begin(queries, replace(request_of(f"s{n}"), network=here))
        told.append(begun.retry_after_s)
        await asyncio.sleep(0.05)
    rows = fresh_database.run(
        "SELECT extract(epoch FROM accepted_at)::double precision FROM admissions ORDER BY 1"
    )
    accepted = [float(str(row[0])) for row in rows]
    assert len(accepted) >= 6
    assert all(fourth - first >= 1.0 for first, fourth in zip(accepted, accepted[3:], strict=False))
    assert told[:3] == [0, 0, 0]
    assert set(told) - {0} <= {1, 2}


async def test_a_reader_is_new_again_after_an_hour_and_not_before(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    fresh_database.run("UPDATE limit_settings SET network_readers = 1")
    older = "UPDATE reader_windows SET accepted = ARRAY[now() - %s::interval] WHERE reader = %s"
    here = replace(request_of(), network="203.0.113.9")
    known = await begin(queries, here)
    assert (await begin(queries, replace(request_of("b"), network="203.0.113.9"))).verdict == (
        "limited"
    )
    for ago, verdict in (("59 minutes", "run"), ("61 minutes", "limited")):
        fresh_database.run(older, (ago, known.reader))
        begun = await begin(queries, replace(request_of(), network="203.0.113.9"))
        assert begun.verdict == verdict, ago


async def test_a_full_system_takes_no_turn_of_the_network(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    fresh_database.run("UPDATE limit_settings SET system_total = 0")
    begun = await begin(queries, replace(request_of(), network="203.0.113.9"))
    assert begun.verdict == "full"
    rows = fresh_database.run("SELECT cardinality(accepted) FROM reader_windows")
    assert rows == [(0,)]
    assert fresh_database.run("SELECT counts FROM network_windows") == [([0],), ([0],)]


async def test_the_limits_that_ship(postgres_server: Server, fresh_database: BookDatabase) -> None:
    rows = fresh_database.run(
        "SELECT column_name::text, column_default FROM information_schema.columns"
        " WHERE table_name = 'limit_settings'"
        " AND column_name IN ('rate_limit', 'network_readers', 'running_cap', 'system_total')"
    )
    assert dict(rows) == {
        "rate_limit": "10", "network_readers": "10", "running_cap": "200", "system_total": "500"
    }  # fmt: skip


@pytest.mark.parametrize("length", [0, 1, 32, 63, 64, 65, 200])
def test_the_keyed_hash_is_the_standard_one(module_database: BookDatabase, length: int) -> None:
    key = bytes(range(length))
    rows = module_database.run("SELECT hmac_sha256(%s, %s)", (key, b"message"))
    assert rows == [(hmac.new(key, b"message", hashlib.sha256).digest(),)]


async def test_a_call_repeated_after_a_lost_reply_counts_once(queries: QueryRecords) -> None:
    request = request_of()
    first = await begin(queries, request)
    assert await begin(queries, request) == first
    verdicts = [(await begin(queries, request_of())).verdict for _ in range(10)]
    assert verdicts == ["run"] * 9 + ["limited"]


async def test_an_idempotency_key_runs_once_and_returns_the_finished_response(
    queries: QueryRecords,
) -> None:
    first, second = (replace(request_of(), idempotency_key="key-1") for _ in range(2))
    verdicts = [
        answer.verdict
        for answer in await asyncio.gather(begin(queries, first), begin(queries, second))
    ]
    assert sorted(verdicts) == ["run", "running"]
    ran = first if verdicts[0] == "run" else second
    await queries.finish(record_of(ran), seconds=LIMIT)
    again = await begin(queries, replace(request_of(), idempotency_key="key-1"))
    assert (again.verdict, again.done) == ("done", record_of(ran).body)
    other = await begin(queries, replace(request_of("session-2"), idempotency_key="key-1"))
    assert other.verdict == "run"


async def test_a_request_made_again_runs_once_however_its_call_is_repeated(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    request = replace(request_of(), idempotency_key="key-1")
    tries = [replace(request, attempt=str(uuid.uuid4())) for _ in range(3)]
    assert [(await begin(queries, each)).verdict for each in tries[:2]] == ["run", "running"]
    assert (await begin(queries, tries[0])).verdict == "run"
    fresh_database.run("UPDATE admissions SET lease_until = now() - interval '1 second'")
    again = await begin(queries, tries[2])
    assert again.verdict == "run"
    assert again.query_id != request.query_id
    assert await begin(queries, tries[2]) == again
    await queries.finish(replace(record_of(request), query_id=again.query_id), seconds=LIMIT)
    done = await begin(queries, tries[1])
    assert (done.verdict, done.query_id) == ("done", again.query_id)


async def test_an_idempotency_key_used_for_another_question_is_another_request(
    queries: QueryRecords,
) -> None:
    first = replace(request_of(), idempotency_key="key-1", question_hash="gait")
    assert (await begin(queries, first)).verdict == "run"
    await queries.finish(record_of(first), seconds=LIMIT)
    other = replace(request_of(), idempotency_key="key-1", question_hash="grasp")
    assert (await begin(queries, other)).verdict == "run"


async def test_queues_refuses_and_frees_places_in_order(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    fresh_database.run("UPDATE limit_settings SET running_cap = 2, system_total = 4")
    requests = [request_of(str(n)) for n in range(5)]
    begun = [await begin(queries, request) for request in requests]
    assert [each.verdict for each in begun] == ["run", "run", "queued", "queued", "full"]
    assert [each.position for each in begun[2:4]] == [1, 2]
    assert all(each.eta_s >= 1 and 500 <= each.poll_after_ms <= 3000 for each in begun[2:4])
    assert [each.ticket for each in begun[2:4]] == [each.query_id for each in requests[2:4]]
    assert fresh_database.run("SELECT count(*) FROM admissions") == [(4,)]
    assert fresh_database.run(
        "SELECT cardinality(accepted) FROM reader_windows WHERE reader = %s", (begun[4].reader,)
    ) == [(0,)]

    await queries.finish(record_of(requests[0]), seconds=LIMIT)
    assert (await queries.ticket(requests[3].query_id, seconds=LIMIT)).verdict == "queued"
    assert (await queries.ticket(requests[2].query_id, seconds=LIMIT)).verdict == "run"
    runs = replace(request_of("2"), ticket=requests[2].query_id)
    started = await begin(queries, runs)
    assert (started.verdict, started.query_id) == ("run", requests[2].query_id)
    assert (await begin(queries, runs)).verdict == "running"
    await queries.finish(record_of(runs, started.query_id), seconds=LIMIT)
    done = await queries.ticket(requests[2].query_id, seconds=LIMIT)
    assert (done.verdict, done.done) == ("done", record_of(runs).body)


async def test_frees_the_slot_of_a_function_that_died_and_the_place_of_a_reader_who_left(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    fresh_database.run("UPDATE limit_settings SET running_cap = 1, system_total = 2")
    first, second, third = (request_of(str(n)) for n in range(3))
    verdicts = [(await begin(queries, each)).verdict for each in (first, second, third)]
    assert verdicts == ["run", "queued", "full"]
    fresh_database.run(
        "UPDATE admissions SET lease_until = lease_until - running_lease,"
        " seen_until = seen_until - heartbeat FROM limit_settings"
    )
    assert (await begin(queries, third)).verdict == "run"
    assert (await queries.ticket(second.query_id, seconds=LIMIT)).verdict == "expired"
    assert fresh_database.run("SELECT status FROM admissions ORDER BY number") == [
        ("expired",),
        ("abandoned",),
        ("running",),
    ]


async def test_keeps_the_caps_with_many_readers_at_once(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    fresh_database.run("UPDATE limit_settings SET running_cap = 5, system_total = 20")
    waiting = [request_of(str(n)) for n in range(40)]
    begun = await asyncio.gather(*(begin(queries, each) for each in waiting))
    verdicts = [each.verdict for each in begun]
    assert {name: verdicts.count(name) for name in set(verdicts)} == (
        {"run": 5, "queued": 15, "full": 20}
    )
    order = []
    for each in begun:
        if each.verdict == "run":
            await queries.finish(record_of(request_of(), each.query_id), seconds=LIMIT)
    while tickets := [each.query_id for each in begun if each.verdict == "queued"]:
        states = await asyncio.gather(*(queries.ticket(t, seconds=LIMIT) for t in tickets))
        running = fresh_database.run(
            "SELECT count(*) FROM admissions WHERE status IN ('granted', 'running')"
        )
        assert 0 < int(str(running[0][0])) <= 5
        granted = [state.query_id for state in states if state.verdict == "run"]
        order.extend(granted)
        begun = [each for each in begun if each.query_id not in granted]
        for ticket in granted:
            await queries.finish(record_of(request_of(), ticket), seconds=LIMIT)
    assert len(order) == 15


async def test_a_newcomer_never_overtakes_who_waits_and_the_estimate_is_the_time_of_the_last_ones(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    fresh_database.run("UPDATE limit_settings SET running_cap = 1, usual_seconds = 7")
    running, waiting, newcomer = (request_of(str(n)) for n in range(3))
    asked = time.monotonic()
    assert (await begin(queries, running)).verdict == "run"
    first = await begin(queries, waiting)
    left = 7 - (time.monotonic() - asked)  # should the machine take its time
    assert (first.position, round(left) <= first.eta_s <= 7) == (1, True)
    assert first.poll_after_ms > 270 * left
    since = time.monotonic()
    fresh_database.run(
        "UPDATE admissions SET started_at = clock_timestamp() - interval '20 seconds'"
        " WHERE status = 'running'"
    )
    await queries.finish(record_of(running), seconds=LIMIT)
    took = 20 + time.monotonic() - since
    second = await begin(queries, newcomer)  # a slot is free, and not for it
    assert (second.verdict, second.position) == ("queued", 2)
    # The other one takes the slot now, and as long as the last.
    assert 19 <= second.eta_s <= took + 1
    assert 2400 <= second.poll_after_ms <= 3000
    assert (await queries.ticket(newcomer.query_id, seconds=LIMIT)).verdict == "queued"
    assert (await queries.ticket(waiting.query_id, seconds=LIMIT)).verdict == "run"


async def test_says_expired_for_a_ticket_nobody_gave(queries: QueryRecords) -> None:
    unknown = str(uuid.uuid4())
    assert (await queries.ticket(unknown, seconds=LIMIT)).verdict == "expired"
    assert (await begin(queries, replace(request_of(), ticket=unknown))).verdict == "expired"


def test_windows_in_the_settings_fit_each_other(module_database: BookDatabase) -> None:
    row = module_database.run(
        "SELECT grant_lease, heartbeat, running_lease, rate_window FROM limit_settings"
    )[0]
    assert all(shorter < longer for shorter, longer in pairwise(row))  # type: ignore[operator]
