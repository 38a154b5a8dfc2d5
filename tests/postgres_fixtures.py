"""A real PostgreSQL for the tests, a fresh database each, directly and through pgbouncer."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from functions.adapters.database import Database
from functions.adapters.query_records import QueryRecords
from quoth.postgres.embedded import ADMINISTRATOR, Server, start_server, stop_server
from quoth.postgres.migrate import create_database, create_roles, migrate

TEMPLATE = "quoth_template"
PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


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
    directory = Path(tempfile.mkdtemp(prefix="quoth-postgres-", dir="/tmp"))
    directory.chmod(0o755)
    try:
        server = start_server(directory, durable=False)
        create_database(server.dsn(database="postgres"), TEMPLATE)
        migrate(server.dsn(database=TEMPLATE))
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
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    directory = postgres_server.directory / "pooler"
    directory.mkdir()
    users = directory / "users.txt"
    users.write_text(
        "".join(f'"{role}" "{word}"\n' for role, word in postgres_server.passwords.items())
    )
    settings = directory / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\n* = host=127.0.0.1 port={postgres_server.port}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = scram-sha-256\nauth_file = {users}\npool_mode = transaction\n"
        "default_pool_size = 5\nmax_client_conn = 300\nlog_connections = 0\n"
        "log_disconnections = 0\n"
    )
    log = (directory / "log").open("w")
    as_nobody = ["-u", "nobody"] if os.geteuid() == 0 else []
    process = subprocess.Popen([PGBOUNCER, *as_nobody, str(settings)], stdout=log, stderr=log)
    try:
        _wait_for_port(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(10)
        log.close()


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


def _wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(100):
        if process.poll() is not None:
            raise RuntimeError("pgbouncer did not start")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("pgbouncer does not listen")
