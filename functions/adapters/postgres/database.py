"""Connections to Postgres, directly or through a pooler in transaction mode.

Nothing here keeps session state: no prepared statement, no start-up option, no SET outside a
transaction. A connection that died while idle (the server slept, the function was frozen) is
replaced once, unseen by the caller.
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
"""The client waits so much beyond the server's time-out, so that the server's error comes first."""


class DatabaseUnavailable(Exception):
    """The database cannot be reached, or did not answer in time. Degrade; later it may work."""


class DatabaseBusy(DatabaseUnavailable):
    """All of this process's connections are in use."""


class DatabaseRejected(Exception):
    """The database refused the statement: a right, a constraint, a value. Do not try again."""


class Database:
    """Runs units of work on at most `size` connections, opened when first needed.

    With a `breaker` a database that is away is not asked again before its pause is over.
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
        self._closed = 0  # how often; a connection opened before the last time is not kept

    async def call(
        self, statement: str, parameters: Parameters, *, seconds: float
    ) -> list[DictRow]:
        """Run one statement in one round trip and return its rows.

        `seconds` bounds everything: waiting for a connection, connecting, running. The statement
        may run twice when the connection dies on the way, so it must be safe to repeat.
        DatabaseUnavailable or DatabaseRejected.
        """

        async def work(connection: Connection) -> list[DictRow]:
            # In a pipeline the two statements are one implicit transaction, sent together.
            async with connection.pipeline():
                await _limit_statements(connection, seconds)
                cursor = await connection.execute(statement.encode(), parameters)
            return await cursor.fetchall() if cursor.description else []

        return await self._attempt_twice(work, seconds)

    async def run(self, work: Callable[[Connection], Awaitable[T]], *, seconds: float) -> T:
        """Run `work` in a transaction; it may run twice, see `call` for time and errors."""

        async def in_transaction(connection: Connection) -> T:
            async with connection.transaction():
                await _limit_statements(connection, seconds)
                return await work(connection)

        return await self._attempt_twice(in_transaction, seconds)

    async def close(self) -> None:
        """Close the idle connections, and those in use when their work is done. The database can
        be used again afterwards."""
        self._closed += 1
        while self._idle:
            await self._idle.pop().close()

    async def _attempt_twice(self, work: Callable[[Connection], Awaitable[T]], seconds: float) -> T:
        if self._breaker is None:
            return await self._attempt_in_time(work, seconds)
        if not self._breaker.allows():
            raise DatabaseUnavailable("it was away, and is not asked again yet")
        try:
            found = await self._attempt_in_time(work, seconds)
        except DatabaseBusy:
            raise  # which says nothing of whether it is there
        except DatabaseUnavailable as error:
            # One that cancelled a slow statement has answered.
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
                    await self.close()  # what was idle beside it is most likely dead too
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
                tcp_user_timeout=3000,  # a path that went dead while we slept fails in 3 s
                row_factory=dict_row,
            )
        except psycopg.OperationalError as error:
            raise _ConnectionLost(str(error)) from error


def database_breaker() -> Breaker:
    """For functions that answer without the database: two calls in vain, and it is left alone for
    some seconds. It lives in this process, because nothing else is there to hold it."""
    return Breaker(failures_allowed=2, pause_s=10.0)


class _ConnectionLost(Exception):
    """The connection is gone; the work may be tried on a new one."""


async def _limit_statements(connection: Connection, seconds: float) -> None:
    await connection.execute(
        "SELECT set_config('statement_timeout', %s, true)", (str(max(1, round(seconds * 1000))),)
    )
