"""`quoth simulate`: weeks of made-up readers, for the dashboard, for tests and for load."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import click
import httpx2
import psycopg
from rich.progress import Progress

from functions.adapters.postgres.database import Database
from functions.analytics.metrics.reviews import mark
from functions.book.chunks.chunk import StoredChunk
from quoth.commands.start_stack import EXPECTED, check_book, console, served_book
from quoth.parts import DATABASE
from quoth.postgres.embedded import start_server
from quoth.simulate.ask import NotAnswered, Traffic, ask_all, mark_refusals
from quoth.simulate.backdate import move_to
from quoth.simulate.visits import plan_visits, subjects_of
from quoth.stack import Stack
from quoth.store import DEFAULT_BOOK, Store, data_folder, store_of

SECONDS = 60.0
MARK = "simulated"
"""A file of this name in a store says that nobody real ever asked there."""


@click.command()
@click.argument("book", type=click.Path(path_type=Path), default=DEFAULT_BOOK)
@click.option("--weeks", type=click.IntRange(1, 12), default=4, show_default=True)
@click.option("--queries", type=click.IntRange(1, 100_000), default=1000, show_default=True)
@click.option("--students", type=click.IntRange(1, 10_000), default=60, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="Other visits for another.")
@click.option("--data", type=click.Path(path_type=Path), help="Where the book's data is kept.")
@click.option("--yes", is_flag=True, help="Also into a store that real readers may have used.")
def simulate(
    book: Path,
    weeks: int,
    queries: int,
    students: int,
    seed: int,
    data: Path | None,
    yes: bool,
) -> None:
    """Let made-up readers ask BOOK for some weeks, up to now.

    Each question goes through the functions as a reader's does, and is answered, refused, limited
    and recorded as a reader's is; afterwards the recorded times are moved. A store of its own is
    used, which `quoth up --data` then shows.
    """
    book = check_book(book)
    data = data or data_folder() / "simulated"
    store = store_of(book, data)
    if not claim_store(store, yes):
        raise click.ClickException(
            f"{store.folder} was not made by a simulation; made-up queries would stand among real"
            " ones. Give another --data, or --yes."
        )
    try:
        traffic = asyncio.run(_simulate(book, store, weeks, queries, students, seed))
    except (*EXPECTED, NotAnswered, psycopg.Error) as error:
        raise click.ClickException(str(error)) from error
    said = ", ".join(f"{count} {name}" for name, count in sorted(traffic.counts.items()))
    click.echo(f"{len(traffic.moments)} queries over {weeks} weeks: {said}")
    click.echo(f"Look at them with: quoth up {book} --data {data}")


def claim_store(store: Store, yes: bool) -> bool:
    """Whether the simulation may write there: a store it makes or has made, else with leave."""
    sign = store.folder / MARK
    if sign.exists() or yes:
        return True
    if store.folder.exists():
        return False
    store.folder.mkdir(parents=True)
    sign.touch()
    return True


async def _simulate(
    book: Path, store: Store, weeks: int, queries: int, students: int, seed: int
) -> Traffic:
    async with served_book(book, store, 0) as served:
        owner = start_server(store.folder / "postgres").dsn(database=DATABASE)
        visits = plan_visits(
            subjects_of(_chunks(owner)),
            weeks=weeks,
            queries=queries,
            students=students,
            until=datetime.now(UTC),
            seed=seed,
        )
        with Progress(console=console, transient=True) as progress:
            task = progress.add_task("Asking", total=queries)
            async with httpx2.AsyncClient(base_url=served.url, timeout=SECONDS) as client:
                traffic = await ask_all(client, visits, seed, lambda: progress.advance(task))
        await _review(served.stack, traffic, seed)
        await asyncio.to_thread(move_to, owner, traffic.moments)
    return traffic


async def _review(stack: Stack, traffic: Traffic, seed: int) -> None:
    database = Database(stack.settings["analytics"].database_url)
    try:
        await mark_refusals(traffic, lambda id, verdict: mark(database, id, verdict), seed)
    finally:
        await database.close()


def _chunks(dsn: str) -> list[StoredChunk]:
    with psycopg.connect(dsn, connect_timeout=10) as connection:
        rows = connection.execute("SELECT body FROM chunks ORDER BY document_id, ordinal")
        return [StoredChunk.from_payload(row[0]) for row in rows]
