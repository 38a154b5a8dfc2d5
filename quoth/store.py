"""Where a book's data lives on this machine, and who is using it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from quoth.shipped import shipped

DEFAULT_BOOK = shipped("examples/book")
"""The sample book."""


MB = 1024 * 1024
LEAST_FREE = 100 * MB
"""The database keeps its log in files of 16 MB; a new store takes 50 MB."""


FULL = 16 * MB
"""With less, the database cannot write."""


class StoreUnusable(RuntimeError):
    """The store's folder cannot be written, or its disk is full. The message says which."""


class StoreInUse(RuntimeError):
    """Another `quoth` holds the store. The message says where it answers."""


@dataclass(frozen=True, slots=True)
class Store:
    """The folder of one book's data."""

    folder: Path

    @property
    def dashboard_link(self) -> Path:
        """The file with the key of the dashboard's one-time link."""
        return self.folder / "dashboard-link"

    @property
    def running_url(self) -> str | None:
        """The address of the `quoth up` that uses the store, if one answers."""
        try:
            url = str(json.loads((self.folder / "running.json").read_text("utf-8"))["url"])
            with urllib.request.urlopen(f"{url}/health", timeout=2):  # noqa: S310  # loopback
                return url
        except (OSError, ValueError, KeyError):
            return None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the store while the block runs. Raises StoreInUse and StoreUnusable."""
        with self._opened_lock() as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                url = self.running_url
                where = f"; it answers at {url}" if url else ""
                raise StoreInUse(
                    f"The store of this book is in use by another quoth{where}."
                ) from error
            try:
                yield
            except Exception as error:
                if shutil.disk_usage(self.folder).free > FULL:
                    raise
                raise StoreUnusable(f"The disk of {self.folder} is full: free some.") from error
            finally:
                (self.folder / "running.json").unlink(missing_ok=True)
                self.dashboard_link.unlink(missing_ok=True)

    def _opened_lock(self) -> IO[str]:
        other = "choose another folder with --data"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = (self.folder / "lock").open("w")
            free = shutil.disk_usage(self.folder).free
        except OSError as error:
            why = error.strerror or "it cannot be written"
            raise StoreUnusable(f"No data can be kept in {self.folder}: {why}; {other}.") from error
        if free < LEAST_FREE:
            lock.close()
            raise StoreUnusable(
                f"The disk of {self.folder} has {free // MB} MB left, and Quoth needs"
                f" {LEAST_FREE // MB}: free some, or {other}."
            )
        return lock

    def announce(self, url: str) -> None:
        """Record the address for other commands on this machine."""
        (self.folder / "running.json").write_text(json.dumps({"url": url}), "utf-8")


def store_of(book: Path, data: Path | None = None) -> Store:
    """The store of a book: under `data`, else in the user's data folder, one per book folder."""
    book = book.resolve()
    name = f"{book.name}-{hashlib.sha256(str(book).encode()).hexdigest()[:10]}"
    return Store((data or data_folder()) / name)


def data_folder() -> Path:
    """Where the stores are, unless a command is told otherwise."""
    if given := os.environ.get("QUOTH_DATA"):
        return Path(given)
    if os.getuid() == 0:
        # The database cannot run as root, and root's home is closed to other accounts.
        return Path("/var/lib/quoth")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "quoth"
