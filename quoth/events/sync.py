"""Puts what changed in a book's folder into the bucket, at the start and after each change."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from functions.book.site.manifest import FILE_NAME
from quoth.book_files import SKIPPED_FOLDERS, key_of, reason_to_leave, reason_to_skip

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
import asyncio
from collections.abc import Callable

from botocore.exceptions import BotoCoreError, ClientError
from watchfiles import awatch

TAKEN_SUFFIXES = frozenset({".md", ".mdx"})
TAKEN_NAMES = frozenset({"_category_.json", "_category_.yml"})
BUILD_FOLDER = "build"
"""Where a Docusaurus site is built: of it, only the manifests are taken."""


@dataclass(frozen=True, slots=True)
class Synced:
    """What one synchronisation changed in the bucket, by key. `skipped` are (path, reason)."""

    put: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    unchanged: int = 0
    skipped: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _File:
    key: str
    path: Path
    stamp: tuple[int, int]


class FolderSync:
    """Keeps a bucket equal to a folder. One thread at a time.

    It deletes only objects that it uploaded itself; others are left alone.
    """

    def __init__(self, folder: Path, bucket: str, client: S3Client) -> None:
        self._folder = folder.resolve()
        self._bucket = bucket
        self._client = client
        self._known: dict[str, str] | None = None  # MD5 by key, of what the bucket was given
        self._stamps: dict[str, tuple[int, int]] = {}

    def run(self) -> Synced:
        """Put what is new or changed, delete what is gone. Raises botocore's errors."""
        known = self._known if self._known is not None else self._listed()
        self._known = known
        skipped: list[tuple[str, str]] = []
        seen: set[str] = set()
        put: list[str] = []
        unchanged = 0
        for found in (*self._manifests(seen), *self._walk(skipped, seen)):
            if found.key in known and self._stamps.get(found.key) == found.stamp:
                unchanged += 1
                continue
            try:
                data = found.path.read_bytes()
            except OSError as error:
                skipped.append((found.key, error.strerror or "it cannot be read"))
                continue
            digest = hashlib.md5(data, usedforsecurity=False).hexdigest()
            if known.get(found.key) != digest:
                self._client.put_object(Bucket=self._bucket, Key=found.key, Body=data)
                known[found.key] = digest
                put.append(found.key)
            else:
                unchanged += 1
            self._stamps[found.key] = found.stamp
        gone = sorted(key for key in self._stamps if key not in seen)
        for key in gone:
            self._client.delete_object(Bucket=self._bucket, Key=key)
            known.pop(key, None)
            del self._stamps[key]
        return Synced(tuple(put), tuple(gone), unchanged, tuple(skipped))

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
        for folder in (self._folder / BUILD_FOLDER, self._folder):
            if (folder / FILE_NAME).is_file():
                break
        else:
            return []
        found: list[_File] = []
        for path in (folder / FILE_NAME, *sorted(folder.glob(f"*/{FILE_NAME}"))):
            if path.parent.name in SKIPPED_FOLDERS and path.parent != folder:
                continue
            stat = path.stat()
            key = path.relative_to(folder).as_posix()
            seen.add(key)
            found.append(_File(key, path, (stat.st_mtime_ns, stat.st_size)))
        return found

    def _walk(self, skipped: list[tuple[str, str]], seen: set[str]) -> Iterator[_File]:
        """The book's files. `seen` also gets those that are there but cannot be read now."""
        for folder, folders, names in os.walk(self._folder):
            here = Path(folder)
            for name in sorted(folders):
                if reason := reason_to_skip(here / name):
                    folders.remove(name)
                    skipped.append((self._key(here / name) + "/", reason))
            folders.sort()
            for name in sorted(names):
                path = here / name
                if path.suffix.lower() not in TAKEN_SUFFIXES and name not in TAKEN_NAMES:
                    continue
                key = self._key(path)
                if reason := reason_to_leave(self._folder, path):
                    skipped.append((key, reason))
                    continue
                seen.add(key)
                try:
                    found = path.stat()
                except OSError as error:
                    skipped.append((key, error.strerror or "it cannot be read"))
                    continue
                yield _File(key, path, (found.st_mtime_ns, found.st_size))

    def _key(self, path: Path) -> str:
        return key_of(self._folder, path)


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
    rename, no moved folder and no editor's way of saving is missed.
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
        try:
            synced = await asyncio.to_thread(sync.run)
        except (BotoCoreError, ClientError, OSError):
            continue  # the next look compares everything again
        if synced.put or synced.deleted:
            progress(synced)


def _is_watched(folder: Path, path: str) -> bool:
    try:
        parts = Path(path).relative_to(folder).parts
    except ValueError:
        return True
    return not any(part.startswith(".") or part in SKIPPED_FOLDERS for part in parts)
