"""Writes what a stage needs: schema and roles in its database, samconfig.toml, secrets in SSM."""

from __future__ import annotations

import re
import secrets
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg

from quoth.doctor.aws_checks import client
from quoth.doctor.deployment import CDN_SECRET, ROOMS, Deployment, NotConfigured, split_overrides
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


def stored_ceiling(address: str) -> str:
    """The monthly ceiling in dollars that a database has; "" without one, or without an answer."""
    if not address:
        return ""
    try:
        with psycopg.connect(
            address, connect_timeout=SECONDS, prepare_threshold=None, autocommit=True
        ) as connection:
            row = connection.execute("SELECT monthly_ceiling_usd FROM limit_settings").fetchone()
    except psycopg.Error:
        return ""
    return str(row[0]) if row and row[0] is not None else ""


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


PLAIN = re.compile(r"[A-Za-z0-9_.,:/@+*?=&%~-]*")


def write_parameters(
    path: Path, stage: str, parameters: Mapping[str, str], region: str | None
) -> None:
    """Set these parameters of the stage, keeping its others. NotConfigured without the stage."""
    for name, value in parameters.items():
        if not PLAIN.fullmatch(value):
            raise NotConfigured(f"{name} has a character that `sam deploy` would split at: {value}")
    lines = path.read_text("utf-8").splitlines()
    header = f"[{stage}.deploy.parameters]"
    if header not in lines:
        raise NotConfigured(f"{path.name} has no {header}")
    start = lines.index(header) + 1
    end = next((at for at in range(start, len(lines)) if lines[at].startswith("[")), len(lines))
    section = lines[start:end]
    while section and not section[-1].strip():
        section.pop()
    known = _overrides(section)
    kept = _without(section, "parameter_overrides")
    if region is not None:
        kept = [*_without(kept, "region"), f'region = "{region}"']
    pairs = [f'  "{name}={value}",' for name, value in (known | dict(parameters)).items()]
    gap = [""] if end < len(lines) else []
    written = [*lines[:start], *kept, "parameter_overrides = [", *pairs, "]", *gap, *lines[end:]]
    path.write_text("\n".join(written) + "\n", "utf-8")


def _overrides(section: list[str]) -> dict[str, str]:
    given = tomllib.loads("\n".join(section)).get("parameter_overrides", [])
    return split_overrides(given)


def _without(section: list[str], key: str) -> list[str]:
    """The lines without the key's, which may be a list over several lines."""
    kept: list[str] = []
    inside = False
    for line in section:
        if re.match(rf"{key}\s*=", line):
            inside = line.rstrip().endswith("[")
            continue
        if inside:
            inside = line.strip() != "]"
            continue
        kept.append(line)
    return kept


RANDOM_BYTES = 32


def store_secrets(
    deployment: Deployment, values: Mapping[str, str], stored: Mapping[str, str]
) -> list[str]:
    """Write what differs from `stored`, as SecureStrings where that can be; the names written."""
    ssm = client("ssm", deployment.region)
    written = []
    for secret, value in sorted(values.items()):
        if stored.get(secret) == value:
            continue
        name = deployment.secret_name(secret)
        kind = "String" if secret == CDN_SECRET else "SecureString"
        ssm.put_parameter(Name=name, Value=value, Type=kind, Overwrite=True)
        written.append(name)
    return written


def random_values(names: Iterable[str], stored: Mapping[str, str]) -> dict[str, str]:
    """A random value for each name without one: keys that only the functions use."""
    return {name: stored.get(name) or secrets.token_urlsafe(RANDOM_BYTES) for name in names}
