"""What a command is doing: a spinner or a bar in a terminal, elsewhere a line every few seconds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from functions.ingest.outcome import Outcome
from functions.runtime.plural import plural
from quoth.stack import Stack

console = Console(stderr=True)
EVERY_S = 4.0


def say(line: str, style: str | None = None) -> None:
    """Print a line as it is."""
    console.print(line, style=style, highlight=False, markup=False, soft_wrap=True)


@contextmanager
def saying(text: Callable[[], str]) -> Iterator[None]:
    """Show `text` while the block runs; it is asked for again for each line."""
    if console.is_terminal:
        with console.status(text()):
            yield
        return
    done = threading.Event()

    def repeat() -> None:
        say(text())
        while not done.wait(EVERY_S):
            say(text())

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


class IngestCount:
    """Counts the files that were read; `show` is called after each."""

    def __init__(self, show: Callable[[IngestCount], None] = lambda _: None) -> None:
        self.done = self.total = self.embedded = 0
        self._show = show

    def begin(self, total: int) -> None:
        self.total = total
        self._show(self)

    def report(self, outcome: Outcome) -> None:
        self.done += 1
        self.embedded += outcome.embedded
        self._show(self)

    def __str__(self) -> str:
        return f"{self.done}/{plural(self.total, 'file')}, {plural(self.embedded, 'embedding')}"


@contextmanager
def counting() -> Iterator[IngestCount]:
    """A count that is shown while the block runs."""
    if not console.is_terminal:
        count = IngestCount()
        with saying(lambda: f"Reading the book: {count} …"):
            yield count
        return
    columns = BarColumn(), TextColumn("{task.fields[count]}"), TimeElapsedColumn()
    bar = Progress(
        SpinnerColumn(), TextColumn("Reading the book"), *columns, console=console, transient=True
    )
    with bar:
        task = bar.add_task("book", total=None, count="")
        yield IngestCount(
            lambda now: bar.update(task, completed=now.done, total=now.total, count=str(now))
        )


async def show_ingest(stack: Stack) -> None:
    """Ingest the book and show how far it is."""
    with counting() as count:
        stack.reports.append(count.report)
        try:
            await stack.ingest_all(count.begin)
        finally:
            stack.reports.remove(count.report)
