"""A real PostgreSQL for the tests, a fresh database each, directly and through pgbouncer."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from functions.adapters.postgres.database import Database
from functions.adapters.postgres.query_records import QueryRecords
from quoth.postgres.embedded import ADMINISTRATOR, Server, start_server, stop_server
from quoth.postgres.migrate import create_database, create_roles, migrate
from tests.load.pooler import PGBOUNCER, running_pooler

TEMPLATE = "quoth_template"
dropped: set[str] = set()
"""The databases of tests that have ended; nobody may still be connected to one."""


@dataclass(frozen=True)
class BookDatabase:
    """A migrated database. `port` is the server's own, or the pooler's."""

    server: Server
    name: str
    port: int

    def dsn(self, role: str = ADMINISTRATOR) -> str:
        direct = self.server.dsn(role, self.name)
        return direct.replace(f":{self.server.port}/", f":{self.port}/")

    def run(self, statement: str, parameters: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        """Run one statement as the administrator, past the pooler."""
        dsn = self.server.dsn(ADMINISTRATOR, self.name)
        with psycopg.connect(dsn, autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), parameters)
            return cursor.fetchall() if cursor.description else []

    def pooled(self, port: int) -> BookDatabase:
        return BookDatabase(self.server, self.name, port)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A server of its own in a temporary folder, with the roles and a migrated template."""
    directory = Path(tempfile.mkdtemp(prefix="quoth-postgres-"))
    directory.chmod(0o755)
    try:
        server = start_server(directory, durable=False)
        create_database(server.dsn(database="postgres"), TEMPLATE)
        migrate(server.dsn(database=TEMPLATE))
        # All tests ask from one address.
        with psycopg.connect(server.dsn(database=TEMPLATE), autocommit=True) as connection:
            connection.execute("UPDATE limit_settings SET network_readers = 1000000")
        create_roles(server.dsn(database=TEMPLATE), server.passwords)
        yield server
    finally:
        stop_server(directory)
        shutil.rmtree(directory)


@pytest.fixture(scope="session")
def pooler_port(postgres_server: Server) -> Iterator[int]:
    """The port of a pgbouncer in transaction mode before the server, five connections a pool."""
    if PGBOUNCER is None:
        pytest.skip("pgbouncer is not installed")
    with running_pooler(postgres_server, postgres_server.directory / "pooler", 5) as port:
        yield port


@pytest.fixture
def fresh_database(postgres_server: Server) -> Iterator[BookDatabase]:
    """An empty migrated database for one test."""
    with _copy_of_template(postgres_server) as database:
        yield database


@pytest.fixture(scope="module")
def module_database(postgres_server: Server) -> Iterator[BookDatabase]:
    """An empty migrated database for the tests of one module."""
    with _copy_of_template(postgres_server) as database:
        yield database


@pytest.fixture(params=["direct", "pooled"])
def routed_database(request: pytest.FixtureRequest, fresh_database: BookDatabase) -> BookDatabase:
    """`fresh_database`, once by the server's own port and once through pgbouncer."""
    if request.param == "direct":
        return fresh_database
    return fresh_database.pooled(request.getfixturevalue("pooler_port"))


@pytest.fixture
async def connect() -> AsyncIterator[Callable[..., Database]]:
    """`connect(dsn, size=1)`: an adapter that is closed after the test."""
    opened: list[Database] = []

    def open_database(dsn: str, size: int = 1) -> Database:
        opened.append(Database(dsn, size=size))
        return opened[-1]

    yield open_database
    for database in opened:
        await database.close()


@pytest.fixture
def queries(fresh_database: BookDatabase, connect: Callable[..., Database]) -> QueryRecords:
    """The records of `fresh_database` under the role of the function `query`."""
    return QueryRecords(connect(fresh_database.dsn("quoth_query"), size=8))


@pytest.fixture
def selections(fresh_database: BookDatabase, connect: Callable[..., Database]) -> QueryRecords:
    """The records of `fresh_database` under the role of the function `selected`."""
    return QueryRecords(connect(fresh_database.dsn("quoth_selected"), size=2))


@contextmanager
def _copy_of_template(server: Server) -> Iterator[BookDatabase]:
    name = f"quoth_{uuid.uuid4().hex[:12]}"
    main = server.dsn(database="postgres")
    create_database(main, name, TEMPLATE)
    try:
        yield BookDatabase(server, name, server.port)
    finally:
        with psycopg.connect(main, autocommit=True) as connection:
            connection.execute(
                sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            )
        dropped.add(name)
