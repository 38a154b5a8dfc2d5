"""Asks a book's golden questions: for figures, after each ingest, and of an unpublished edit."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from functions.answer.write.writer import Writer
from functions.ingest.outcome import Outcome
from functions.runtime.settings import Settings
from quoth.golden.ask import FILE_NAME, GoldenSet, NotAsked, ask_golden, load_golden, rehearsal
from quoth.golden.grade import Judged, figures, unanswerable_now
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
"""What a book's golden questions must come to: the least and the most of each share."""


async def evaluate_golden(
    book: Path, file: Path, writer: Writer | None = None, say: Say = lambda _: None
) -> dict[str, Any]:
    """Take the book in aside, ask every question through the query function's chain, and count.

    `say` is told of each question that fails. Beside the figures, `short` names those that fall
    short of BOUNDS. Raises BadRow, NotAsked and the errors of the parts.
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
    book: Path, golden: GoldenSet, writer: Writer | None = None, known: str = ""
) -> list[Judged]:
    """Ask a book that is indexed for this alone, beside the index its readers have.

    `known` is the address of a database whose vectors are used again.
    """
    with running_aside() as parts:
        if known:
            await asyncio.to_thread(copy_vectors, known, parts.postgres.dsn(database=DATABASE))
        async with running_stack(book, parts) as stack:
            await stack.take_in(lambda _: None)
            return await ask_index(stack.settings["query"], golden, writer)


@contextmanager
def running_aside() -> Iterator[Parts]:
    """Parts of their own, in a folder that goes away with them."""
    with tempfile.TemporaryDirectory(prefix="quoth-golden-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # the database runs under an account of its own
        send_logs_to(folder / "functions.log")
        with running_parts(folder, not os.environ.get("OPENAI_API_KEY")) as parts:
            yield parts


def copy_vectors(source: str, target: str) -> None:
    """Take over the passages' vectors from another book's database. Raises psycopg.Error."""
    with (
        psycopg.connect(source, connect_timeout=CONNECT_SECONDS) as reading,
        psycopg.connect(target, connect_timeout=CONNECT_SECONDS) as writing,
        reading.cursor().copy("COPY passage_vectors TO STDOUT") as rows,
        writing.cursor().copy("COPY passage_vectors FROM STDIN") as copied,
    ):
        for row in rows:
            copied.write(row)


async def ask_index(
    settings: Settings, golden: GoldenSet, writer: Writer | None = None
) -> list[Judged]:
    """Ask the index that the query function's settings name."""
    async with rehearsal(settings, writer) as ask:
        return await ask_golden(golden, ask)


def line_of(judged: Judged) -> str:
    """A question that failed, and why, for a person."""
    mark = "~" if judged.holds else "-"
    return f"  {mark} line {judged.asked.line}: {judged.asked.question}\n      {judged.why}"


QUIET_SECONDS = 2.0
"""An edit is over when nothing was taken in for so long."""


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
