"""A PostgreSQL of our own for one laptop: on 127.0.0.1, with a password for every role."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from quoth.postgres.migrate import ROLES
from quoth.postgres.programs import (
    Account,
    PostgresFailed,
    find_account,
    find_programs,
    run_program,
)

ADMINISTRATOR = "postgres"
_SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 300
shared_buffers = 64MB
timezone = 'UTC'
log_timezone = 'UTC'
"""
_FAST_SETTINGS = """
fsync = off
full_page_writes = off
synchronous_commit = off
"""


@dataclass(frozen=True)
class Server:
    """A running server. `passwords` are by role, the administrator `postgres` included."""

    directory: Path
    port: int
    passwords: Mapping[str, str]

    def dsn(self, role: str = ADMINISTRATOR, database: str = "quoth") -> str:
        """The address to log in to `database` as `role`."""
        password = quote(self.passwords[role])
        return f"postgresql://{role}:{password}@127.0.0.1:{self.port}/{database}"


def start_server(directory: Path, *, durable: bool = True) -> Server:
    """Start the server that lives in `directory`, made on first use; one that runs is joined.

    The server outlives the caller until `stop_server`. As root the folder must not stand in a home
    directory that others may not enter. `durable=False` trades crash safety for speed, for tests.
    PostgresFailed when it cannot start.
    """
    directory = directory.resolve()
    directory.mkdir(parents=True, exist_ok=True)
    account = find_account()
    programs = find_programs(directory, account)
    data = directory / "data"
    passwords = _read_passwords(directory)
    if not (data / "PG_VERSION").exists():
        _initialise(programs, data, passwords[ADMINISTRATOR], account)
    (data / "postgresql.auto.conf").write_text(_SETTINGS + ("" if durable else _FAST_SETTINGS))
    port = _running_port(programs, data, account)
    if port is None:
        port = _start(programs, data, account)
    return Server(directory, port, passwords)


def stop_server(directory: Path) -> None:
    """Stop the server of `directory`, ending its sessions. Nothing happens when none runs."""
    directory = directory.resolve()
    account = find_account()
    programs = find_programs(directory, account)
    if _running_port(programs, directory / "data", account) is not None:
        _control(programs, directory / "data", account, "stop", "-m", "fast")


def _initialise(programs: Path, data: Path, password: str, account: Account | None) -> None:
    # A folder without PG_VERSION is what an interrupted start left.
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(mode=0o700)
    password_file = data.parent / "administrator-password"
    _write_private(password_file, password)
    if account is not None:
        os.chown(data, account.uid, account.gid)
        os.chown(password_file, account.uid, account.gid)
    try:
        run_program(
            programs / "initdb",
            [
                *("-D", str(data), "-U", ADMINISTRATOR, f"--pwfile={password_file}"),
                *("--auth=scram-sha-256", "--encoding=UTF8", "--no-sync", "--no-instructions"),
                *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
            ],
            account,
        )
    finally:
        password_file.unlink()


def _start(programs: Path, data: Path, account: Account | None) -> int:
    failure = PostgresFailed("no free port")
    for _ in range(5):  # another program may take the port between the look and the start
        port = _free_port()
        try:
            _control(programs, data, account, "start", "-l", str(data / "log"), "-o", f"-p {port}")
            return port
        except PostgresFailed as error:
            failure = error
    log = data / "log"
    said = log.read_text(errors="replace")[-2000:] if log.exists() else ""
    raise PostgresFailed(f"{failure}\n{said}")


def _control(programs: Path, data: Path, account: Account | None, *command: str) -> None:
    run_program(programs / "pg_ctl", [*command, "-D", str(data), "-w", "-t", "30"], account)


def _running_port(programs: Path, data: Path, account: Account | None) -> int | None:
    """The port of the server that runs on `data`. pg_ctl knows a stale pid file from a live one."""
    try:
        _control(programs, data, account, "status")
        return int((data / "postmaster.pid").read_text().splitlines()[3])
    except (PostgresFailed, OSError, ValueError, IndexError):
        return None


def _read_passwords(directory: Path) -> dict[str, str]:
    path = directory / "passwords.json"
    passwords: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    missing = [role for role in (ADMINISTRATOR, *ROLES) if role not in passwords]
    if missing:
        passwords |= {role: secrets.token_urlsafe(24) for role in missing}
        _write_private(path, json.dumps(passwords, indent=1))
    return passwords


def _write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(text)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
