"""`quoth ingest`: take a book in, report, and stop."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from quoth.commands.start_stack import EXPECTED, check_book, print_summary, served_book
from quoth.golden.check import check_golden
from quoth.store import store_of


@click.command()
@click.argument("book", type=click.Path(path_type=Path))
@click.option("--data", type=click.Path(path_type=Path), help="Where the book's data is kept.")
def ingest(book: Path, data: Path | None) -> None:
    """Take BOOK in, so that a later start has nothing left to read."""
    book = check_book(book)
    try:
        failed = asyncio.run(_ingest(book, data))
    except EXPECTED as error:
        raise click.ClickException(str(error)) from error
    if failed:
        raise SystemExit(1)


async def _ingest(book: Path, data: Path | None) -> int:
    store = store_of(book, data)
    async with served_book(book, store, 0) as served:
        print_summary(served.stack)
        await check_golden(book, store.folder, served.stack.settings["query"], click.echo)
        return len(served.stack.ingested.failed)
