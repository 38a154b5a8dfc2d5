"""Migrations: all or nothing, once, in order, never changed afterwards."""

from __future__ import annotations

import shutil
import stat
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from quoth.postgres.embedded import Server, start_server
from quoth.postgres.migrate import (
    MIGRATIONS,
    ROLES,
    MigrationFailed,
    create_database,
    create_roles,
    migrate,
    read_migrations,
)
from tests.postgres_fixtures import BookDatabase


@pytest.fixture
def empty_dsn(postgres_server: Server) -> str:
    name = f"empty_{uuid.uuid4().hex[:12]}"
    create_database(postgres_server.dsn(database="postgres"), name)
    return postgres_server.dsn(database=name)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return Path(shutil.copytree(MIGRATIONS, tmp_path / "migrations"))


def names_applied(dsn: str) -> list[str]:
    with psycopg.connect(dsn) as connection:
        return [row[0] for row in connection.execute("SELECT name FROM migrations ORDER BY 1")]


def test_applies_every_file_once_when_run_twice(empty_dsn: str) -> None:
    expected = [migration.name for migration in read_migrations()]
    assert migrate(empty_dsn) == expected
    assert migrate(empty_dsn) == []
    assert names_applied(empty_dsn) == expected


def test_applies_every_file_once_when_run_from_four_places_at_once(empty_dsn: str) -> None:
    with ThreadPoolExecutor(4) as places:
        applied = list(places.map(migrate, [empty_dsn] * 4))
    assert sorted(applied, key=len)[:3] == [[], [], []]
    assert names_applied(empty_dsn) == [migration.name for migration in read_migrations()]


def test_names_the_file_that_changed_after_it_was_applied(empty_dsn: str, files: Path) -> None:
    migrate(empty_dsn, files)
    changed = files / "002_queries.sql"
    changed.write_text(changed.read_text() + "\n-- a later thought\n")
    with pytest.raises(MigrationFailed, match=r"002_queries\.sql"):
        migrate(empty_dsn, files)


def test_names_the_file_that_is_gone_after_it_was_applied(empty_dsn: str, files: Path) -> None:
    migrate(empty_dsn, files)
    (files / "004_folding.sql").unlink()
    with pytest.raises(MigrationFailed, match=r"004_folding\.sql"):
        migrate(empty_dsn, files)


def test_names_the_file_that_fails_and_leaves_nothing_of_the_run(
    empty_dsn: str, files: Path
) -> None:
    (files / "900_broken.sql").write_text("CREATE TABLE fine (a integer); CREATE TABLE broken (;")
    with pytest.raises(MigrationFailed, match=r"900_broken\.sql"):
        migrate(empty_dsn, files)
    with psycopg.connect(empty_dsn) as connection:
        tables = connection.execute("SELECT FROM pg_tables WHERE schemaname = 'public'")
        assert tables.rowcount == 0


def test_refuses_two_files_with_one_number(files: Path) -> None:
    (files / "002_again.sql").write_text("SELECT 1;")
    with pytest.raises(MigrationFailed, match="number"):
        read_migrations(files)


def test_gives_the_roles_their_passwords_again_without_harm(postgres_server: Server) -> None:
    main = postgres_server.dsn(database="postgres")
    create_roles(main, postgres_server.passwords)
    for role in ROLES:
        with psycopg.connect(postgres_server.dsn(role, "postgres")) as connection:
            assert connection.execute("SELECT session_user").fetchone() == (role,)


def test_starts_once_and_joins_a_server_that_runs(fresh_database: BookDatabase) -> None:
    server = fresh_database.server
    again = start_server(server.directory, durable=False)
    assert (again.port, dict(again.passwords)) == (server.port, dict(server.passwords))


def test_keeps_its_passwords_to_itself(postgres_server: Server) -> None:
    mode = (postgres_server.directory / "passwords.json").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_lets_nobody_in_without_the_password(postgres_server: Server) -> None:
    wrong = postgres_server.dsn(database="postgres").replace(
        postgres_server.passwords["postgres"], "wrong"
    )
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(wrong, connect_timeout=5)
