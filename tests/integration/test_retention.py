"""What is deleted when its time has come, and on request."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import replace
from typing import Any

from click.testing import CliRunner

from functions.adapters.postgres.query_records import ErrorRecord, QueryRecords
from functions.analytics.jobs import run_task
from functions.runtime.settings import Settings
from quoth.cli import main
from tests.postgres_fixtures import BookDatabase
from tests.query_samples import LIMIT, begin, record_of, request_of

TABLES = ("queries", "responses", "feedback", "request_errors", "admissions", "answer_cache")


async def ask(queries: QueryRecords, session: str, personal: bool = False) -> str:
    request = replace(request_of(session), cache_key=session, personal_session=personal)
    await begin(queries, request)
    kept = replace(record_of(request), cacheable=True, personal_session=personal)
    await queries.finish(kept, seconds=LIMIT)
    return kept.response_id


def counts(database: BookDatabase) -> list[object]:
    return [database.run(f"SELECT count(*) FROM {table}")[0][0] for table in TABLES]


def grow_older(database: BookDatabase, by: str) -> None:
    """Move all that is stored into the past."""
    for table, column in (
        ("queries", "asked_at"), ("request_errors", "occurred_at"), ("admissions", "accepted_at"),
        ("answer_cache", "created_at"), ("past_chunks", "replaced_at"), ("spend_days", "day"),
        ("salts", "week"),
    ):  # fmt: skip
        database.run(f"UPDATE {table} SET {column} = {column} - interval '{by}'")
    database.run(
        "UPDATE reader_windows SET accepted = ARRAY("
        f"SELECT t - interval '{by}' FROM unnest(accepted) t)"
    )


async def test_raw_rows_go_after_ninety_days_and_sums_after_thirteen_months(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    response_id = await ask(queries, "s")
    fresh_database.run(
        "SELECT record_feedback(%s::uuid, 's', '', 'helpful', '', '')", (response_id,)
    )
    await queries.errors([ErrorRecord("ValueError")], seconds=LIMIT)
    fresh_database.run("INSERT INTO past_chunks VALUES ('c', 'h', '{}')")
    settings = Settings(database_url=fresh_database.dsn("quoth_analytics"))

    async def purged() -> dict[str, Any]:
        return await asyncio.to_thread(
            run_task, "purge", settings
        )  # as on Lambda: no loop is running

    grow_older(fresh_database, "89 days")
    await purged()
    assert counts(fresh_database) == [1] * 6
    assert fresh_database.run("SELECT count(*) FROM salts") == [(0,)]
    assert fresh_database.run("SELECT count(*) FROM reader_windows") == [(0,)]
    grow_older(fresh_database, "2 days")
    deleted = await purged()
    assert counts(fresh_database) == [0] * 6
    assert (deleted["queries"], deleted["past_chunks"], deleted["spend_days"]) == (1, 1, 0)
    # Months differ: should a day end meanwhile, it is another one up to four days further.
    for days, gone in ((5, 0), (-1, 1)):
        fresh_database.run(
            "UPDATE spend_days SET day = (clock_timestamp() AT TIME ZONE 'UTC')::date"
            " - interval '13 months' + %s * interval '1 day'",
            (days,),
        )
        assert (await purged())["spend_days"] == gone


async def test_this_weeks_salt_and_window_stay(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    await ask(queries, "s")
    settings = Settings(database_url=fresh_database.dsn("quoth_analytics"))
    assert (await asyncio.to_thread(run_task, "purge", settings))["salts"] == 0
    assert fresh_database.run("SELECT count(*) FROM reader_windows") == [(1,)]


async def test_a_session_is_forgotten_and_no_other(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    mine = await ask(queries, "mine")
    await ask(queries, "ada@example.org", personal=True)
    await ask(queries, "other")
    fresh_database.run("SELECT record_feedback(%s::uuid, 'mine', '', 'helpful', '', '')", (mine,))
    for session, said in (
        ("mine", "1 question"),
        ("ada@example.org", "1 question"),
        (str(uuid.uuid4()), "0 questions"),
    ):
        result = CliRunner().invoke(
            main, ["forget", session, "--database-url", fresh_database.dsn()]
        )
        assert result.stdout == f"Deleted {said} of this session.\n"
        assert ("--ticket-key" in result.stderr) == ("@" in session)
    assert fresh_database.run("SELECT session_id FROM queries") == [("other",)]
    assert fresh_database.run("SELECT count(*) FROM feedback") == [(0,)]
    assert fresh_database.run("SELECT count(*) FROM admissions") == [(1,)]


async def test_the_command_purges_and_tells_what_went(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    await ask(queries, "s")
    grow_older(fresh_database, "91 days")
    result = CliRunner().invoke(main, ["purge", "--database-url", fresh_database.dsn()])
    assert '"queries": 1' in result.output
    wrong = CliRunner().invoke(main, ["purge", "--database-url", "postgresql://127.0.0.1:9/x"])
    assert wrong.exit_code == 1
    assert "Traceback" not in wrong.output
