"""Asks a book's golden questions after each ingest, and of an edit before it is published."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from functions.ingest.outcome import Outcome
from functions.runtime.settings import Settings
from quoth.golden.ask import FILE_NAME, NotAsked, load_golden
from quoth.golden.evaluate import ask_aside, ask_index, line_of
from quoth.golden.grade import Judged, unanswerable_now
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


HISTORY_FILE = "golden.json"


def read_history(folder: Path) -> list[tuple[str, bool]]:
    """(question, held) of the last time; empty when there is none that can be read."""
    try:
        kept = json.loads((folder / HISTORY_FILE).read_text("utf-8"))
        return [(str(question), bool(held)) for question, held in kept["held"].items()]
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return []


def write_history(folder: Path, judged: Sequence[Judged]) -> None:
    """Keep what came of the questions. A question that is asked of several pages holds on all."""
    held: dict[str, bool] = {}
    for each in judged:
        held[each.asked.question] = held.get(each.asked.question, True) and each.holds
    path = folder / HISTORY_FILE
    new = path.with_suffix(".new")
    new.write_text(json.dumps({"held": held}, ensure_ascii=False), "utf-8")
    new.replace(path)


@dataclass(frozen=True, slots=True)
class GoldenPreview:
    """`judged` is what the folder does; `lost` hold in the index as it is, and would not any more.

    `compared` is how many were asked of the index as it is, when it was last taken in.
    """

    judged: Sequence[Judged] = ()
    lost: Sequence[Judged] = ()
    compared: int = 0

    @property
    def failing(self) -> list[Judged]:
        return [each for each in self.judged if not each.holds]


def preview_golden(folder: Path, file: Path, history: Path | None, known: str) -> GoldenPreview:
    """Index the folder aside, ask it, and compare with what the book's own index answers.

    `history` is the folder of the book's store, `known` the address of its database. Raises
    BadRow, NotAsked and the errors of the parts.
    """
    golden = load_golden(folder, file, strict=False)
    before = read_history(history) if history else []
    judged = asyncio.run(ask_aside(folder, golden, known=known))
    return GoldenPreview(judged, unanswerable_now(before, judged), len(before))
