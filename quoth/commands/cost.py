"""`quoth cost`: what answers have cost, and the ceilings."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from typing import Any

import click
import psycopg
from psycopg.rows import dict_row

from functions.runtime.prices import shipped_prices
from quoth.commands.start_stack import plain_errors
from quoth.commands.stored_book import StoredBook, with_stored_book
from quoth.cost.plan import PILOT, QUERIES, Usage, plan_lines, plan_month


class _Ceiling(click.ParamType[float | None]):
    """Dollars, or `none`."""

    name = "dollars"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | None:
        if value in ("none", None):
            return None
        try:
            dollars = float(str(value))
        except ValueError:
            dollars = -1.0
        if not 0 <= dollars < 1e9:
            self.fail(f"{value!r} is not a number of dollars, nor none", param, ctx)
        return dollars


class _Month(click.ParamType[date]):
    """The first day of a month, given as its year and number."""

    name = "month"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> date:
        try:
            return datetime.strptime(f"{value} +0000", "%Y-%m %z").date()
        except ValueError:
            self.fail(f"{value!r} is not a month; write it as 2026-11", param, ctx)


@click.command()
@click.option("--month", type=_Month(), help="As 2026-11; this month, if not given. UTC.")
@click.option("--daily-ceiling", type=_Ceiling(), help="Set it in dollars, or none.")
@click.option("--monthly-ceiling", type=_Ceiling(), help="Set it in dollars, or none.")
@with_stored_book
@click.option("--plan", is_flag=True, help="Estimate monthly costs in the cloud; needs no book.")
@click.option("--active-hours", type=click.FloatRange(1, 24), default=24.0, help="With --plan.")
@click.option("--model", help="With --plan: the model to assume.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def cost(
    ctx: click.Context,
    month: date | None,
    daily_ceiling: float | None,
    monthly_ceiling: float | None,
    stored: StoredBook,
    plan: bool,
    active_hours: float,
    model: str | None,
    as_json: bool,
) -> None:
    """Show what a month's answers cost, by day and model; with --plan, estimate a month.

    Near a ceiling (80 % of it) the smaller model writes, where one is set; at the ceiling answers
    are quotes from the book. A ceiling of 0 means quotes only.
    """
    if plan:
        click.echo(_planned(active_hours, model, as_json))
        return
    first = month or datetime.now(UTC).date().replace(day=1)
    given = {"daily": daily_ceiling, "monthly": monthly_ceiling}
    changes = {
        name: value
        for name, value in given.items()
        if ctx.get_parameter_source(f"{name}_ceiling") is click.core.ParameterSource.COMMANDLINE
    }
    with plain_errors(psycopg.Error), stored.database() as dsn:
        if changes:
            set_ceilings(dsn, changes)
        spent = read_month(dsn, first)
    click.echo(_as_json(spent) if as_json else "\n".join(_lines(spent)))


def _planned(active_hours: float, model: str | None, as_json: bool) -> str:
    models = shipped_prices()
    usage = Usage(active_hours=active_hours, model=model or Usage().model)
    if not models.knows(usage.model):
        raise click.BadParameter(f"the price of {usage.model} is unknown", param_hint="--model")
    plans = [plan_month(queries, usage, models) for queries in QUERIES]
    if as_json:
        return json.dumps({"usage": asdict(usage), "plans": [asdict(each) for each in plans]})
    return "\n".join(plan_lines(plans, plan_month(PILOT, usage, models), usage))


def _as_json(month: Month) -> str:
    return json.dumps({**asdict(month), "first": month.first.isoformat(), "dollars": month.dollars})


def _lines(month: Month) -> Iterable[str]:
    yield f"{month.first:%Y-%m} (UTC)  {month.queries} queries  ${month.dollars:.4f}"
    head = f"{'':<28}{'queries':>9}{'tokens in':>12}{'tokens out':>12}{'dollars':>12}"
    for rows in (month.days, month.models):
        if rows:
            yield head
            yield from (_line(row) for row in rows)
    yield _ceilings(month)


def _line(row: Spent) -> str:
    return (
        f"{row.name:<28}{row.queries:>9}{row.input_tokens:>12}{row.output_tokens:>12}"
        f"{row.dollars:>12.6f}"
    )


def _ceilings(month: Month) -> str:
    def named(dollars: float | None) -> str:
        return "none" if dollars is None else f"${dollars:g}"

    now = {
        "open": "the model writes",
        "smaller": "the smaller model writes",
        "quotes": "quotes only",
    }
    return (
        f"ceilings: a day {named(month.daily_ceiling)}, a month {named(month.monthly_ceiling)}; "
        f"now: {now[month.step]}"
    )


CONNECT_SECONDS = 10
DAYS = (
    "SELECT day, queries, input_tokens, output_tokens, cost_usd::float8 AS dollars"
    " FROM spend_days WHERE day >= %(first)s AND day < %(first)s + interval '1 month' ORDER BY day"
)
MODELS = (
    "SELECT coalesce(nullif(model_returned, ''), 'quotes only') AS model, count(*) AS queries,"
    " sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,"
    " sum(cost_usd)::float8 AS dollars"
    " FROM responses WHERE created_at >= (%(first)s::timestamp AT TIME ZONE 'UTC')"
    " AND created_at < ((%(first)s + interval '1 month') AT TIME ZONE 'UTC')"
    " GROUP BY 1 ORDER BY dollars DESC, model"
)
CEILINGS = (
    "SELECT daily_ceiling_usd::float8 AS daily, monthly_ceiling_usd::float8 AS monthly,"
    " budget_step(limit_settings) AS step FROM limit_settings"
)


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens and dollars of some queries. `name` is a day (ISO 8601, UTC) or a model."""

    name: str
    queries: int
    input_tokens: int
    output_tokens: int
    dollars: float


@dataclass(frozen=True, slots=True)
class Month:
    """A month's spending. Ceilings in dollars, None where there is none; `step` is what the
    budget allows now: open, smaller (model) or quotes."""

    first: date
    days: tuple[Spent, ...]
    models: tuple[Spent, ...]
    daily_ceiling: float | None
    monthly_ceiling: float | None
    step: str

    @property
    def dollars(self) -> float:
        return sum(day.dollars for day in self.days)

    @property
    def queries(self) -> int:
        return sum(day.queries for day in self.days)


def read_month(dsn: str, first: date) -> Month:
    """The month that begins on `first`. Raises psycopg.Error.

    Sums by day are kept indefinitely, sums by model as long as the raw rows.
    """
    with psycopg.connect(
        dsn, connect_timeout=CONNECT_SECONDS, prepare_threshold=None, row_factory=dict_row
    ) as connection:
        days = connection.execute(DAYS, {"first": first}).fetchall()
        models = connection.execute(MODELS, {"first": first}).fetchall()
        ceilings = connection.execute(CEILINGS).fetchone() or {}
    return Month(
        first=first,
        days=tuple(_spent(str(row.pop("day")), row) for row in days),
        models=tuple(_spent(str(row.pop("model")), row) for row in models),
        daily_ceiling=ceilings.get("daily"),
        monthly_ceiling=ceilings.get("monthly"),
        step=str(ceilings.get("step", "open")),
    )


def set_ceilings(dsn: str, changes: dict[str, float | None]) -> None:
    """Set `daily` and `monthly`, in dollars; None takes a ceiling away. Raises psycopg.Error."""
    with psycopg.connect(
        dsn, connect_timeout=CONNECT_SECONDS, prepare_threshold=None
    ) as connection:
        if "daily" in changes:
            connection.execute(
                "UPDATE limit_settings SET daily_ceiling_usd = %s", (changes["daily"],)
            )
        if "monthly" in changes:
            connection.execute(
                "UPDATE limit_settings SET monthly_ceiling_usd = %s", (changes["monthly"],)
            )


def _spent(name: str, row: dict[str, Any]) -> Spent:
    return Spent(name, **row)
