"""Asks a book's golden questions when it was taken in, and tells what an edit took away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from functions.ingest.outcome import Outcome
from functions.runtime.settings import Settings
from quoth.golden.ask import FILE_NAME, NotAsked, load_golden
from quoth.golden.evaluate import ask_index, line_of
from quoth.golden.grade import Judged, unanswerable_now
from quoth.golden.history import read_history, write_history
from quoth.json_lines import BadRow
from quoth.stack import Stack

QUIET_SECONDS = 2.0
"""An edit is over when nothing was taken in for so long."""

Say = Callable[[str], None]


async def check_golden(book: Path, folder: Path, settings: Settings, say: Say) -> None:
    """Ask the questions of the book's golden.yaml, where there is one, and compare with last time.

    `folder` keeps what they came to; `settings` are the query function's.
    """
    file = book / FILE_NAME
    if not file.is_file():
        return
    before = read_history(folder)
    try:
        judged = await ask_index(settings, load_golden(book, file, strict=False))
    except (BadRow, NotAsked) as error:
        say(f"Golden questions were not asked: {error}")
        return
    write_history(folder, judged)
    for line in lines_of(before, judged):
        say(line)


def lines_of(before: list[tuple[str, bool]], judged: list[Judged]) -> list[str]:
    """How many questions hold, and each that held before and is not answered any more."""
    held = sum(each.holds for each in judged)
    lines = [f"Golden questions: {held} of {len(judged)} hold."]
    if lost := unanswerable_now(before, judged):
        lines.append(f"Answered before, not any more: {len(lost)}")
        lines += [line_of(each) for each in lost]
    elif held < len(judged):
        lines.append("  `quoth eval golden` tells of the others.")
    return lines


async def follow_golden(stack: Stack, folder: Path, say: Say) -> None:
    """Check now, and again after each edit, until cancelled."""
    changed = asyncio.Event()

    def heard(outcome: Outcome) -> None:
        if outcome.action in ("created", "updated", "removed"):
            changed.set()

    stack.reports.append(heard)
    try:
        while True:
            await check_golden(stack.book, folder, stack.settings["query"], say)
            await changed.wait()
            while changed.is_set():
                changed.clear()
                await asyncio.sleep(QUIET_SECONDS)
    finally:
        stack.reports.remove(heard)
