"""A book's own database, for commands that only read what is stored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from quoth.parts import DATABASE
from quoth.postgres.embedded import ADMINISTRATOR, start_server, stop_server
from quoth.store import Store, StoreInUse


@contextmanager
def database_of(store: Store, role: str = ADMINISTRATOR) -> Iterator[str]:
    """Its address for a role; it is started if no other command uses it, and stopped again."""
    folder = store.folder / "postgres"
    if not (folder / "data" / "PG_VERSION").exists():
        raise click.ClickException("There is no data of this book: run `quoth up` or ingest it.")
    try:
        with store.held():
            try:
                yield start_server(folder).dsn(role, DATABASE)
            finally:
                stop_server(folder)
    except StoreInUse:
        yield start_server(folder).dsn(role, DATABASE)
