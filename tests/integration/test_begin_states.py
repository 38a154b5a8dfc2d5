"""What a query is told of the budget and of parts that are away when it begins."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import replace

from functions.adapters.postgres.query_records import QueryRecords
from tests.postgres_fixtures import BookDatabase
from tests.query_samples import LIMIT, begin, record_of, request_of


async def test_steps_down_as_the_budget_is_spent(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    async def budget() -> str:
        return (await begin(queries, request_of(str(uuid.uuid4())))).budget

    request = request_of()
    await begin(queries, request)
    await queries.finish(replace(record_of(request), cost_usd=0.85), seconds=LIMIT)
    steps = [await budget()]
    for ceilings in ("(1, 100)", "(0.5, 100)", "(100, 1)", "(100, 0.5)", "(100, 100)", "(0, NULL)"):
        fresh_database.run(
            f"UPDATE limit_settings SET (daily_ceiling_usd, monthly_ceiling_usd) = {ceilings}"
        )
        fresh_database.run(  # also when a day ends meanwhile
            "UPDATE spend_days SET day = (clock_timestamp() AT TIME ZONE 'UTC')::date"
        )
        steps.append(await budget())
    assert steps == ["open", "smaller", "quotes", "smaller", "quotes", "open", "quotes"]


async def test_opens_a_part_after_failures_in_a_row_and_closes_it_on_success(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    async def report(worked: bool) -> dict[str, float]:
        request = request_of(str(uuid.uuid4()))
        await begin(queries, request)
        await queries.finish(
            replace(record_of(request), parts={"model": worked, "vectors": True}), seconds=LIMIT
        )
        return dict((await begin(queries, request_of(str(uuid.uuid4())))).parts)

    reports = [await report(worked) for worked in (False, False, True, *[False] * 5)]
    assert reports[:7] == [{}] * 7
    assert 0 < reports[7].pop("model") <= 30
    assert reports[7] == {}
    assert await report(True) == {}


async def test_gives_a_part_whose_pause_is_over_to_one_query_that_calls_it(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    fresh_database.run("UPDATE limit_settings SET breaker_failures = 1, breaker_open = '0.1 s'")

    async def ask(*calls: str, cache_key: str | None = None) -> dict[str, float]:
        request = replace(request_of(str(uuid.uuid4())), calls=calls, cache_key=cache_key)
        return dict((await begin(queries, request)).parts)

    async def report(worked: bool) -> None:
        record = replace(record_of(request_of(str(uuid.uuid4()))), parts={"model": worked})
        await queries.finish(record, seconds=LIMIT)

    await report(False)
    await asyncio.sleep(0.15)
    assert await ask("vectors") == {"model": 0}  # it would not call the model
    parts = await asyncio.gather(*(ask("model", "vectors") for _ in range(12)))
    assert sorted("model" in each for each in parts) == [False] + [True] * 11
    await report(True)
    assert await ask("model") == {}


async def test_a_query_answered_from_the_cache_is_no_try_of_the_model(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    request = replace(request_of(), cache_key="gait")
    await begin(queries, request)
    await queries.finish(replace(record_of(request), cacheable=True), seconds=LIMIT)
    fresh_database.run(
        "INSERT INTO part_states (part, failures, open_until) VALUES ('model', 9, now())"
    )
    again = replace(request_of("session-2"), cache_key="gait", calls=("model",))
    assert (await begin(queries, again)).parts == {"model": 0}
    other = replace(request_of("session-3"), cache_key="grasp", calls=("model",))
    assert (await begin(queries, other)).parts == {}
