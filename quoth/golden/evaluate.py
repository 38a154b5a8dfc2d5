"""Asks a book's golden questions: for figures, after each ingest, and of an unpublished edit."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from functions.ingest.outcome import Outcome
from functions.lifecycle.choose_writer import ChosenWriter
from functions.runtime.settings import Settings
from quoth.golden.ask import (
    FILE_NAME,
    GoldenSet,
    NotAsked,
    ask_golden,
    load_golden,
    unrecorded_chain,
)
from quoth.golden.grade import Judged, figures, newly_failing
from quoth.json_lines import BadRow
from quoth.parts import DATABASE, Parts, running_parts, send_logs_to
from quoth.stack import Stack, running_stack

CONNECT_SECONDS = 10

Say = Callable[[str], None]

BOUNDS = {
    "answered_in_place": (0.95, 1.0),
    "overview_answered": (0.95, 1.0),
    "near_scope_answered": (0.0, 0.10),
    "out_of_book_answered": (0.0, 0.0),
}
"""Bounds of each share of a book's golden questions: minimum and maximum."""


async def evaluate_golden(
    book: Path, file: Path, writer: ChosenWriter | None = None, say: Say = lambda _: None
) -> dict[str, Any]:
    """Ingest the book into temporary parts, ask every question through the query function's chain,
    and count. `say` gets a line for each question that fails. Among the figures, `short` names
    those outside BOUNDS. Raises BadRow, NotAsked and the errors of the parts.
    """
    golden = load_golden(book, file)
    judged = await ask_aside(book, golden, writer)
    for each in judged:
        if each.why:
            say(line_of(each))
    found = figures(judged)
    return found | {"short": falling_short(found)}


def falling_short(found: Mapping[str, Any]) -> list[str]:
    """The figures that are outside their bounds."""
    return [
        name
        for name, (least, most) in BOUNDS.items()
        if name in found and not least <= found[name] <= most
    ]


async def ask_aside(
    book: Path, golden: GoldenSet, writer: ChosenWriter | None = None, known: str = ""
) -> list[Judged]:
    """Ask a temporary index of the book, separate from the one its readers have.

    `known` is the address of a database whose vectors are used again.
    """
    with running_aside() as parts:
        if known:
            await asyncio.to_thread(copy_vectors, known, parts.postgres.dsn(database=DATABASE))
        async with running_stack(book, parts) as stack:
            await stack.ingest_all(lambda _: None)
            return await ask_index(stack.settings["query"], golden, writer)


@contextmanager
def running_aside() -> Iterator[Parts]:
    """Temporary parts in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="quoth-golden-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # the database runs under an account of its own
        send_logs_to(folder / "functions.log")
        with running_parts(folder) as parts:
            yield parts


def copy_vectors(source: str, target: str) -> None:
    """Copy the passages' vectors from another book's database. Raises psycopg.Error."""
    with (
        psycopg.connect(source, connect_timeout=CONNECT_SECONDS) as reading,
        psycopg.connect(target, connect_timeout=CONNECT_SECONDS) as writing,
        reading.cursor().copy("COPY passage_vectors TO STDOUT") as rows,
        writing.cursor().copy("COPY passage_vectors FROM STDIN") as copied,
    ):
        for row in rows:
            copied.write(row)


async def ask_index(
    settings: Settings, golden: GoldenSet, writer: ChosenWriter | None = None
) -> list[Judged]:
    """Ask the index that the query function's settings name."""
    async with unrecorded_chain(settings, writer) as ask:
        return await ask_golden(golden, ask)


def line_of(judged: Judged) -> str:
    """A question that failed, and why, for a person."""
    mark = "~" if judged.holds else "-"
    return f"  {mark} line {judged.asked.line}: {judged.asked.question}\n      {judged.why}"


QUIET_SECONDS = 2.0
"""Seconds without ingest after which an edit counts as finished."""


async def check_golden(book: Path, folder: Path, settings: Settings, say: Say) -> None:
    """Ask the questions of the book's golden.yaml, where there is one, and compare with last time.

    `folder` keeps the results; `settings` are the query function's.
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
    """How many questions pass, and each that passed before and no longer does."""
    held = sum(each.holds for each in judged)
    lines = [f"Golden questions: {held} of {len(judged)} hold."]
    if lost := newly_failing(before, judged):
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
    """(question, held) of the last run; empty without a readable file."""
    try:
        kept = json.loads((folder / HISTORY_FILE).read_text("utf-8"))
        return [(str(question), bool(held)) for question, held in kept["held"].items()]
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return []


def write_history(folder: Path, judged: Sequence[Judged]) -> None:
    """Store the results. A question asked on several pages holds if it holds on all of them."""
    held: dict[str, bool] = {}
    for each in judged:
        held[each.asked.question] = held.get(each.asked.question, True) and each.holds
    path = folder / HISTORY_FILE
    new = path.with_suffix(".new")
    new.write_text(json.dumps({"held": held}, ensure_ascii=False), "utf-8")
    new.replace(path)


@dataclass(frozen=True, slots=True)
class GoldenPreview:
    """`judged` are the folder's results; `lost` hold in the current index and fail in the folder.

    `compared` is how many have a result from the last ingest.
    """

    judged: Sequence[Judged] = ()
    lost: Sequence[Judged] = ()
    compared: int = 0

    @property
    def failing(self) -> list[Judged]:
        return [each for each in self.judged if not each.holds]


def preview_golden(folder: Path, file: Path, history: Path | None, known: str) -> GoldenPreview:
    """Ask a temporary index of the folder, and compare with the results of the last ingest.

    `history` is the folder of the book's store, `known` the address of its database. Raises
    BadRow, NotAsked and the errors of the parts.
    """
    golden = load_golden(folder, file, strict=False)
    before = read_history(history) if history else []
    judged = asyncio.run(ask_aside(folder, golden, known=known))
    return GoldenPreview(judged, newly_failing(before, judged), len(before))
