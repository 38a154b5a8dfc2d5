"""Puts what changed in a book's folder into the bucket, at the start and after each change."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError
from watchfiles import awatch

from functions.book.site.manifest import FILE_NAME
from quoth.book_files import MARKDOWN, SKIPPED_FOLDERS, key_of, reason_to_leave, reason_to_skip

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

TAKEN_NAMES = frozenset({"_category_.json", "_category_.yml", "mkdocs.yml", "mkdocs.yaml"})
BUILD_FOLDERS = ("build", "site")
"""Where Docusaurus and MkDocs build a site: of it, only the manifests are taken."""
SETTLE_S = 1.0
"""A file that changed less than this many seconds ago may be half written."""
UNFINISHED = "it is still being written; it is read when it is complete"


@dataclass(frozen=True, slots=True)
class Synced:
    """What one synchronisation changed in the bucket, by key. `skipped` are (path, reason); of
    these, `unread` are files of the book that keep their last version: they cannot be read, or are
    `unfinished`."""

    put: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    unchanged: int = 0
    skipped: tuple[tuple[str, str], ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def unfinished(self) -> tuple[str, ...]:
        return tuple(key for key, reason in self.skipped if reason == UNFINISHED)


@dataclass(frozen=True, slots=True)
class _File:
    key: str
    path: Path
    stamp: tuple[int, int]


@dataclass(slots=True)
class _Look:
    """What one look at the folder found. `closed` are folders that cannot be listed."""

    skipped: list[tuple[str, str]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    closed: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def keep(self, key: str, reason: str) -> None:
        self.skipped.append((key, reason))
        self.unread.append(key)

    def is_gone(self, key: str) -> bool:
        return key not in self.seen and not key.startswith(tuple(self.closed))


class FolderSync:
    """Keeps a bucket equal to a folder. One thread at a time.

    It deletes only objects that it uploaded itself; others are left alone. A file that changed
    within `settle_s` seconds is left for the next run.
    """

    def __init__(
        self, folder: Path, bucket: str, client: S3Client, *, settle_s: float = 0.0
    ) -> None:
        self._folder = folder.resolve()
        self._bucket = bucket
        self._client = client
        self._settle_s = settle_s
        self._known: dict[str, str] | None = None  # MD5 by key, of what the bucket was given
        self._stamps: dict[str, tuple[int, int]] = {}
        self._fresh: dict[str, tuple[tuple[int, int], float]] = {}  # stamp, and since when

    def run(self) -> Synced:
        """Put what is new or changed, delete what is gone. Raises botocore's errors."""
        known = self._known if self._known is not None else self._listed()
        self._known = known
        look = _Look()
        put: list[str] = []
        unchanged = 0
        for found in (*self._manifests(look.seen), *self._walk(look)):
            if found.key in known and self._stamps.get(found.key) == found.stamp:
                unchanged += 1
                continue
            try:
                data = self._read_finished(found)
            except OSError as error:
                look.keep(found.key, error.strerror or "it cannot be read")
                continue
            if data is None:
                look.keep(found.key, UNFINISHED)
                continue
            digest = hashlib.md5(data, usedforsecurity=False).hexdigest()
            if known.get(found.key) != digest:
                self._client.put_object(Bucket=self._bucket, Key=found.key, Body=data)
                known[found.key] = digest
                put.append(found.key)
            else:
                unchanged += 1
            self._stamps[found.key] = found.stamp
        gone = sorted(key for key in self._stamps if look.is_gone(key))
        for key in gone:
            self._client.delete_object(Bucket=self._bucket, Key=key)
            known.pop(key, None)
            del self._stamps[key]
        return Synced(tuple(put), tuple(gone), unchanged, tuple(look.skipped), tuple(look.unread))

    def _read_finished(self, found: _File) -> bytes | None:
        """The file's content; None while it is being written."""
        if self._settle_s and not self._has_settled(found):
            return None
        with found.path.open("rb") as file:
            if _is_being_written(file.fileno()):
                return None
            data = file.read()
        return data if _stamp(found.path.stat()) == found.stamp else None

    def _has_settled(self, found: _File) -> bool:
        """Whether it is old enough, by the clock or, where clocks differ, by our own looks."""
        now = time.monotonic()
        stamp, since = self._fresh.get(found.key, (None, now))
        if stamp != found.stamp:
            self._fresh[found.key], since = (found.stamp, now), now
        age = max(time.time() - found.stamp[0] / 1e9, now - since)
        if age < self._settle_s:
            return False
        del self._fresh[found.key]
        return True

    def _listed(self) -> dict[str, str]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket)
        return {
            found["Key"]: found["ETag"].strip('"')
            for page in pages
            for found in page.get("Contents", [])
        }

    def _manifests(self, seen: set[str]) -> list[_File]:
        """The built site's manifest and those of its other languages, each in a folder of its own.

        First of all, so that the documents find them there.
        """
        for folder in (*(self._folder / name for name in BUILD_FOLDERS), self._folder):
            if (folder / FILE_NAME).is_file():
                break
        else:
            return []
        found: list[_File] = []
        for path in (folder / FILE_NAME, *sorted(folder.glob(f"*/{FILE_NAME}"))):
            if path.parent.name in SKIPPED_FOLDERS and path.parent != folder:
                continue
            key = path.relative_to(folder).as_posix()
            seen.add(key)
            found.append(_File(key, path, _stamp(path.stat())))
        return found

    def _walk(self, look: _Look) -> Iterator[_File]:
        """The book's files. What is there and cannot be read now is kept as it was."""

        def unlistable(error: OSError) -> None:
            path = Path(error.filename)
            key = "" if path == self._folder else self._key(path) + "/"
            look.closed.append(key)
            look.keep(key or "./", error.strerror or "it cannot be listed")

        for folder, folders, names in os.walk(self._folder, onerror=unlistable):
            here = Path(folder)
            for name in sorted(folders):
                if reason := reason_to_skip(here / name):
                    folders.remove(name)
                    look.skipped.append((self._key(here / name) + "/", reason))
            folders.sort()
            for name in sorted(names):
                path = here / name
                if path.suffix.lower() not in MARKDOWN and name not in TAKEN_NAMES:
                    continue
                key = self._key(path)
                if reason := reason_to_leave(self._folder, path):
                    look.skipped.append((key, reason))
                    continue
                look.seen.add(key)
                try:
                    found = path.stat()
                except OSError as error:
                    look.keep(key, error.strerror or "it cannot be read")
                    continue
                yield _File(key, path, _stamp(found))

    def _key(self, path: Path) -> str:
        return key_of(self._folder, path)


def _stamp(found: os.stat_result) -> tuple[int, int]:
    return found.st_mtime_ns, found.st_size


def _is_being_written(handle: int) -> bool:
    """Whether a program of this machine has the file open for writing. Only Linux can tell: it
    gives no read lease on such a file."""
    if sys.platform != "linux":
        return False
    # A program that opens the file meanwhile is announced by this signal, which ends nobody.
    fcntl.fcntl(handle, fcntl.F_SETSIG, signal.SIGURG)
    try:
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except BlockingIOError:
        return True
    except OSError:
        return False  # another's file, or a file system without leases
    fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False


DEBOUNCE_MS = 400
COMPARE_MS = 10_000
"""The folder is compared this often also when nothing was heard: not every disk tells."""


async def watch_folder(
    folder: Path,
    sync: FolderSync,
    progress: Callable[[Synced], None],
    stop: asyncio.Event | None = None,
) -> None:
    """Sync after each change in the folder and now and then, until cancelled or `stop` is set.

    A change only says that something happened; the whole folder is compared then, so that no
    rename, no moved folder and no editor's way of saving is missed. While a file is being written,
    it is looked at each SETTLE_S seconds.
    """
    async for _ in awatch(
        folder,
        watch_filter=lambda _, path: _is_watched(folder, path),
        debounce=DEBOUNCE_MS,
        rust_timeout=COMPARE_MS,
        yield_on_timeout=True,
        stop_event=stop,
        ignore_permission_denied=True,
    ):
        unfinished = True
        while unfinished:
            try:
                synced = await asyncio.to_thread(sync.run)
            except (BotoCoreError, ClientError, OSError):
                break  # the next look compares everything again
            progress(synced)
            if unfinished := bool(synced.unfinished):
                await asyncio.sleep(SETTLE_S)


def _is_watched(folder: Path, path: str) -> bool:
    try:
        parts = Path(path).relative_to(folder).parts
    except ValueError:
        return True
    return not any(part.startswith(".") or part in SKIPPED_FOLDERS for part in parts)
