"""`quoth cost`: what answers have cost, and the ceilings."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path

import click
import psycopg

from functions.runtime.prices import shipped_prices
from quoth.commands.start_stack import EXPECTED
from quoth.commands.stored_book import database_of
from quoth.cost.planned import Usage, plan_month
from quoth.cost.planned_lines import PILOT, QUERIES, plan_lines
from quoth.cost.spent import Month, Spent, read_month, set_ceilings
from quoth.store import DEFAULT_BOOK, store_of


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
@click.option("--daily-ceiling", type=_Ceiling(), help="Set it: dollars a day, or none.")
@click.option("--monthly-ceiling", type=_Ceiling(), help="Set it: dollars a month, or none.")
@click.option("--book", type=click.Path(path_type=Path), default=DEFAULT_BOOK, help="The book.")
@click.option("--data", type=click.Path(path_type=Path), help="Where the book's data is kept.")
@click.option("--database-url", envvar="QUOTH_DATABASE_URL", help="A database instead of these.")
@click.option("--plan", is_flag=True, help="What months would cost in the cloud; reads no book.")
@click.option("--active-hours", type=click.FloatRange(1, 24), default=24.0, help="With --plan.")
@click.option("--model", help="With --plan: another model than the usual one.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def cost(
    ctx: click.Context,
    month: date | None,
    daily_ceiling: float | None,
    monthly_ceiling: float | None,
    book: Path,
    data: Path | None,
    database_url: str | None,
    plan: bool,
    active_hours: float,
    model: str | None,
    as_json: bool,
) -> None:
    """What a month's answers have cost, by day and by model; with --plan, what it would cost.

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
    try:
        with ExitStack() as exits:
            dsn = database_url or exits.enter_context(database_of(store_of(book, data)))
            if changes:
                set_ceilings(dsn, changes)
            spent = read_month(dsn, first)
    except (*EXPECTED, psycopg.Error) as error:
        raise click.ClickException(str(error)) from error
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
