"""`quoth steps`: how long the steps of recorded answers took."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass

import click
import psycopg
from psycopg.rows import class_row

from quoth.commands.start_stack import plain_errors
from quoth.commands.stored_book import StoredBook, with_stored_book

CONNECT_SECONDS = 10
TOTAL = "whole query"
STEPS = """
WITH wanted AS (
    SELECT responses.*, queries.mode FROM responses JOIN queries USING (query_id)
    WHERE created_at > clock_timestamp() - %(since)s::interval
        AND (%(mode)s::text IS NULL OR mode = %(mode)s)
), taken AS (
    SELECT key AS step, value::float8 AS ms FROM wanted, jsonb_each_text(timings)
    UNION ALL
    SELECT %(total)s, response_latency_ms FROM wanted WHERE response_latency_ms IS NOT NULL
)
SELECT step, count(*) AS answers,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS p50_ms,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY ms) AS p95_ms,
    max(ms) AS max_ms
FROM taken GROUP BY step ORDER BY (step = %(total)s), p95_ms DESC, step
"""
_SINCE = re.compile(r"([1-9]\d{0,5})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


@dataclass(frozen=True, slots=True)
class Step:
    """Milliseconds of one step over some answers."""

    step: str
    answers: int
    p50_ms: float
    p95_ms: float
    max_ms: float


class _Since(click.ParamType[str]):
    """Converts `90m`, `24h` or `7d` to a PostgreSQL interval."""

    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        if match := _SINCE.fullmatch(str(value)):
            return f"{match[1]} {_UNITS[match[2]]}"
        self.fail(f"{value!r} is no time such as 90m, 24h or 7d", param, ctx)


@click.command()
@click.option("--since", type=_Since(), default="24h", show_default=True, help="90m, 24h, 7d.")
@click.option("--mode", type=click.Choice(["book-wide", "highlight", "selected-text"]))
@with_stored_book
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def steps(stored: StoredBook, since: str, mode: str | None, as_json: bool) -> None:
    """Show how long each step of recorded answers took: median, 95th percentile, longest.

    The steps are those of the responses' `timings_ms`; some run concurrently.
    """
    with plain_errors(psycopg.Error), stored.database() as dsn:
        found = read_steps(dsn, since, mode)
    if as_json:
        click.echo(json.dumps([asdict(step) for step in found]))
        return
    if not found:
        raise click.ClickException(f"No answer was recorded in the last {since}.")
    click.echo(f"{'step':<20}{'answers':>9}{'p50 ms':>11}{'p95 ms':>11}{'max ms':>11}")
    for step in found:
        took = f"{step.p50_ms:>11.1f}{step.p95_ms:>11.1f}{step.max_ms:>11.1f}"
        click.echo(f"{step.step:<20}{step.answers:>9}{took}")


def read_steps(dsn: str, since: str, mode: str | None = None) -> list[Step]:
    """The steps of the answers within `since` (an interval such as `24 hours`), slowest first; the
    total comes last."""
    with psycopg.connect(dsn, connect_timeout=CONNECT_SECONDS, prepare_threshold=None) as open_to:
        cursor = open_to.cursor(row_factory=class_row(Step))
        return cursor.execute(STEPS, {"since": since, "mode": mode, "total": TOTAL}).fetchall()
