"""Makes a database ready from its owner's address: migrations, roles, an address per function."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg

from quoth.doctor.deployment import ROOMS
from quoth.postgres.migrate import MigrationFailed, create_roles, migrate

NEON = ".neon.tech"
SECONDS = 10
ENCRYPTED = "sslmode=require&channel_binding=require"
LOCAL = ("127.0.0.1", "localhost", "::1")


class DatabaseNotReady(Exception):
    """The database could not be made ready. The message says why, without the address."""


def prepare_database(owner: str, pooled_host: str, known: Mapping[str, str]) -> dict[str, str]:
    """Addresses by room, after all migrations, with the roles made.

    `known` are addresses by room that are stored already: one that still works stays, so that the
    functions that run keep their passwords. `pooled_host` is host:port of the pooler, empty for
    the one that Neon has beside the owner's host. DatabaseNotReady.
    """
    try:
        parts = urlsplit(owner)
        host = parts.hostname
    except ValueError as error:
        raise DatabaseNotReady("the owner's address is no address") from error
    if parts.scheme not in ("postgres", "postgresql") or not host or not parts.path.strip("/"):
        raise DatabaseNotReady("the owner's address is postgresql://owner:password@host/database")
    if "-pooler." in host:
        raise DatabaseNotReady("migrations need the direct host: the one without -pooler")
    pooled = pooled_host or pooled_of(host, parts.port)
    if not pooled:
        raise DatabaseNotReady("only Neon's pooled host is known; give pooled_host for another")
    try:
        migrate(owner)
        working = {room: url for room, url in known.items() if _works(url, room, pooled)}
        missing = [room for room in ROOMS if room not in working]
        if missing:
            passwords = {f"quoth_{room}": secrets.token_urlsafe(24) for room in missing}
            create_roles(owner, passwords, [f"quoth_{room}" for room in missing])
            query = ENCRYPTED if host not in LOCAL else ""
            for room in missing:
                login = f"quoth_{room}:{quote(passwords[f'quoth_{room}'])}"
                address = ("postgresql", f"{login}@{pooled}", parts.path, query, "")
                working[room] = urlunsplit(address)
    except MigrationFailed as error:
        raise DatabaseNotReady(str(error)) from error
    except psycopg.Error as error:
        said = str(error).splitlines()
        raise DatabaseNotReady(_without_login(said[0] if said else "", parts.password)) from error
    return working


def pooled_of(host: str, port: int | None) -> str:
    """Neon's pooled host beside a direct one; "" where there is no such rule."""
    if not host.endswith(NEON):
        return ""
    first, _, rest = host.partition(".")
    return f"{first}-pooler.{rest}" + (f":{port}" if port else "")


def _works(address: str, room: str, pooled: str) -> bool:
    if f"@{pooled}/" not in address:
        return False
    try:
        with psycopg.connect(
            address, connect_timeout=SECONDS, prepare_threshold=None, autocommit=True
        ) as connection:
            row = connection.execute("SELECT current_user::text").fetchone()
    except psycopg.Error:
        return False
    return row == (f"quoth_{room}",)


def _without_login(said: str, password: str | None) -> str:
    return said.replace(password, "…") if password else said
