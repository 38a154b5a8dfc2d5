"""`quoth up` and `quoth ingest`: the whole of Quoth on this machine, or only its index."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import click

from functions.web.sentences import QUOTE_MODE
from quoth.commands.start_stack import (
    check_book,
    console,
    plain_errors,
    print_summary,
    served_book,
)
from quoth.golden.evaluate import check_golden, follow_golden
from quoth.store import DEFAULT_BOOK, store_of


@click.command()
@click.argument("book", type=click.Path(path_type=Path), default=DEFAULT_BOOK)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@click.option("--data", type=click.Path(path_type=Path), help="Where the book's data is kept.")
def up(book: Path, port: int, data: Path | None) -> None:
    """Serve BOOK with its assistant at http://127.0.0.1:8000, and follow its changes.

    BOOK is a folder of Markdown; the sample book when left out.
    """
    book = check_book(book)
    with plain_errors():
        asyncio.run(_up(book, port, data))


async def _up(book: Path, port: int, data: Path | None) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    task = asyncio.create_task(_serve(book, port, data))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({task, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if not task.done() and stop.is_set():
        console.print("Stopping …")
        task.cancel()
    stopping.cancel()
    try:
        await task
    except asyncio.CancelledError:
        console.print("Stopped.")


async def _serve(book: Path, port: int, data: Path | None) -> None:
    async with served_book(book, store_of(book, data), port) as served:
        print_summary(served.stack)
        if not served.stack.settings["query"].openai_api_key:
            console.print(QUOTE_MODE)
        bucket = served.stack.emulator
        console.print(f"Its bucket is s3://{bucket.bucket} at {bucket.url}", highlight=False)
        click.echo(f"Administrators, once: {served.dashboard}")
        click.echo(f"The book answers at {served.url}  (Ctrl-C stops it)")
        following = asyncio.create_task(
            follow_golden(served.stack, store_of(book, data).folder, _say)
        )
        try:
            await asyncio.wait({served.serving})
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)


def _say(line: str) -> None:
    console.print(line, highlight=False, markup=False)


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
