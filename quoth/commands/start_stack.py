"""Starting the whole stack for a command, with progress a person can follow."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
import uvicorn
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from functions.adapters.qdrant.chunk_index import IndexMismatch, IndexMissing, IndexUnavailable
from functions.analytics.auth.access import OneTimeLink
from functions.ingest.embed import OtherEmbeddingModel
from functions.ingest.outcome import Outcome
from quoth.book_files import markdown_files
from quoth.events.emulator import EmulatorFailed
from quoth.local_server import listen, url_of
from quoth.parts import PartFailed, running_parts, send_logs_to
from quoth.postgres.embedded import PostgresFailed
from quoth.postgres.migrate import MigrationFailed
from quoth.serve import create_gateway, follow_deferred
from quoth.stack import NotABook, Stack, running_stack
from quoth.store import Store, StoreInUse

EXPECTED: tuple[type[Exception], ...] = (
    StoreInUse, NotABook, PartFailed, EmulatorFailed, MigrationFailed, PostgresFailed,
    OtherEmbeddingModel, IndexMismatch, IndexMissing, IndexUnavailable,
)  # fmt: skip
"""Errors whose message is all a person needs."""

console = Console(stderr=True)


@contextmanager
def plain_errors(*more: type[Exception]) -> Iterator[None]:
    """End the command with the message of what is EXPECTED, or one of `more`."""
    try:
        yield
    except (*EXPECTED, *more) as error:
        raise click.ClickException(str(error)) from error


@dataclass(frozen=True)
class Served:
    """The stack, the address it answers at, and the link to the dashboard, which opens once."""

    stack: Stack
    url: str
    dashboard: str
    server: uvicorn.Server
    serving: asyncio.Task[None]


def check_book(book: Path) -> Path:
    """The resolved folder. ClickException when it is not a folder with Markdown."""
    if not book.exists():
        raise click.ClickException(f"{book} does not exist.")
    if not book.is_dir():
        raise click.ClickException(f"{book} is not a folder.")
    if not markdown_files(book):
        raise click.ClickException(f"{book} has no Markdown files (.md or .mdx).")
    return book.resolve()


@asynccontextmanager
async def served_book(book: Path, store: Store, port: int) -> AsyncIterator[Served]:
    """Ingest the book and serve it at 127.0.0.1 while the block runs. Port 0 takes a free one.

    Raises one of EXPECTED.
    """
    embedded_model = not os.environ.get("OPENAI_API_KEY")
    with ExitStack() as exits:
        exits.enter_context(store.held())
        send_logs_to(store.folder / "logs" / "functions.log")
        listener = exits.enter_context(_listener(port))
        with console.status("Starting the database, the index and the model …"):
            parts = exits.enter_context(running_parts(store.folder, embedded_model))
        async with running_stack(book, parts) as stack:
            await _show_ingest(stack)
            link = OneTimeLink()
            config = uvicorn.Config(
                create_gateway(book, stack.settings, link), log_level="warning", access_log=False
            )
            server = uvicorn.Server(config)
            server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            retrying = asyncio.create_task(follow_deferred(stack.settings))
            url = url_of(listener)
            while not server.started and not serving.done():
                await asyncio.sleep(0.01)
            store.announce(url)
            try:
                yield Served(stack, url, url + link.path, server, serving)
            finally:
                server.should_exit = True
                retrying.cancel()
                await asyncio.gather(serving, retrying, return_exceptions=True)


async def _show_ingest(stack: Stack) -> None:
    """Ingest the book and show a progress bar."""
    with Progress(
        SpinnerColumn(),
        TextColumn("Reading the book"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} files, {task.fields[embedded]} embeddings"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as progress:
        task = progress.add_task("book", total=None, embedded=0)
        embedded = 0

        def report(outcome: Outcome) -> None:
            nonlocal embedded
            embedded += outcome.embedded
            progress.update(task, advance=1, embedded=embedded)

        stack.reports.append(report)
        try:
            await stack.ingest_all(lambda count: progress.update(task, total=count))
        finally:
            stack.reports.remove(report)


def print_summary(stack: Stack) -> None:
    """What was read, and each file that was not."""
    outcomes = stack.ingested.outcomes.values()
    chunks = sum(outcome.chunks for outcome in outcomes)
    embedded = sum(outcome.embedded for outcome in outcomes)
    reused = sum(outcome.reused for outcome in outcomes)
    console.print(
        f"Read {len(outcomes)} files: {chunks} chunks, {embedded} embeddings computed, "
        f"{reused} reused, {len(stack.ingested.failed)} failed."
    )
    for note in stack.ingested.notes():
        console.print(f"  {note}", style="yellow", highlight=False)


def _listener(port: int) -> socket.socket:
    try:
        return listen(port)
    except OSError as error:
        raise click.ClickException(
            f"Port {port} is taken. Choose another with --port, or stop what uses it."
        ) from error
