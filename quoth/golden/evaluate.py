"""Does the book answer the author's golden questions, and refuse those it must?"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from functions.answer.write.writer import Writer
from functions.runtime.settings import Settings
from quoth.golden.ask import GoldenSet, ask_golden, load_golden, rehearsal
from quoth.golden.grade import Judged, figures
from quoth.logs import send_logs_to
from quoth.parts import DATABASE, Parts, running_parts
from quoth.stack import running_stack

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
