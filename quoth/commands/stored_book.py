"""A book's own database, for commands that only read what is stored."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import psycopg

from quoth.parts import DATABASE
from quoth.postgres.embedded import ADMINISTRATOR, running_server, start_server
from quoth.store import DEFAULT_BOOK, Store, StoreInUse, store_of

OF_BOOK = (
    click.option("--book", type=click.Path(path_type=Path), default=DEFAULT_BOOK, help="The book."),
    click.option(
        "--data", type=click.Path(path_type=Path), help="Where the book's data is kept."
    ),
)  # fmt: skip
with_database_url = click.option(
    "--database-url", envvar="QUOTH_DATABASE_URL", help="Use this database instead of a book's."
)


@dataclass(frozen=True, slots=True)
class StoredBook:
    """A book on this machine, or the database at `url`."""

    book: Path
    data: Path | None
    url: str | None

    @property
    def store(self) -> Store:
        return store_of(self.book, self.data)

    @contextmanager
    def database(self, role: str = ADMINISTRATOR) -> Iterator[str]:
        """The address of its database; on this machine for a role."""
        if self.url:
            yield self.url
        else:
            with database_of(self.store, role) as address:
                yield address


def with_stored_book(command: Callable[..., None]) -> Callable[..., None]:
    """The options --book, --data and --database-url, as one argument `stored`."""

    @functools.wraps(command)
    def run(*, book: Path, data: Path | None, database_url: str | None, **given: Any) -> None:
        command(stored=StoredBook(book, data, database_url), **given)

    return with_book(with_database_url(run))


def with_book(command: Callable[..., None]) -> Callable[..., None]:
    """The options --book and --data."""
    book, data = OF_BOOK
    return book(data(command))


@contextmanager
def database_errors() -> Iterator[None]:
    """End the command with what the database says."""
    try:
        yield
    except psycopg.Error as error:
        raise click.ClickException(f"The database: {error}") from error


@contextmanager
def database_of(store: Store, role: str = ADMINISTRATOR) -> Iterator[str]:
    """Its address for a role; it is started if no other command uses it, and stopped again."""
    folder = store.folder / "postgres"
    if not (folder / "data" / "PG_VERSION").exists():
        raise click.ClickException("There is no data of this book: run `quoth up` or ingest it.")
    try:
        with store.held(), running_server(folder) as server:
            yield server.dsn(role, DATABASE)
    except StoreInUse:
        yield start_server(folder).dsn(role, DATABASE)
