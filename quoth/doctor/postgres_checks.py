"""Checks of the database: pooled, encrypted, one role per function, all migrations, a ceiling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

import psycopg
from psycopg.conninfo import conninfo_to_dict

from quoth.doctor.findings import Finding, failed, passed, warned
from quoth.postgres.migrate import ROLES, read_migrations

SECONDS = 10
NEON = ".neon.tech"
FREE_BYTES = 500_000_000
"""What Neon's free plan holds."""

LOCAL = ("127.0.0.1", "localhost", "::1")
ENCRYPTED = ("require", "verify-ca", "verify-full")
OLDEST = 15
REFUSED_LOGIN = (
    "authentication failed",
    "does not exist",
    "no such user",
    "not permitted to log in",
)
"""How PostgreSQL, and poolers before it, refuse a role."""

MIGRATE = "run `quoth setup --stage …` again: it brings the database up to date"


def check_database(addresses: Mapping[str, str]) -> Iterator[Finding]:
    """Findings for the addresses by room (query, selected, analytics, ingest)."""
    roles: dict[str, bool] = {}
    for room, address in addresses.items():
        try:
            parts = conninfo_to_dict(address)
        except psycopg.ProgrammingError:
            yield failed(
                f"postgres.{room}",
                "its address is no PostgreSQL address",
                "store postgresql://role:password@host/database with `quoth setup`",
            )
            continue
        yield _encrypted(room, parts)
        if NEON in str(parts.get("host")) and "-pooler." not in str(parts.get("host")):
            yield _unpooled(room)
        try:
            connection = psycopg.connect(
                address, connect_timeout=SECONDS, prepare_threshold=None, autocommit=True
            )
        except psycopg.OperationalError as error:
            yield _no_login(room, str(parts.get("user")), str(error))
            continue
        with connection:
            try:
                yield from _check_room(room, str(parts.get("host")), connection)
                known = connection.execute(
                    "SELECT rolname FROM pg_roles WHERE rolname = ANY(%s)", (list(ROLES),)
                )
                roles |= dict.fromkeys((str(row[0]) for row in known), True)
                if room == "analytics":
                    yield from _check_whole(str(parts.get("host")), connection)
            except psycopg.Error as error:
                yield failed(
                    f"postgres.{room}", f"the database refused a question: {_first(error)}", MIGRATE
                )
    if roles:
        missing = [role for role in ROLES if role not in roles]
        if missing:
            yield failed("postgres.roles", f"there is no role {', '.join(missing)}", MIGRATE)
        else:
            yield passed("postgres.roles", "all four roles are there")


def _encrypted(room: str, parts: Mapping[str, object]) -> Finding:
    check = f"postgres.{room}-tls"
    if parts.get("sslmode") in ENCRYPTED or parts.get("host") in LOCAL:
        return passed(check, f"sslmode is {parts.get('sslmode') or 'not needed here'}")
    return failed(
        check,
        "the address does not insist on TLS",
        "add ?sslmode=require&channel_binding=require, as Neon's console shows it",
    )


def _unpooled(room: str) -> Finding:
    return failed(
        f"postgres.{room}-pooled",
        "the address is the direct one: 200 readers at once need more connections than it has",
        "use the pooled host (…-pooler.…) of Neon's console",
    )


def _no_login(room: str, role: str, said: str) -> Finding:
    check = f"postgres.{room}-login"
    if any(words in said for words in REFUSED_LOGIN):
        return failed(
            check,
            f"{role} cannot log in: the role is missing, or its password is another",
            "run `quoth setup` again: it makes the roles and stores their passwords",
        )
    return failed(
        check,
        "the server cannot be reached",
        "check host and port; a sleeping Neon project wakes at the first try, so try again",
    )


def _check_room(
    room: str, host: str, connection: psycopg.Connection[tuple[object, ...]]
) -> Iterator[Finding]:
    row = connection.execute(
        "SELECT current_user::text, pg_backend_pid(), rolsuper OR rolcreaterole OR rolbypassrls"
        " FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    user, process, mighty = row or ("nobody", 0, False)
    wanted = f"quoth_{room}"
    if user != wanted or mighty:
        yield failed(
            f"postgres.{room}-role",
            f"logs in as {user}{', which may do everything' if mighty else ''}, not as {wanted}",
            "store the address of its own role with `quoth setup`",
        )
    else:
        yield passed(f"postgres.{room}-role", f"logs in as {wanted}")
    if NEON in host:
        if "-pooler." in host:
            yield passed(f"postgres.{room}-pooled", "the address is the pooled one")
    # A pooler answers with a number of its own in the server's place.
    elif connection.info.backend_pid == process:
        yield _unpooled(room)
    else:
        yield passed(f"postgres.{room}-pooled", "a pooler is between")


def _check_whole(
    host: str, connection: psycopg.Connection[tuple[object, ...]]
) -> Iterator[Finding]:
    version = connection.info.server_version // 10_000
    if version < OLDEST:
        yield failed("postgres.version", f"PostgreSQL {version}", f"use {OLDEST} or later")
    yield _migrations(connection)
    yield _ceiling(connection)
    size = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    used = int(str(size[0])) if size else 0
    if NEON in host and used > 0.8 * FREE_BYTES:
        yield warned(
            "postgres.plan",
            f"{used / 1e6:.0f} MB of the free plan's {FREE_BYTES / 1e6:.0f} MB are used",
            "shorten the retention, or take a paid plan",
        )
    else:
        yield passed("postgres.plan", f"the database has {used / 1e6:.0f} MB")


def _migrations(connection: psycopg.Connection[tuple[object, ...]]) -> Finding:
    applied: dict[str, str] = {}
    with suppress(psycopg.errors.UndefinedTable, psycopg.errors.InsufficientPrivilege):
        rows = connection.execute("SELECT name, hash FROM migrations").fetchall()
        applied = {str(name): str(digest) for name, digest in rows}
    wanted = {each.name: each.hash for each in read_migrations()}
    missing = sorted(set(wanted) - set(applied))
    other = sorted(
        name for name, digest in applied.items() if wanted.get(name, digest) != digest
    ) + sorted(set(applied) - set(wanted))
    if missing:
        return failed("postgres.migrations", f"not applied: {', '.join(missing)}", MIGRATE)
    if other:
        return failed(
            "postgres.migrations",
            f"of another version of Quoth: {', '.join(other)}",
            "deploy the version that made this database, or begin with an empty one",
        )
    return passed("postgres.migrations", f"all {len(wanted)} are applied")


def _ceiling(connection: psycopg.Connection[tuple[object, ...]]) -> Finding:
    row = connection.execute(
        "SELECT daily_ceiling_usd::float8, monthly_ceiling_usd::float8 FROM limit_settings"
    ).fetchone()
    daily, monthly = row or (None, None)
    if daily is None and monthly is None:
        return warned(
            "postgres.budget",
            "no ceiling is set: only OpenAI's own limit would stop the spending",
            "quoth cost --database-url … --daily-ceiling 2 --monthly-ceiling 30",
        )
    return passed("postgres.budget", f"ceilings: {daily} dollars a day, {monthly} a month")


def _first(error: psycopg.Error) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
