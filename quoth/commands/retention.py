"""`quoth purge` and `quoth forget`: what is deleted, when its time has come or on request."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
import psycopg

from quoth.commands.running import EXPECTED
from quoth.commands.stored_book import database_of
from quoth.store import DEFAULT_BOOK, store_of

_book = click.option(
    "--book", type=click.Path(path_type=Path), default=DEFAULT_BOOK, help="The book."
)
_data = click.option(
    "--data", type=click.Path(path_type=Path), help="Where the book's data is kept."
)
_url = click.option(
    "--database-url", envvar="QUOTH_DATABASE_URL", help="A database instead of these."
)


@click.command()
@_book
@_data
@_url
def purge(book: Path, data: Path | None, database_url: str | None) -> None:
    """Delete what is older than the settings allow: questions and answers after 90 days, sums by
    day after 13 months. Prints the rows deleted, by table."""
    purge = "SELECT purge_expired() || purge_figures()"
    click.echo(json.dumps(_call(purge, (), book, data, database_url)))


@click.command()
@click.argument("session_id")
@_book
@_data
@_url
def forget(session_id: str, book: Path, data: Path | None, database_url: str | None) -> None:
    """Delete all that the session SESSION_ID asked, was answered and said of it."""
    count = _call("SELECT forget_session(%s)", (session_id,), book, data, database_url)
    click.echo(f"{count} questions of this session are deleted.")


def _call(
    statement: str, given: tuple[str, ...], book: Path, data: Path | None, url: str | None
) -> Any:
    try:
        with ExitStack() as exits:
            dsn = url or exits.enter_context(database_of(store_of(book, data)))
            with psycopg.connect(dsn, autocommit=True, connect_timeout=10) as connection:
                row = connection.execute(statement.encode(), given).fetchone()
    except (*EXPECTED, psycopg.Error) as error:
        raise click.ClickException(str(error)) from error
    return row[0] if row else None
