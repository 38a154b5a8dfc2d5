"""`quoth replay`: a recorded query again, on the text it was answered from."""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path

import click
import psycopg
from rich.console import Console
from rich.table import Table

from functions.adapters.openai.embeddings import (
    EmbeddingsMismatch,
    EmbeddingsRejected,
    EmbeddingsUnavailable,
)
from functions.lifecycle.not_served import NotServed
from functions.runtime.settings import MissingSettings, Settings, read_settings
from quoth.commands.start_stack import plain_errors
from quoth.commands.stored_book import database_of, with_book
from quoth.local_server import served
from quoth.models import embedded_settings, embeds_here, model_settings
from quoth.replay.recorded import NotRecorded, read_recorded
from quoth.replay.replay import Replayed, Replays
from quoth.store import store_of

FAILURES = (
    EmbeddingsMismatch, EmbeddingsRejected, EmbeddingsUnavailable, MissingSettings,
    psycopg.Error,
)  # fmt: skip


@click.command()
@click.argument("query_ids", nargs=-1, metavar="[QUERY_ID]...")
@click.option(
    "--last", type=click.IntRange(min=0), default=0, help="Replay this many recent queries."
)
@with_book
@click.option(
    "--deployed", is_flag=True, help="A deployment's records; QUOTH_… variables name its parts."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines.")
def replay(
    query_ids: tuple[str, ...],
    last: int,
    book: Path,
    data: Path | None,
    deployed: bool,
    as_json: bool,
) -> None:
    """Answer recorded queries again and compare.

    The text is the one each query was answered from, also when the book has changed since; what
    changed is named. The model writes again if it wrote then and a key is set. An answer whose
    embedding is more than 0.05 from the recorded one is flagged, and the exit code is 1.
    """
    if not query_ids and not last:
        raise click.UsageError("give the id of a query, or --last N")
    for query_id in query_ids:
        _check_id(query_id)
    with plain_errors(*FAILURES), ExitStack() as exits:
        if deployed:
            settings = read_settings(os.environ)
            settings.require("database_url")
        else:
            dsn = exits.enter_context(database_of(store_of(book, data)))
            settings = exits.enter_context(_settings_here(dsn))
        results = asyncio.run(_replay(settings, query_ids, last))
    replayed = [each for each in results if isinstance(each, Replayed)]
    for result in results:
        if isinstance(result, NotRecorded):
            click.echo(f"cannot be replayed: {result}", err=True)
        elif as_json:
            click.echo(_as_json(result))
    flagged = sum(each.is_flagged for each in replayed)
    if not as_json:
        print_tables(replayed)
        identical = sum(each.is_identical for each in replayed)
        click.echo(f"{len(replayed)} replayed, {identical} identical, {flagged} flagged")
    if flagged or len(replayed) < len(results):
        raise SystemExit(1)


async def _replay(
    settings: Settings, query_ids: tuple[str, ...], last: int
) -> list[Replayed | NotRecorded]:
    replays = Replays(settings, settings.database_url)
    results: list[Replayed | NotRecorded] = []
    try:
        for query in read_recorded(settings.database_url, query_ids, last):
            try:
                results.append(await replays.replay(query))
            except NotRecorded as error:
                results.append(error)
            except NotServed as error:
                results.append(NotRecorded(f"{query.query_id}: {error}"))
    except NotRecorded as error:
        results.append(error)
    finally:
        await replays.close()
    return results


@contextmanager
def _settings_here(dsn: str) -> Iterator[Settings]:
    """Settings over the embedded parts, or the models that the environment names."""
    given = model_settings(os.environ)
    given |= {"QUOTH_DATABASE_URL": dsn, "QUOTH_QDRANT_URL": "http://127.0.0.1"}
    if not embeds_here(os.environ):
        yield read_settings(given)
        return
    # Only now: the model takes a second to load.
    from quoth.embeddings.app import create_app

    with served(create_app()) as url:
        yield read_settings(given | embedded_settings(f"{url}/v1"))


def _check_id(text: str) -> None:
    try:
        uuid.UUID(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not the id of a query") from None


def _as_json(result: Replayed) -> str:
    return json.dumps(
        {**asdict(result), "identical": result.is_identical, "flagged": result.is_flagged},
        ensure_ascii=False,
    )


WIDTH = 120
"""Columns of a table where there is no terminal."""


def print_tables(replayed: Sequence[Replayed]) -> None:
    """The queries with what became of each, then the differences of those that have some."""
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = WIDTH
    if replayed:
        console.print(_queries_table(replayed))
    if any(each.diff or each.changes for each in replayed):
        console.print(_differences_table(replayed))


def _queries_table(replayed: Sequence[Replayed]) -> Table:
    table = Table("Query", "Question", "Then", "Now", "Variance", "Verdict")
    table.columns[0].no_wrap = True
    for each in replayed:
        verdict = "flagged" if each.is_flagged else "identical" if each.is_identical else "differs"
        then, now = each.status
        table.add_row(each.query_id, each.question, then, now, f"{each.variance:.4f}", verdict)
    return table


def _differences_table(replayed: Sequence[Replayed]) -> Table:
    table = Table("Query", "What", "Difference")
    table.columns[0].no_wrap = True
    for each in replayed:
        if each.diff:
            table.add_row(each.query_id, "the answer", "\n".join(each.diff))
        for change in each.changes:
            lines = [f"- {sentence}" for sentence in change.removed]
            lines += [f"+ {sentence}" for sentence in change.added]
            table.add_row(each.query_id, f"the book: {change.source_path}", "\n".join(lines))
    return table
