"""The database adapter, against the server directly and through pgbouncer in transaction mode."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from functions.adapters.postgres.database import (
    Connection,
    Database,
    DatabaseBusy,
    DatabaseHangs,
    DatabaseRejected,
    DatabaseUnavailable,
    database_breaker,
)
from tests.integration.wires import Wire
from tests.postgres_fixtures import BookDatabase

HANG_S = 5.0
"""Longer than the database is waited for, shorter than psycopg would wait for its end."""

Connect = Callable[..., Database]


async def backend_of(database: Database) -> int:
    rows = await database.call("SELECT pg_backend_pid() AS pid", (), seconds=5)
    return int(rows[0]["pid"])


def end_backends(book: BookDatabase, role: str) -> int:
    ended = book.run(
        "SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity"
        " WHERE datname = current_database() AND usename = %s",
        (role,),
    )
    return len(ended)


async def test_runs_many_statements_from_twelve_tasks_without_an_error(
    routed_database: BookDatabase, connect: Connect
) -> None:
    database = connect(routed_database.dsn("quoth_ingest"), size=12)

    async def ask(task: int) -> list[int]:
        answers = []
        for number in range(50):
            rows = await database.call(
                "SELECT %s::integer + generation AS n FROM (SELECT 1 AS generation) AS one",
                (task * 1000 + number,),
                seconds=20,
            )
            answers.append(rows[0]["n"] - 1)
        return answers

    found = await asyncio.gather(*(ask(task) for task in range(12)))
    assert found == [[task * 1000 + number for number in range(50)] for task in range(12)]


async def test_recovers_once_and_unseen_from_a_connection_the_server_killed(
    routed_database: BookDatabase, connect: Connect
) -> None:
    database = connect(routed_database.dsn("quoth_ingest"))
    first = await backend_of(database)
    assert end_backends(routed_database, "quoth_ingest") == 1
    assert await backend_of(database) != first


async def test_recovers_when_every_connection_of_the_pool_was_killed(
    routed_database: BookDatabase, connect: Connect
) -> None:
    database = connect(routed_database.dsn("quoth_ingest"), size=4)
    await asyncio.gather(*(database.call("SELECT pg_sleep(0.2)", (), seconds=5) for _ in range(4)))
    assert end_backends(routed_database, "quoth_ingest") == 4
    await asyncio.gather(*(backend_of(database) for _ in range(4)))


async def test_tries_a_unit_of_work_twice_and_no_more_when_its_connection_dies(
    fresh_database: BookDatabase, connect: Connect
) -> None:
    database = connect(fresh_database.dsn("quoth_ingest"))
    tries = 0

    async def die(connection: Connection) -> None:
        nonlocal tries
        tries += 1
        await asyncio.to_thread(end_backends, fresh_database, "quoth_ingest")
        await connection.execute("SELECT 1")

    with pytest.raises(DatabaseUnavailable):
        await database.run(die, seconds=10)
    assert tries == 2
    await backend_of(database)


async def test_says_unavailable_when_nothing_listens(connect: Connect) -> None:
    database = connect("postgresql://nobody:x@127.0.0.1:1/none")
    with pytest.raises(DatabaseUnavailable):
        await database.call("SELECT 1", (), seconds=5)


async def test_stops_a_statement_at_its_deadline_and_stays_usable(
    routed_database: BookDatabase, connect: Connect
) -> None:
    database = connect(routed_database.dsn("quoth_ingest"))
    with pytest.raises(DatabaseUnavailable):
        await database.call("SELECT pg_sleep(30)", (), seconds=0.2)
    rows = await database.call("SHOW statement_timeout", (), seconds=7)
    assert rows[0]["statement_timeout"] == "7s"


async def test_waits_for_a_free_connection_no_longer_than_the_deadline(
    fresh_database: BookDatabase, connect: Connect
) -> None:
    database = connect(fresh_database.dsn("quoth_ingest"), size=1)
    slow = asyncio.create_task(database.call("SELECT pg_sleep(2)", (), seconds=30))
    await asyncio.sleep(0.2)
    with pytest.raises(DatabaseUnavailable):
        await database.call("SELECT 1", (), seconds=0.1)
    await slow


async def test_leaves_no_time_out_behind_for_the_next_client_of_the_connection(
    routed_database: BookDatabase, connect: Connect
) -> None:
    await connect(routed_database.dsn("quoth_ingest")).call("SELECT 1", (), seconds=3)
    rows = routed_database.run(
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'"
    )
    assert rows == [(0,)]


@pytest.mark.parametrize(
    "statement",
    ["SELECT * FROM chunks", "SELECT nothing FROM nowhere", "SELECT 1 / 0", "SELEC"],
)
async def test_says_rejected_and_stays_usable_when_the_statement_is_refused(
    routed_database: BookDatabase, connect: Connect, statement: str
) -> None:
    database = connect(routed_database.dsn("quoth_selected"))
    with pytest.raises(DatabaseRejected):
        await database.call(statement, (), seconds=5)
    await backend_of(database)


async def test_says_in_a_sentence_that_the_disk_is_full(
    fresh_database: BookDatabase, connect: Connect
) -> None:
    database = connect(fresh_database.dsn("quoth_ingest"))
    full = (
        "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'could not extend file',"
        " HINT = 'Check free disk space.'; END $$"
    )
    with pytest.raises(DatabaseUnavailable) as told:
        await database.call(full, (), seconds=5)
    assert str(told.value) == "the disk of the database is full: free some"
    await backend_of(database)


async def test_undoes_a_unit_of_work_that_fails(
    routed_database: BookDatabase, connect: Connect
) -> None:
    database = connect(routed_database.dsn("quoth_ingest"))

    async def fail(connection: Connection) -> None:
        await connection.execute("UPDATE index_state SET collection = 'half done'")
        raise LookupError("no more")

    with pytest.raises(LookupError):
        await database.run(fail, seconds=5)
    assert routed_database.run("SELECT collection FROM index_state") == [("",)]


async def test_opens_no_more_connections_than_its_size(
    fresh_database: BookDatabase, connect: Connect
) -> None:
    database = connect(fresh_database.dsn("quoth_ingest"), size=3)
    pids = await asyncio.gather(*(backend_of(database) for _ in range(30)))
    assert len(set(pids)) <= 3


async def test_closes_a_connection_that_is_in_use_when_its_work_is_done(
    fresh_database: BookDatabase, connect: Connect
) -> None:
    database = connect(fresh_database.dsn("quoth_ingest"))
    used: asyncio.Queue[Connection] = asyncio.Queue()

    async def work(connection: Connection) -> None:
        used.put_nowait(connection)
        await connection.execute("SELECT pg_sleep(0.3)")

    running = asyncio.create_task(database.run(work, seconds=10))
    connection = await used.get()
    await database.close()
    await running
    assert connection.closed
    assert await backend_of(database)


async def test_a_database_that_hangs_is_called_once_and_then_left_alone() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(0)
        port = silent.getsockname()[1]
        breaker = database_breaker()
        database = Database(f"postgresql://nobody@127.0.0.1:{port}/none", breaker=breaker)
        for _ in range(5):
            with pytest.raises(DatabaseUnavailable):
                await database.call("SELECT 1", (), seconds=0.5)  # enough to knock
        connected = 0
        with suppress(BlockingIOError):
            while True:
                silent.accept()[0].close()
                connected += 1
    assert connected == 1


@pytest.mark.parametrize("on", [b"SCRAM", b"set_config", b"pg_sleep", b"UPDATE", b"COMMIT"])
async def test_leaves_a_connection_that_fell_silent_without_waiting_for_it(
    fresh_database: BookDatabase, on: bytes
) -> None:
    wire = Wire(fresh_database.server.port)
    dsn = fresh_database.pooled(wire.port).dsn("quoth_ingest")
    database = Database(dsn, size=2, breaker=database_breaker())
    if on != b"SCRAM":
        await asyncio.gather(*(backend_of(database) for _ in range(2)))

    async def work(connection: Connection) -> None:
        await connection.execute("UPDATE index_state SET collection = 'half done'")

    if on in (b"UPDATE", b"COMMIT"):
        call: Any = partial(database.run, work, seconds=0.5)
    else:
        call = partial(database.call, "SELECT pg_sleep(0)", (), seconds=0.5)
    async with asyncio.timeout(HANG_S):
        with wire.hanging(on), pytest.raises(DatabaseHangs):
            await call()
    with pytest.raises(DatabaseUnavailable, match="breaker"):
        await backend_of(database)
    assert fresh_database.run("SELECT collection FROM index_state") == [("",)]
    wire.close()


async def test_gives_up_where_no_connection_comes_about(fresh_database: BookDatabase) -> None:
    wire = Wire(fresh_database.server.port)
    database = Database(fresh_database.pooled(wire.port).dsn())
    async with asyncio.timeout(HANG_S):
        with wire.unroutable(), pytest.raises(DatabaseHangs):
            await database.call("SELECT 1", (), seconds=0.5)
    await backend_of(database)
    await database.close()
    wire.close()


async def test_a_slow_statement_or_a_refused_one_is_no_reason_to_leave_the_database_alone(
    fresh_database: BookDatabase,
) -> None:
    database = Database(fresh_database.dsn(), breaker=database_breaker())
    for _ in range(3):
        with pytest.raises(DatabaseUnavailable):
            await database.call("SELECT pg_sleep(5)", (), seconds=0.02)
        with pytest.raises(DatabaseRejected):
            await database.call("SELECT 1/0", (), seconds=10)
    assert await database.call("SELECT 1 AS one", (), seconds=10) == [{"one": 1}]
    await database.close()


async def test_waiting_for_a_connection_says_nothing_of_the_database(
    fresh_database: BookDatabase,
) -> None:
    database = Database(fresh_database.dsn(), breaker=database_breaker())
    slow = asyncio.create_task(database.call("SELECT pg_sleep(3)", (), seconds=5))
    await asyncio.sleep(0.05)
    for _ in range(3):
        with pytest.raises(DatabaseBusy):
            await database.call("SELECT 1", (), seconds=0.01)
    slow.cancel()
    await asyncio.gather(slow, return_exceptions=True)
    assert await database.call("SELECT 1 AS one", (), seconds=10) == [{"one": 1}]
    await database.close()
