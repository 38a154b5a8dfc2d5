"""Ten thousand statements through pgbouncer in transaction mode."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable

import pytest

from functions.adapters.postgres.admission import BeginRequest
from functions.adapters.postgres.database import Connection, Database
from functions.adapters.postgres.query_records import QueryRecord, QueryRecords
from tests.postgres_fixtures import BookDatabase

STATEMENTS = 10_000
TASKS = 12

pytestmark = pytest.mark.soak


async def test_runs_ten_thousand_statements_from_twelve_tasks_without_an_error(
    routed_database: BookDatabase, connect: Callable[..., Database]
) -> None:
    database = connect(routed_database.dsn("quoth_query"), size=TASKS)
    queries = QueryRecords(database)
    done = 0

    async def in_transaction(connection: Connection) -> int:
        cursor = await connection.execute("SELECT count(*) AS n FROM documents")
        row = await cursor.fetchone()
        assert row is not None
        return int(row["n"])

    async def ask(task: int) -> None:
        nonlocal done
        while done < STATEMENTS:
            done += 4
            query_id = str(uuid.uuid4())
            begun = await queries.begin(
                BeginRequest(query_id, "book-wide", f"{task}-{done}"), seconds=20
            )
            assert begun.verdict == "run"
            record = QueryRecord(
                query_id=query_id,
                response_id=str(uuid.uuid4()),
                mode="book-wide",
                session_id=str(task),
                question="What is a gait?",
                status="answered",
            )
            await queries.finish(record, seconds=20)
            rows = await database.call("SELECT %s::integer AS n", (done,), seconds=20)
            assert len(rows) == 1
            assert await database.run(in_transaction, seconds=20) == 0

    await asyncio.gather(*(ask(task) for task in range(TASKS)))
    finished = routed_database.run("SELECT count(*) FROM responses")[0][0]
    assert finished == STATEMENTS // 4
