"""Runs statements on Postgres, directly or through a pooler in transaction mode.

It uses no session state: no prepared statements, no start-up options, no SET outside a transaction.
A connection that died while idle (the server slept, the function was frozen) is replaced once, and
the work repeated.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow, dict_row

from functions.runtime.breaker import Breaker

Connection = psycopg.AsyncConnection[DictRow]
Parameters = Sequence[object] | Mapping[str, object]
T = TypeVar("T")

_GRACE_SECONDS = 0.5
"""Added to the client's time-out, so that the server's time-out fires first."""


class DatabaseUnavailable(Exception):
    """The database cannot be reached or did not answer in time. A later call may succeed."""


class DatabaseBusy(DatabaseUnavailable):
    """All connections of this process are in use."""


class DatabaseRejected(Exception):
    """The database rejected the statement: a right, a constraint, a value. Do not retry."""


class Database:
    """Runs work on at most `size` connections, which are opened when first needed.

    While the `breaker` is open, calls fail at once.
    """

    def __init__(
        self,
        dsn: str,
        *,
        size: int = 1,
        connect_timeout_s: float = 5.0,
        breaker: Breaker | None = None,
    ) -> None:
        self._dsn = dsn
        self._breaker = breaker
        self._connect_timeout_s = connect_timeout_s
        self._free = asyncio.Semaphore(size)
        self._idle: list[Connection] = []
        self._closed = 0  # how often; connections opened before the last time are not reused

    async def call(
        self, statement: str, parameters: Parameters, *, seconds: float
    ) -> list[DictRow]:
        """Run one statement in one round trip and return its rows.

        `seconds` bounds everything: waiting for a connection, connecting, running. The statement
        runs twice if the connection is lost, so it must be idempotent. Raises DatabaseUnavailable
        or DatabaseRejected.
        """

        async def work(connection: Connection) -> list[DictRow]:
            # In a pipeline the two statements are one implicit transaction, sent together.
            async with connection.pipeline():
                await _limit_statements(connection, seconds)
                cursor = await connection.execute(statement.encode(), parameters)
            return await cursor.fetchall() if cursor.description else []

        return await self._attempt_twice(work, seconds)

    async def run(self, work: Callable[[Connection], Awaitable[T]], *, seconds: float) -> T:
        """Run `work` in a transaction. Repeats, time-outs and errors are as in `call`."""

        async def in_transaction(connection: Connection) -> T:
            async with connection.transaction():
                await _limit_statements(connection, seconds)
                return await work(connection)

        return await self._attempt_twice(in_transaction, seconds)

    async def close(self) -> None:
        """Close idle connections now and busy ones after their work. Later calls open new ones."""
        self._closed += 1
        while self._idle:
            await self._idle.pop().close()

    async def _attempt_twice(self, work: Callable[[Connection], Awaitable[T]], seconds: float) -> T:
        if self._breaker is None:
            return await self._attempt_in_time(work, seconds)
        if not self._breaker.allows():
            raise DatabaseUnavailable("the circuit breaker of the database is open")
        try:
            found = await self._attempt_in_time(work, seconds)
        except DatabaseBusy:
            raise  # not an error of the database
        except DatabaseUnavailable as error:
            # A database that cancelled a slow statement is available.
            self._breaker.record(isinstance(error.__cause__, psycopg.errors.QueryCanceled))
            raise
        except DatabaseRejected:
            self._breaker.record(True)
            raise
        self._breaker.record(True)
        return found

    async def _attempt_in_time(
        self, work: Callable[[Connection], Awaitable[T]], seconds: float
    ) -> T:
        connected = False
        try:
            async with asyncio.timeout(seconds + _GRACE_SECONDS), self._free:
                connected = True
                try:
                    return await self._attempt(work)
                except _ConnectionLost:
                    await self.close()  # other idle connections are probably dead too
                    return await self._attempt(work)
        except _ConnectionLost as lost:
            raise DatabaseUnavailable(str(lost)) from lost
        except TimeoutError as error:
            if not connected:
                raise DatabaseBusy(f"no connection was free within {seconds:.1f} s") from error
            raise DatabaseUnavailable(f"no answer within {seconds:.1f} s") from error
        except (psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable) as error:
            raise DatabaseUnavailable(f"no answer within {seconds:.1f} s") from error
        except psycopg.OperationalError as error:
            raise DatabaseUnavailable(str(error)) from error
        except (psycopg.Error, UnicodeEncodeError) as error:
            raise DatabaseRejected(str(error)) from error

    async def _attempt(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        async with self._connection() as connection:
            try:
                return await work(connection)
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                if connection.closed:
                    raise _ConnectionLost(str(error)) from error
                raise

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        closed = self._closed
        connection = self._idle.pop() if self._idle else await self._connect()
        try:
            yield connection
        finally:
            idle = connection.pgconn.transaction_status == TransactionStatus.IDLE
            if idle and closed == self._closed:
                self._idle.append(connection)
            else:
                await connection.close()

    async def _connect(self) -> Connection:
        try:
            return await psycopg.AsyncConnection.connect(
                self._dsn,
                autocommit=True,
                prepare_threshold=None,
                connect_timeout=max(2, round(self._connect_timeout_s)),
                tcp_user_timeout=3000,  # a network path that died while idle fails in 3 s
                row_factory=dict_row,
            )
        except psycopg.OperationalError as error:
            raise _ConnectionLost(str(error)) from error


def database_breaker() -> Breaker:
    """The breaker for functions that can answer without the database. Unlike those of other
    services it is not shared: the database holds the shared ones."""
    return Breaker(failures_allowed=2, pause_s=10.0)


class _ConnectionLost(Exception):
    """The connection was lost; the work may be repeated on a new one."""


async def _limit_statements(connection: Connection, seconds: float) -> None:
    await connection.execute(
        "SELECT set_config('statement_timeout', %s, true)", (str(max(1, round(seconds * 1000))),)
    )
