"""`quoth purge` and `quoth forget`: what is deleted, when its time has come or on request."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
import psycopg

from functions.lifecycle.tickets import Tickets
from functions.runtime.privacy.personal_data import has_personal_data
from quoth.commands.start_stack import EXPECTED
from quoth.commands.stored_book import database_of
from quoth.parts import TICKET_KEY
from quoth.store import DEFAULT_BOOK, Store, store_of

NO_KEY = (
    "Without --ticket-key, what was asked while the database was away is not found: this id has"
    " personal data in it, and another name there."
)
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
@click.option(
    "--ticket-key",
    envvar="QUOTH_TICKET_KEY",
    help="The parameter `ticket-key`; a book on this machine has its own.",
)
def forget(
    session_id: str,
    book: Path,
    data: Path | None,
    database_url: str | None,
    ticket_key: str | None,
) -> None:
    """Delete all that the session SESSION_ID asked, was answered and said of it.

    An id with personal data in it has another name in what was asked while the database was away;
    the ticket key tells which.
    """
    names = [session_id]
    if has_personal_data(session_id):
        key = ticket_key or ("" if database_url else _own_ticket_key(store_of(book, data)))
        if not key:
            click.echo(NO_KEY, err=True)
        names.append(Tickets(key).pseudonym(session_id))
    forgotten = "SELECT sum(forget_session(name))::bigint FROM unnest(%s::text[]) AS name"
    count = _call(forgotten, (names,), book, data, database_url)
    click.echo(f"{count} questions of this session are deleted.")


def _own_ticket_key(store: Store) -> str:
    path = store.folder / TICKET_KEY
    return path.read_text() if path.exists() else ""


def _call(
    statement: str, given: tuple[object, ...], book: Path, data: Path | None, url: str | None
) -> Any:
    try:
        with ExitStack() as exits:
            dsn = url or exits.enter_context(database_of(store_of(book, data)))
            with psycopg.connect(dsn, autocommit=True, connect_timeout=10) as connection:
                row = connection.execute(statement.encode(), given).fetchone()
    except (*EXPECTED, psycopg.Error) as error:
        raise click.ClickException(str(error)) from error
    return row[0] if row else None
