"""`quoth audit`: answers for people to check, and their verdicts (SC-002)."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import click
import psycopg

from functions.adapters.postgres.analytics_audits import draw_sample, record_audits
from functions.adapters.postgres.database import Database, DatabaseRejected, DatabaseUnavailable
from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.period import Period
from functions.analytics.metrics.reviews import GROUNDING_TARGET, read_audits
from quoth.audit.sheet import BadSheet, read_sheet, write_sheet
from quoth.commands.start_stack import EXPECTED
from quoth.commands.stored_book import database_of
from quoth.store import DEFAULT_BOOK, store_of

T = TypeVar("T")
FAILURES = (*EXPECTED, BadSheet, DatabaseRejected, DatabaseUnavailable, psycopg.Error)

_book = click.option(
    "--book", type=click.Path(path_type=Path), default=DEFAULT_BOOK, help="The book."
)
_data = click.option(
    "--data", type=click.Path(path_type=Path), help="Where the book's data is kept."
)
_url = click.option(
    "--database-url", envvar="QUOTH_DATABASE_URL", help="A database instead of these."
)


@click.group()
def audit() -> None:
    """Have people check whether answers say what their sources say."""


@audit.command()
@click.option("--n", "count", type=click.IntRange(1, 10_000), default=100, show_default=True)
@click.option("--days", type=click.IntRange(1, 90), default=28, show_default=True)
@click.option("--seed", default="", help="Draw the same answers again; else others each time.")
@click.option("--output", type=click.Path(path_type=Path), default=Path("audit.csv"),
              show_default=True)  # fmt: skip
@_book
@_data
@_url
def sample(
    count: int,
    days: int,
    seed: str,
    output: Path,
    book: Path,
    data: Path | None,
    database_url: str | None,
) -> None:
    """Write answers of the last days, drawn by lot, into a table.

    One line is one statement with its quotes and links. Whoever checks writes yes or no under
    traceable (do the quotes say it?) and, once an answer, under relevant. `quoth audit import`
    reads the table back.
    """
    if output.exists():
        raise click.ClickException(f"{output} exists; it may hold verdicts.")
    period = Period.of_last_days(days, datetime.now(UTC).date())
    lot = seed or uuid.uuid4().hex

    answers = _with_database(
        lambda database: draw_sample(database, period, count, "human", lot),
        book,
        data,
        database_url,
    )
    try:
        output.write_text(write_sheet(answers), "utf-8", newline="")
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {error.strerror}") from error
    statements = sum(len(answer.claims) for answer in answers)
    click.echo(f"{len(answers)} answers with {statements} statements are in {output}")
    if len(answers) < count:
        click.echo(f"There are no more that nobody has judged since {period.first}.")


@audit.command("import")
@click.argument("sheet", type=click.Path(path_type=Path))
@_book
@_data
@_url
def import_(sheet: Path, book: Path, data: Path | None, database_url: str | None) -> None:
    """Read the verdicts in SHEET into the dashboard. Reading a table again changes nothing."""
    try:
        with sheet.open(encoding="utf-8", newline="") as file:
            verdicts, unjudged = read_sheet(file.read())
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{sheet} cannot be read: {error}") from error
    except BadSheet as error:
        raise click.ClickException(f"{sheet}: {error}") from error

    async def record(database: Database) -> tuple[int, Share]:
        kept = await record_audits(database, verdicts)
        period = Period.of_last_days(90, datetime.now(UTC).date() + timedelta(days=1))
        return kept, (await read_audits(database, period)).human

    kept, human = _with_database(record, book, data, database_url)
    gone = len(verdicts) - kept
    click.echo(f"{kept} answers are judged, {unjudged} were not, {gone} are there no more.")
    if human.value is not None and human.low is not None and human.high is not None:
        click.echo(
            f"Of {human.of} judged answers of the last 90 days {human.value:.1%} are traceable"
            f" whole ({human.low:.1%} to {human.high:.1%} at 95 %); the target is"
            f" {GROUNDING_TARGET:.0%}."
        )


def _with_database(
    work: Callable[[Database], Awaitable[T]], book: Path, data: Path | None, url: str | None
) -> T:
    async def run(dsn: str) -> T:
        database = Database(dsn)
        try:
            return await work(database)
        finally:
            await database.close()

    try:
        with ExitStack() as exits:
            dsn = url or exits.enter_context(database_of(store_of(book, data)))
            return asyncio.run(run(dsn))
    except FAILURES as error:
        raise click.ClickException(str(error)) from error
