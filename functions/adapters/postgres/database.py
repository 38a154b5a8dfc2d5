"""Runs statements on Postgres, directly or through a pooler in transaction mode.

It uses no session state: no prepared statements, no start-up options, no SET outside a transaction.
A connection that died while idle (the server slept, the function was frozen) is replaced once, and
the work repeated.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

import psycopg
from psycopg import waiting
from psycopg.abc import RV, PQGen
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow, dict_row

from functions.runtime.breaker import Breaker

Parameters = Sequence[object] | Mapping[str, object]
T = TypeVar("T")

# It warns of what a lost connection interrupts; here that is raised.
logging.getLogger("psycopg").setLevel(logging.ERROR)

GRACE_SECONDS = 0.5
"""Added to the client's time-out, so that the server's time-out fires first."""

PATH_MS = 1500
"""After so long without a sign of life of the network path, a connection is lost. It leaves time
to repeat the work on a new one."""


class DatabaseUnavailable(Exception):
    """The database cannot be reached or did not answer in time. A later call may succeed."""


class DatabaseHangs(DatabaseUnavailable):
    """The database is silent: not even its own time-out was heard of."""


class DatabaseBusy(DatabaseUnavailable):
    """All connections of this process are in use."""


class DatabaseRejected(Exception):
    """The database rejected the statement: a right, a constraint, a value. Do not retry."""


class Connection(psycopg.AsyncConnection[DictRow]):
    """A connection that is closed when its work is cancelled.

    psycopg would ask the server to cancel the statement and wait ten seconds for it; the statement
    has the server's own time-out.
    """

    async def wait(
        self,
        gen: PQGen[RV],
        interval: float = 0.1,
        timeout: float | None = None,  # noqa: ASYNC109 - as psycopg declares it
    ) -> RV:
        try:
            return await waiting.wait_async(gen, self.pgconn.socket, interval, timeout)
        except asyncio.CancelledError:
            self.pgconn.finish()
            raise


class Database:
    """Runs work on at most `size` connections, which are opened when first needed.

    While the `breaker` is open, calls fail at once; a silent database opens it at once.
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
        except DatabaseHangs:
            self._breaker.hold_for(self._breaker.pause_s)
            raise
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
            async with asyncio.timeout(seconds + GRACE_SECONDS), self._free:
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
            await self.close()  # what is idle leads to the same silent server
            raise DatabaseHangs(f"no answer within {seconds:.1f} s") from error
        except (psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable) as error:
            raise DatabaseUnavailable(f"no answer within {seconds:.1f} s") from error
        except psycopg.errors.DiskFull as error:
            raise DatabaseUnavailable("the disk of the database is full: free some") from error
        except psycopg.OperationalError as error:
            raise DatabaseUnavailable(_told(error)) from error
        except psycopg.Error as error:
            raise DatabaseRejected(_told(error)) from error
        except UnicodeEncodeError as error:
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
            return await Connection.connect(
                self._dsn,
                autocommit=True,
                prepare_threshold=None,
                connect_timeout=max(2, round(self._connect_timeout_s)),
                tcp_user_timeout=PATH_MS,
                keepalives_idle=1,
                keepalives_interval=1,
                row_factory=dict_row,
            )
        except psycopg.OperationalError as error:
            raise _ConnectionLost(str(error)) from error


def database_breaker() -> Breaker:
    """The breaker for functions that answer readers. Unlike those of other
    services it is not shared: the database holds the shared ones."""
    return Breaker(failures_allowed=2, pause_s=10.0)


class _ConnectionLost(Exception):
    """The connection was lost; the work may be repeated on a new one."""


def _told(error: psycopg.Error) -> str:
    """What the server says, without its details and hints, which quote rows and paths."""
    return error.diag.message_primary or str(error)


async def _limit_statements(connection: Connection, seconds: float) -> None:
    await connection.execute(
        "SELECT set_config('statement_timeout', %s, true)", (str(max(1, round(seconds * 1000))),)
    )
