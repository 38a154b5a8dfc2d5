"""Watches a book's folder and brings each change into the bucket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError
from watchfiles import awatch

from quoth.events.sync import SKIPPED_FOLDERS, FolderSync, Synced

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
