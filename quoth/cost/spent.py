"""What a month's answers have cost, from the records, beside the ceilings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import psycopg
from psycopg.rows import dict_row

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

    Days are kept for good; models are known for as long as raw rows are.
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
