"""`quoth purge` and `quoth forget`: what is deleted, when its time has come or on request."""

from __future__ import annotations

import json
from typing import Any

import click
import psycopg

from functions.lifecycle.tickets import Tickets
from functions.runtime.plural import plural
from functions.runtime.privacy.personal_data import has_personal_data
from quoth.commands.start_stack import plain_errors
from quoth.commands.stored_book import StoredBook, with_stored_book
from quoth.parts import TICKET_KEY
from quoth.store import Store

NO_KEY = (
    "Without --ticket-key, what was asked while the database was away is not found: this id has"
    " personal data in it, and another name there."
)


@click.command()
@with_stored_book
def purge(stored: StoredBook) -> None:
    """Delete expired data: questions and answers after 90 days, daily totals after 13 months, or as
    the settings say. Prints the number of rows deleted by table."""
    purge = "SELECT purge_expired() || purge_figures()"
    click.echo(json.dumps(_call(stored, purge)))


@click.command()
@click.argument("session_id")
@with_stored_book
@click.option(
    "--ticket-key",
    envvar="QUOTH_TICKET_KEY",
    help="The SSM parameter `ticket-key`; not needed for a book on this machine.",
)
def forget(stored: StoredBook, session_id: str, ticket_key: str | None) -> None:
    """Delete the questions, answers and feedback of the session SESSION_ID.

    While the database is unavailable, an id with personal data is recorded under a pseudonym; the
    ticket key is needed to find it.
    """
    names = [session_id]
    if has_personal_data(session_id):
        key = ticket_key or ("" if stored.url else _own_ticket_key(stored.store))
        if not key:
            click.echo(NO_KEY, err=True)
        names.append(Tickets(key).pseudonym(session_id))
    forgotten = "SELECT sum(forget_session(name))::bigint FROM unnest(%s::text[]) AS name"
    count = _call(stored, forgotten, names)
    click.echo(f"Deleted {plural(count, 'question')} of this session.")


def _own_ticket_key(store: Store) -> str:
    path = store.folder / TICKET_KEY
    return path.read_text() if path.exists() else ""


def _call(stored: StoredBook, statement: str, *given: object) -> Any:
    with (
        plain_errors(psycopg.Error),
        stored.database() as dsn,
        psycopg.connect(dsn, autocommit=True, connect_timeout=10) as connection,
    ):
        row = connection.execute(statement.encode(), given).fetchone()
    return row[0] if row else None
