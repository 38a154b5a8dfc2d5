"""`quoth audit`: samples answers for people to check, and imports their verdicts (SC-002)."""

from __future__ import annotations

import asyncio
import csv
import io
import uuid
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import click
import psycopg

from functions.adapters.postgres.analytics_audits import (
    AuditVerdict,
    SampledAnswer,
    draw_sample,
    record_audits,
)
from functions.adapters.postgres.database import Database, DatabaseRejected, DatabaseUnavailable
from functions.analytics.metrics.period import Period
from functions.analytics.metrics.reviews import GROUNDING_TARGET, Audits, read_audits
from functions.runtime.plural import plural
from quoth.commands.start_stack import plain_errors
from quoth.commands.stored_book import StoredBook, with_stored_book

T = TypeVar("T")


@click.group()
def audit() -> None:
    """Let people check whether answers say what their sources say."""


@audit.command()
@click.option("--n", "count", type=click.IntRange(1, 10_000), default=100, show_default=True)
@click.option("--days", type=click.IntRange(1, 90), default=28, show_default=True)
@click.option("--seed", default="", help="The same seed draws the same sample; random by default.")
@click.option("--output", type=click.Path(path_type=Path), default=Path("audit.csv"),
              show_default=True)  # fmt: skip
@with_stored_book
def sample(stored: StoredBook, count: int, days: int, seed: str, output: Path) -> None:
    """Write a random sample of recent answers to a CSV file.

    Each line has one statement with its proof, quotes and links. The checker writes yes or no under
    traceable (do the quotes say it?) and, once per answer, under relevant. `quoth audit import`
    reads the file back. Half of the answers, where there are enough, have a statement that the
    judge alone confirmed: its proof is "paraphrase".
    """
    if output.exists():
        raise click.ClickException(f"{output} exists and may hold verdicts.")
    period = Period.of_last_days(days, datetime.now(UTC).date())
    lot = seed or uuid.uuid4().hex

    answers = _with_database(
        stored, lambda database: draw_sample(database, period, count, "human", lot)
    )
    try:
        output.write_text(write_sheet(answers), "utf-8", newline="")
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {error.strerror}") from error
    statements = sum(len(answer.claims) for answer in answers)
    click.echo(
        f"Wrote {plural(len(answers), 'answer')} with {plural(statements, 'statement')} to {output}"
    )
    paraphrases = sum(claim.proof == PARAPHRASE for answer in answers for claim in answer.claims)
    click.echo(f"The judge alone confirmed {paraphrases} of them: proof is {PARAPHRASE}.")
    if len(answers) < count:
        click.echo(f"No more unjudged answers since {period.first}.")


@audit.command("import")
@click.argument("sheet", type=click.Path(path_type=Path))
@with_stored_book
def import_(stored: StoredBook, sheet: Path) -> None:
    """Import the verdicts in SHEET. Importing a file twice changes nothing."""
    try:
        with sheet.open(encoding="utf-8", newline="") as file:
            verdicts, unjudged = read_sheet(file.read())
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{sheet} cannot be read: {error}") from error
    except BadSheet as error:
        raise click.ClickException(f"{sheet}: {error}") from error

    async def record(database: Database) -> tuple[int, Audits]:
        kept = await record_audits(database, verdicts)
        period = Period.of_last_days(90, datetime.now(UTC).date() + timedelta(days=1))
        return kept, await read_audits(database, period)

    kept, audits = _with_database(stored, record)
    human, by_judge = audits.human, audits.judge_alone_wrong
    gone = len(verdicts) - kept
    click.echo(f"{plural(kept, 'answer')} judged, {unjudged} not judged, {gone} no longer stored.")
    if human.value is not None and human.low is not None and human.high is not None:
        click.echo(
            f"Of {human.of} answers judged in the last 90 days, {human.value:.1%} are fully"
            f" traceable ({human.low:.1%} to {human.high:.1%} at 95 %), weighted by what readers"
            f" got; the target is {GROUNDING_TARGET:.0%}."
        )
    if by_judge.of:
        click.echo(
            f"Of {by_judge.of} statements that the judge alone confirmed, {by_judge.count} are"
            f" wrong; of {audits.others_wrong.of} others, {audits.others_wrong.count}."
        )


def _with_database(stored: StoredBook, work: Callable[[Database], Awaitable[T]]) -> T:
    async def run(dsn: str) -> T:
        database = Database(dsn)
        try:
            return await work(database)
        finally:
            await database.close()

    errors = (BadSheet, DatabaseRejected, DatabaseUnavailable, psycopg.Error)
    with plain_errors(*errors), stored.database() as dsn:
        return asyncio.run(run(dsn))


COLUMNS = (
    "response_id", "statement", "of", "question", "mode", "claim", "proof", "quotes", "links",
    "traceable", "relevant",
)  # fmt: skip
PARAPHRASE = "paraphrase"
YES, NO = ("yes", "y", "true", "1", "x"), ("no", "n", "false", "0")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class BadSheet(ValueError):
    """The CSV file cannot be read. The message names the line; the header is line 1."""


def write_sheet(answers: Iterable[SampledAnswer]) -> str:
    """The answers as CSV; `traceable` is asked for each statement, `relevant` once per answer."""
    file = io.StringIO(newline="")
    rows = csv.writer(file)
    rows.writerow(COLUMNS)
    for answer in answers:
        for number, claim in enumerate(answer.claims, 1):
            rows.writerow(
                (
                    answer.response_id, number, len(answer.claims),
                    _plain(answer.question), answer.mode, _plain(claim.text), claim.proof,
                    _plain("\n".join(claim.quotes)), _plain("\n".join(claim.links)), "", "",
                )
            )  # fmt: skip
    return file.getvalue()


def read_sheet(text: str) -> tuple[list[AuditVerdict], int]:
    """The verdicts in a completed CSV file, and the number of answers without a verdict.

    An answer counts when each of its statements has a verdict. Raises BadSheet for a half-judged
    answer, a missing or duplicate statement, and a word that is neither yes nor no.
    """
    answers: dict[str, list[tuple[int, Mapping[str, str]]]] = {}
    for line, row in _lines(text):
        answers.setdefault(row["response_id"].strip(), []).append((line, row))
    verdicts = []
    unjudged = 0
    for response_id, rows in answers.items():
        _check_whole(rows)
        rows.sort(key=lambda each: int(each[1]["statement"]))
        said = [_verdict(line, row, "traceable") for line, row in rows]
        if all(each is None for each in said):
            unjudged += 1
            continue
        if None in said:
            line = rows[said.index(None)][0]
            raise BadSheet(f"line {line}: no verdict, but other statements of this answer have one")
        relevant = {_verdict(line, row, "relevant") for line, row in rows} - {None}
        if len(relevant) > 1:
            raise BadSheet(f"line {rows[0][0]}: relevant is both yes and no for this answer")
        verdicts.append(
            AuditVerdict(
                response_id,
                "human",
                tuple(bool(each) for each in said),
                next(iter(relevant), None),
            )
        )
    return verdicts, unjudged


def _lines(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    rows = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        missing = set(COLUMNS) - {"question", "mode", "claim", "proof", "quotes", "links"}
        missing -= set(rows.fieldnames or ())
        if missing:
            raise BadSheet(f"line 1: missing column {', '.join(sorted(missing))}")
        line = rows.line_num + 1
        for row in rows:
            yield line, {name: value or "" for name, value in row.items() if name}
            line = rows.line_num + 1
    except csv.Error as error:
        raise BadSheet(f"line {rows.line_num}: not valid CSV ({error})") from error


def _check_whole(rows: Sequence[tuple[int, Mapping[str, str]]]) -> None:
    line, first = rows[0]
    try:
        numbers = sorted(int(row["statement"]) for _, row in rows)
        wanted = list(range(1, int(first["of"]) + 1))
    except ValueError as error:
        raise BadSheet(f"line {line}: the columns statement and of must not be edited") from error
    if numbers != wanted:
        raise BadSheet(f"line {line}: this answer has missing or duplicate statements")


def _verdict(line: int, row: Mapping[str, str], column: str) -> bool | None:
    said = row[column].strip().lower()
    if not said:
        return None
    if said not in (*YES, *NO):
        raise BadSheet(f"line {line}: {column} is {said[:40]!r}, neither yes nor no")
    return said in YES


def _plain(text: str) -> str:
    # A spreadsheet would evaluate a reader's text that starts like a formula.
    return f"'{text}" if text.startswith(_FORMULA) else text
