"""`quoth up` and `quoth ingest`: the whole of Quoth on this machine, or only its index."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import click

from functions.ingest.outcome import Outcome
from functions.runtime.plural import plural
from functions.web.sentences import QUOTE_MODE
from quoth.commands.progress import say
from quoth.commands.start_stack import check_book, plain_errors, print_summary, served_book
from quoth.events.sync import UNFINISHED
from quoth.golden.evaluate import check_golden, follow_golden
from quoth.stack import Stack
from quoth.store import DEFAULT_BOOK, store_of

FOLLOW_S = 1.0
PATIENCE = 3
"""So many looks in a row must find a file unfinished before it is said."""
NAMED_FILES = 5
"""Of more files that changed at once, only the number is said."""


def _check_origins(_: click.Context, __: click.Parameter, given: Sequence[str]) -> Sequence[str]:
    for origin in given:
        url = urlsplit(origin)
        if url.scheme not in ("http", "https") or f"{url.scheme}://{url.netloc}" != origin:
            raise click.BadParameter(
                f"{origin!r} is no origin such as http://localhost:3000 (no path, no slash at its"
                " end)"
            )
    return given


@click.command()
@click.argument("book", type=click.Path(path_type=Path), default=DEFAULT_BOOK)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@click.option("--data", type=click.Path(path_type=Path), help="Where the book's data is kept.")
@click.option(
    "--origin", "origins", multiple=True, metavar="URL", callback=_check_origins,
    help="Let pages of this site ask, such as http://localhost:3000. Repeatable.",
)  # fmt: skip
def up(book: Path, port: int, data: Path | None, origins: Sequence[str]) -> None:
    """Serve BOOK with its assistant at http://127.0.0.1:8000, and follow its changes.

    BOOK is a folder of Markdown; the sample book when left out.
    """
    book = check_book(book)
    with plain_errors():
        asyncio.run(_up(book, port, data, origins))


async def _up(book: Path, port: int, data: Path | None, origins: Sequence[str]) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    task = asyncio.create_task(_serve(book, port, data, origins))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({task, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if not task.done() and stop.is_set():
        say("Stopping …")
        task.cancel()
    stopping.cancel()
    try:
        await task
    except asyncio.CancelledError:
        say("Stopped.")


async def _serve(book: Path, port: int, data: Path | None, origins: Sequence[str]) -> None:
    store = store_of(book, data)
    async with served_book(book, store, port, origins) as served:
        print_summary(served.stack)
        if not served.stack.settings["query"].openai_api_key:
            say(QUOTE_MODE)
        bucket = served.stack.emulator
        say(f"Its bucket is s3://{bucket.bucket} at {bucket.url}")
        click.echo(f"Administrators, once: {served.dashboard}  (`quoth link` makes another)")
        click.echo(f"The book answers at {served.url}  (Ctrl-C stops it)")
        following = [
            asyncio.create_task(follow_golden(served.stack, store.folder, say)),
            asyncio.create_task(_follow_edits(served.stack)),
        ]
        try:
            await asyncio.wait({served.serving})
        finally:
            for task in following:
                task.cancel()
            await asyncio.gather(*following, return_exceptions=True)


async def _follow_edits(stack: Stack) -> None:
    """Say which files were read, and name each that was not with its reason, until cancelled."""
    changed: list[Outcome] = []
    seen = Counter(dict.fromkeys(stack.ingested.notes(), PATIENCE))
    stack.reports.append(changed.append)
    while True:
        await asyncio.sleep(FOLLOW_S)
        for line in edit_lines(changed):
            say(line)
        changed.clear()
        seen = Counter({note: seen[note] + 1 for note in stack.ingested.notes()})
        for note, times in seen.items():
            if times == (PATIENCE if note.endswith(UNFINISHED) else 1):
                say(f"  {note}", "yellow")


def edit_lines(outcomes: Sequence[Outcome]) -> list[str]:
    """What ingest made of changed files: a line each, or one for all where they are many."""
    read = [each for each in outcomes if each.action in ("created", "updated")]
    removed = [each for each in outcomes if each.action == "removed"]
    if len(read) + len(removed) > NAMED_FILES:
        chunks = sum(each.chunks for each in read)
        return [
            f"Read {plural(len(read), 'file')}: {plural(chunks, 'chunk')}; removed {len(removed)}."
        ]
    return [
        *(f"Read {each.key}: {plural(each.chunks, 'chunk')}." for each in read),
        *(f"Removed {each.key}." for each in removed),
    ]


@click.command()
@click.argument("book", type=click.Path(path_type=Path))
@click.option("--data", type=click.Path(path_type=Path), help="Where the book's data is kept.")
def ingest(book: Path, data: Path | None) -> None:
    """Ingest BOOK, so that a later start has nothing left to read."""
    book = check_book(book)
    with plain_errors():
        failed = asyncio.run(_ingest(book, data))
    if failed:
        raise SystemExit(1)


async def _ingest(book: Path, data: Path | None) -> int:
    store = store_of(book, data)
    async with served_book(book, store, 0) as served:
        print_summary(served.stack)
        await check_golden(book, store.folder, served.stack.settings["query"], click.echo)
        return len(served.stack.ingested.failed)
