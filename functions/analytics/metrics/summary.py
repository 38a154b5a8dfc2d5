"""The summary of a period: sums by day, made anew where answers have changed."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from functions.adapters.postgres.database import Connection, Database
from functions.analytics.metrics.confidence_intervals import Estimate, Share
from functions.analytics.metrics.models import DayFigures, Summary, WeekFigures
from functions.analytics.metrics.period import Period
from functions.analytics.metrics.validation import THRESHOLDS
from functions.answer.gate.thresholds import REVIEW

SECONDS = 20.0
"""A first look at a very long period measures every day of it."""
Row = Mapping[str, Any]

_DAYS = """
    SELECT day, queries, answered, partial, refused, modes, reasons, repeated, cached, limited,
        checked, with_confidence, rated, helpful, counted, confirmed,
        refusals_reviewed, refusals_false, sessions, timed, milliseconds, p95_ms, cost_usd,
        (SELECT coalesce(sum(kind.queries), 0) FROM unnest(kinds) AS kind
            WHERE kind.status IN ('answered', 'partial') AND claiming
                AND confidence_step >= %(review)s) AS high_confidence
    FROM figure_days
    WHERE time_zone = %(zone)s AND day >= %(first)s AND day < %(end)s ORDER BY day
"""
_P95 = """
    SELECT min(step) AS p95_ms FROM (
        SELECT step, sum(sum(n)) OVER (ORDER BY step) AS upto, sum(sum(n)) OVER () AS of
        FROM figure_days, unnest(steps, step_counts) AS each (step, n)
        WHERE time_zone = %(zone)s AND day >= %(first)s AND day < %(end)s
        GROUP BY step
    ) AS steps
    WHERE upto >= 0.95 * of
"""
_WEEKS = """
    SELECT monday, queries, readers FROM figure_weeks
    WHERE monday >= %(first)s AND monday < %(end)s ORDER BY monday
"""
_SAME = (
    *("queries", "answered", "refused", "high_confidence", "with_confidence", "limited"),
    *("rated", "helpful"),
)
_NOBODY: Row = dict.fromkeys((*_SAME, "checked", "timed", "cost_usd"), 0) | {"p95_ms": None}
_NOW = """
    SELECT clock_timestamp() AS as_of,
        (clock_timestamp() AT TIME ZONE %(zone)s)::date AS today,
        ((clock_timestamp() - raw_retention) AT TIME ZONE %(zone)s)::date AS kept_since,
        (SELECT min(day) FROM figure_days WHERE time_zone = %(zone)s) AS first_day
    FROM limit_settings
"""


async def read_summary(database: Database, period: Period) -> Summary:
    """What happened in a period. DatabaseRejected for a time zone the database does not know."""
    given = period.parameters | {"review": bisect_right(THRESHOLDS, REVIEW)}

    async def read(connection: Connection) -> tuple[Row, list[Any], Row, list[Any]]:
        await connection.execute("SELECT refresh_figures(%(zone)s, %(first)s, %(end)s)", given)
        now, days, p95, weeks = [
            await (await connection.execute(statement.encode(), given)).fetchall()
            for statement in (_NOW, _DAYS, _P95, _WEEKS)
        ]
        return now[0], days, p95[0], weeks

    now, days, p95, weeks = await database.run(read, seconds=SECONDS)
    return _summarise(period, now, days, p95["p95_ms"], weeks)


async def today_in(database: Database, time_zone: str) -> date:
    """The day it is there. DatabaseRejected for a time zone that the database does not know."""
    rows = await database.call(
        "SELECT (clock_timestamp() AT TIME ZONE %s)::date AS today", (time_zone,), seconds=SECONDS
    )
    today: date = rows[0]["today"]
    return today


def weeks_of(rows: Iterable[Row]) -> tuple[WeekFigures, ...]:
    """Weeks in which nobody asked have no queries per reader."""
    return tuple(
        WeekFigures(
            row["monday"], row["queries"], row["readers"], _per(row["queries"], row["readers"])
        )
        for row in rows
    )


def per_reader_week(weeks: Iterable[WeekFigures]) -> float | None:
    """Queries for each reader and week in which that reader asked."""
    given = list(weeks)
    return _per(sum(week.queries for week in given), sum(week.readers for week in given))


def _summarise(
    period: Period, now: Row, rows: list[Any], p95_ms: int | None, week_rows: list[Any]
) -> Summary:
    total: Counter[str] = Counter()
    modes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for row in rows:
        total.update({name: value for name, value in row.items() if isinstance(value, int)})
        modes.update(row["modes"])
        reasons.update(row["reasons"])
    milliseconds = sum(row["milliseconds"] for row in rows)
    weeks = weeks_of(week_rows)
    by_day = {row["day"]: row for row in rows}
    days = [period.first + timedelta(days=n) for n in range(period.days)]
    return Summary(
        period=period,
        as_of=_moment(now["as_of"]),
        queries=total["queries"],
        answered=total["answered"],
        partial=total["partial"],
        refused=total["refused"],
        queries_by_mode=dict(modes),
        refusals_by_reason=dict(reasons.most_common()),
        repeated=total["repeated"],
        cached=total["cached"],
        mean_ms=milliseconds / total["timed"] if total["timed"] else None,
        p95_ms=p95_ms,
        helpful=Share.of_counts(total["helpful"], total["rated"]),
        refusals=Share.of_counts(total["refused"], total["queries"]),
        false_refusals=Estimate.from_sample(
            total["refused"], total["refusals_false"], total["refusals_reviewed"]
        ),
        low_confidence=Share.of_counts(
            total["checked"] - total["high_confidence"], total["checked"]
        ),
        high_confidence=Share.of_counts(total["high_confidence"], total["with_confidence"]),
        limited=Share.of_counts(total["limited"], total["answered"]),
        checked=total["checked"],
        counted=total["counted"],
        confirmed=total["confirmed"],
        cost_usd=float(sum(row["cost_usd"] for row in rows)),
        sessions=total["sessions"],
        queries_per_session=_per(total["queries"], total["sessions"]),
        queries_per_reader_week=per_reader_week(weeks),
        weeks=weeks,
        days=tuple(_day_of(day, by_day.get(day, _NOBODY)) for day in days),
        missing_days=tuple(
            day
            for day in days
            if day not in by_day
            and day <= now["today"]
            and day <= now["kept_since"]
            and now["first_day"] is not None
            and day > now["first_day"]
        ),
    )


def _day_of(day: date, row: Row) -> DayFigures:
    return DayFigures(
        day=day,
        low_confidence=row["checked"] - row["high_confidence"],
        **{name: row[name] for name in _SAME},
        mean_ms=row["milliseconds"] / row["timed"] if row["timed"] else None,
        p95_ms=row["p95_ms"],
        cost_usd=float(row["cost_usd"]),
    )


def _per(count: int, of: int) -> float | None:
    return count / of if of else None


def _moment(value: Any) -> datetime:
    moment: datetime = value
    return moment
