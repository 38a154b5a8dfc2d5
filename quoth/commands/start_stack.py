"""Starting the whole stack for a command, with progress a person can follow."""

from __future__ import annotations

import asyncio
import errno
import gc
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
import uvicorn

from functions.adapters.qdrant.chunk_index import IndexMismatch, IndexMissing, IndexUnavailable
from functions.ingest.embed import OtherEmbeddingModel
from functions.runtime.plural import plural
from quoth.book_files import markdown_files
from quoth.commands.progress import say, saying, show_ingest
from quoth.dashboard_link import DashboardLink
from quoth.events.emulator import EmulatorFailed
from quoth.local_server import listen, url_of
from quoth.models import NoModelNamed
from quoth.parts import PartFailed, running_parts, send_logs_to
from quoth.postgres.embedded import PostgresFailed
from quoth.postgres.migrate import MigrationFailed
from quoth.serve import Gateway, OwnLoop, create_gateway, follow_deferred
from quoth.stack import NotABook, Stack, running_stack
from quoth.store import Store, StoreInUse, StoreUnusable

EXPECTED: tuple[type[Exception], ...] = (
    StoreInUse, StoreUnusable, NotABook, PartFailed, EmulatorFailed, MigrationFailed,
    PostgresFailed, OtherEmbeddingModel, IndexMismatch, IndexMissing, IndexUnavailable,
    NoModelNamed,
)  # fmt: skip
"""Errors whose message is all a person needs."""

REFUSED_BY_DISK = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def plain_errors(*more: type[Exception]) -> Iterator[None]:
    """End the command with the message of what is EXPECTED, or one of `more`."""
    try:
        yield
    except (*EXPECTED, *more) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        if error.errno not in REFUSED_BY_DISK:
            raise
        place = f" ({error.filename})" if error.filename else ""
        raise click.ClickException(f"{error.strerror}{place}.") from error


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
async def served_book(
    book: Path, store: Store, port: int, origins: Sequence[str] = ()
) -> AsyncIterator[Served]:
    """Ingest the book and serve it at 127.0.0.1 while the block runs. Port 0 takes a free one.

    Pages of `origins` may ask it too.
    Raises one of EXPECTED.
    """
    async with AsyncExitStack() as exits:
        exits.enter_context(store.held())
        send_logs_to(store.folder / "logs" / "functions.log")
        listener = exits.enter_context(_listener(port))
        with saying(lambda: "Starting the database, the index and the model …"):
            parts = exits.enter_context(running_parts(store.folder))
        with saying(lambda: "Looking for changes of the book …"):
            stack = await exits.enter_async_context(running_stack(book, parts, origins))
        await show_ingest(stack)
        link = DashboardLink(store.dashboard_link)
        answers = OwnLoop()
        app = create_gateway(book, stack.settings, answers, link)
        server, serving = await exits.enter_async_context(_answering(app, answers, listener, stack))
        url = url_of(listener)
        store.announce(url)
        yield Served(stack, url, url + link.renew(), server, serving)


@asynccontextmanager
async def _answering(
    app: Gateway, answers: OwnLoop, listener: socket.socket, stack: Stack
) -> AsyncIterator[tuple[uvicorn.Server, asyncio.Task[None]]]:
    """The server while the block runs, and the retries of deferred questions."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    retrying = asyncio.create_task(answers.run(follow_deferred(stack.settings)))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    gc.collect()
    gc.freeze()  # as functions do: a full collection of what is loaded would hold up a request
    try:
        yield server, serving
    finally:
        server.should_exit = True
        retrying.cancel()
        await asyncio.gather(serving, retrying, return_exceptions=True)


def print_summary(stack: Stack) -> None:
    """What was read, and each file that was not."""
    outcomes = stack.ingested.outcomes.values()
    chunks = sum(outcome.chunks for outcome in outcomes)
    embedded = sum(outcome.embedded for outcome in outcomes)
    reused = sum(outcome.reused for outcome in outcomes)
    say(
        f"Read {plural(len(outcomes), 'file')}: {plural(chunks, 'chunk')}, "
        f"{plural(embedded, 'embedding')} computed, "
        f"{reused} reused, {len(stack.ingested.failed)} failed."
    )
    for note in stack.ingested.notes():
        say(f"  {note}", "yellow")


def _listener(port: int) -> socket.socket:
    try:
        return listen(port)
    except OSError as error:
        raise click.ClickException(
            f"Port {port} is taken. Choose another with --port, or stop what uses it."
        ) from error
