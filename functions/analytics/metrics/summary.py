"""The summary of a period, from sums by day and by week."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from functions.adapters.postgres.analytics_query import Row
from functions.adapters.postgres.analytics_summary import SummaryRows, read_summary_rows
from functions.adapters.postgres.database import Database
from functions.analytics.metrics.confidence_intervals import Estimate, Share
from functions.analytics.metrics.period import Period
from functions.analytics.metrics.validation import THRESHOLDS
from functions.answer.gate.thresholds import REVIEW

HELPFUL_TARGET = 0.80
"""SC-006."""


@dataclass(frozen=True, slots=True)
class DayFigures:
    """One day. Counts are of queries, `rated` and `helpful` of readers' ratings of them,
    `verbatim`, `close` and `paraphrase` of statements that readers were shown, by their proof."""

    day: date
    queries: int
    answered: int
    refused: int
    low_confidence: int
    high_confidence: int
    with_confidence: int
    limited: int
    rated: int
    helpful: int
    verbatim: int
    close: int
    paraphrase: int
    mean_ms: float | None
    p95_ms: float | None
    cost_usd: float


@dataclass(frozen=True, slots=True)
class WeekFigures:
    """A week of UTC, from Monday: readers' names change with it, and nothing counts them longer."""

    monday: date
    queries: int
    readers: int
    per_reader: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """What happened in a period.

    `days` holds every day of the period; `missing_days` those whose queries were deleted before
    their sums were made. `weeks` are those that begin in the period.
    """

    period: Period
    as_of: datetime
    queries: int
    answered: int
    """Fully or partially."""
    partial: int
    refused: int
    queries_by_mode: dict[str, int]
    refusals_by_reason: dict[str, int]
    repeated: int
    cached: int
    mean_ms: float | None
    p95_ms: float | None
    helpful: Share
    """Of readers' ratings."""
    refusals: Share
    """Of queries."""
    false_refusals: Estimate
    """Estimated from the reviewed refusals."""
    low_confidence: Share
    """Of checked answers."""
    high_confidence: Share
    """Of queries with a confidence (SC-009)."""
    limited: Share
    """Answers in quotes only."""
    checked: int
    """Answers with claims, all of them checked. A greeting has none."""
    verbatim: int
    close: int
    paraphrase: int
    """Statements that readers were shown, by their proof."""
    judge_alone: Share
    """Paraphrases: statements that the judge alone confirmed, of all with a proof."""
    answers_judge_alone: Share
    """Checked answers with such a statement."""
    counted: int
    """Checked answers that were neither repeated within minutes nor rated unhelpful."""
    confirmed: int
    """Counted answers that readers rated helpful."""
    cost_usd: float
    sessions: int
    queries_per_session: float | None
    queries_per_reader_week: float | None
    readers_per_week: float | None
    weeks: tuple[WeekFigures, ...]
    days: tuple[DayFigures, ...]
    missing_days: tuple[date, ...]


_COUNTS = (
    *("queries", "answered", "partial", "refused", "repeated", "cached"),
    *("checked", "verbatim", "close", "paraphrase", "counted", "confirmed", "sessions"),
)
_COUNTS_BY_DAY = (
    *("queries", "answered", "refused", "high_confidence", "with_confidence", "limited"),
    *("rated", "helpful", "verbatim", "close", "paraphrase"),
)
_NO_QUERIES: Row = dict.fromkeys(
    (*_COUNTS_BY_DAY, "checked", "timed", "milliseconds", "cost_usd"), 0
) | {"p95_ms": None}


async def read_summary(database: Database, period: Period) -> Summary:
    """The summary. DatabaseRejected for a time zone that the database does not know."""
    rows = await read_summary_rows(database, period, bisect_right(THRESHOLDS, REVIEW))
    return _summarise(period, rows)


def weeks_of(rows: Iterable[Row]) -> tuple[WeekFigures, ...]:
    """None per reader for weeks without readers."""
    return tuple(
        WeekFigures(
            row["monday"], row["queries"], row["readers"], _per(row["queries"], row["readers"])
        )
        for row in rows
    )


def per_reader_week(weeks: Iterable[WeekFigures]) -> float | None:
    """Queries per reader and week, counting weeks in which a reader asked."""
    given = list(weeks)
    return _per(sum(week.queries for week in given), sum(week.readers for week in given))


def _readers_per_week(weeks: Iterable[WeekFigures], today: date) -> float | None:
    readers = [
        week.readers for week in weeks if week.readers and week.monday + timedelta(days=7) <= today
    ]
    return _per(sum(readers), len(readers))


def _summarise(period: Period, rows: SummaryRows) -> Summary:
    total, modes, reasons = _add_up(rows.days)
    weeks = weeks_of(rows.weeks)
    by_day = {row["day"]: row for row in rows.days}
    days = [period.first + timedelta(days=n) for n in range(period.days)]
    return Summary(
        period=period,
        as_of=rows.now["as_of"],
        **{name: total[name] for name in _COUNTS},
        queries_by_mode=dict(modes),
        refusals_by_reason=dict(reasons.most_common()),
        mean_ms=_per(sum(row["milliseconds"] for row in rows.days), total["timed"]),
        p95_ms=rows.p95_ms,
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
        judge_alone=Share.of_counts(
            total["paraphrase"], total["verbatim"] + total["close"] + total["paraphrase"]
        ),
        answers_judge_alone=Share.of_counts(total["with_paraphrase"], total["checked"]),
        cost_usd=float(sum(row["cost_usd"] for row in rows.days)),
        queries_per_session=_per(total["queries"], total["sessions"]),
        queries_per_reader_week=per_reader_week(weeks),
        readers_per_week=_readers_per_week(weeks, rows.now["as_of"].astimezone(UTC).date()),
        weeks=weeks,
        days=tuple(_day_of(day, by_day.get(day, _NO_QUERIES)) for day in days),
        missing_days=tuple(d for d in days if d not in by_day and _was_deleted(d, rows.now)),
    )


def _add_up(days: Iterable[Row]) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """The counts, the queries by mode and the refusals by reason of all days."""
    total: Counter[str] = Counter()
    modes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for row in days:
        total.update({name: value for name, value in row.items() if isinstance(value, int)})
        modes.update(row["modes"])
        reasons.update(row["reasons"])
    return total, modes, reasons


def _was_deleted(day: date, now: Row) -> bool:
    """Whether a day without sums had queries that were deleted before they were summed up."""
    first = now["first_day"]
    return first is not None and first < day <= min(now["today"], now["kept_since"])


def _day_of(day: date, row: Row) -> DayFigures:
    return DayFigures(
        day=day,
        low_confidence=row["checked"] - row["high_confidence"],
        **{name: row[name] for name in _COUNTS_BY_DAY},
        mean_ms=_per(row["milliseconds"], row["timed"]),
        p95_ms=row["p95_ms"],
        cost_usd=float(row["cost_usd"]),
    )


def _per(count: float, of: int) -> float | None:
    return count / of if of else None
