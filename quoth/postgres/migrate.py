"""Brings a database to the newest schema, and gives the roles their passwords."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from quoth.shipped import shipped

MIGRATIONS = shipped("infra/migrations")
ROLES = ("quoth_query", "quoth_selected", "quoth_ingest", "quoth_analytics")
"""One login role per function."""

_LOCK = 0x71756F7468  # "quoth"
_CONNECT_SECONDS = 10


class MigrationFailed(RuntimeError):
    """The database cannot be brought up to date; the message names the file."""


class OtherMigrations(MigrationFailed):
    """The database was made by a version of Quoth with other migrations."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file. `hash` is the SHA-256 of its text, in hex."""

    name: str
    text: str
    hash: str


def read_migrations(directory: Path = MIGRATIONS) -> list[Migration]:
    """The migrations in order of their numbers. MigrationFailed when two share a number."""
    found: dict[str, Migration] = {}
    for path in sorted(directory.glob("*.sql")):
        number = path.name.split("_", 1)[0]
        if not number.isdigit() or number in found:
            raise MigrationFailed(f"{path.name}: each migration needs a number of its own")
        text = path.read_text(encoding="utf-8")
        found[number] = Migration(path.name, text, hashlib.sha256(text.encode()).hexdigest())
    return list(found.values())


def migrate(dsn: str, directory: Path = MIGRATIONS) -> list[str]:
    """Apply what is missing, all or nothing, and return the names applied.

    Safe to run twice and from several machines at once: the second waits for the first and finds
    nothing to do. Needs the owner's direct address, not a pooled one. MigrationFailed when a file
    fails, or when one that was applied has changed since or is gone.
    """
    migrations = read_migrations(directory)
    with psycopg.connect(dsn, connect_timeout=_CONNECT_SECONDS) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations ("
            "name text PRIMARY KEY, hash text NOT NULL,"
            " applied_at timestamptz NOT NULL DEFAULT clock_timestamp())"
        )
        rows = connection.execute("SELECT name, hash FROM migrations").fetchall()
        applied: dict[str, str] = dict(rows)
        _refuse_changed(applied, migrations)
        pending = [migration for migration in migrations if migration.name not in applied]
        for migration in pending:
            try:
                connection.execute(migration.text.encode())
            except psycopg.Error as error:
                raise MigrationFailed(f"{migration.name}: {error}") from error
            connection.execute(
                "INSERT INTO migrations (name, hash) VALUES (%s, %s)",
                (migration.name, migration.hash),
            )
    return [migration.name for migration in pending]


def create_roles(dsn: str, passwords: Mapping[str, str], roles: Sequence[str] = ROLES) -> None:
    """Create the functions' roles where they are missing and set their passwords.

    Idempotent. What a role may do is granted by the migrations. KeyError when one of `roles` has
    no password.
    """
    with psycopg.connect(dsn, connect_timeout=_CONNECT_SECONDS) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        for role in roles:
            known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,))
            statement = "ALTER ROLE {} LOGIN PASSWORD {}"
            if known.fetchone() is None:
                statement = "CREATE ROLE {} LOGIN PASSWORD {}"
            connection.execute(
                sql.SQL(statement).format(sql.Identifier(role), sql.Literal(passwords[role]))
            )


def create_database(dsn: str, name: str, template: str | None = None) -> None:
    """Create the database `name` unless it exists, as a copy of `template` when one is given."""
    with psycopg.connect(dsn, connect_timeout=_CONNECT_SECONDS, autocommit=True) as connection:
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,))
        if known.fetchone() is not None:
            return
        statement = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
        if template is not None:
            statement += sql.SQL(" TEMPLATE {}").format(sql.Identifier(template))
        connection.execute(statement)


def _refuse_changed(applied: Mapping[str, str], migrations: list[Migration]) -> None:
    present = {migration.name: migration.hash for migration in migrations}
    for name, file_hash in sorted(applied.items()):
        if name not in present:
            raise OtherMigrations(f"{name} was applied to this database but is gone")
        if present[name] != file_hash:
            raise OtherMigrations(f"{name} has changed since it was applied; add a new file")
