"""Return on investment: the specified estimate beside a defensible one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from functions.adapters.postgres.analytics_settings import (
    RoiSettings,
    read_settings,
    today_in,
)
from functions.adapters.postgres.database import Database
from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.period import Period
from functions.analytics.metrics.summary import Summary, WeekFigures, read_summary


@dataclass(frozen=True, slots=True)
class Range:
    """`value` is None where only the ends are known."""

    low: float
    value: float | None
    high: float


@dataclass(frozen=True, slots=True)
class Saved:
    """Hours, and what they cost where a rate is set.

    `specified_hours`: queries × minutes. `hours`: only the `counted` answers, that were checked,
    not repeated and not voted down; from the fewest that helped at the fewest minutes to the most
    at the most.
    """

    period: Period
    queries: int
    specified_hours: float
    specified_money: float | None
    answered: Share
    """Of questions."""
    counted: int
    confirmed: int
    """Counted answers that readers rated helpful."""
    hours: Range
    money: Range | None
    cost_usd: float
    helpful: Share
    queries_per_reader_week: float | None


@dataclass(frozen=True, slots=True)
class Roi:
    """A period's return beside that of the period before. `reduction` is the survey's (SC-007)."""

    settings: RoiSettings
    as_of: datetime
    now: Saved
    before: Saved
    reduction: float | None
    reduction_target: tuple[float, float]
    weeks: tuple[WeekFigures, ...]
    """Engagement over both periods."""

    @property
    def is_comparable(self) -> bool:
        """Whether the period before has enough questions for a comparison to mean something."""
        return self.before.queries >= LEAST_COMPARED


REDUCTION_TARGET = (0.30, 0.50)
"""SC-007."""
LEAST_COMPARED = 30
SPECIFIED_MINUTES = 2.5
"""FR-025: a teacher's time for a question."""


async def read_roi(database: Database, period: Period) -> Roi:
    """The return of a period and of the one before. A period that is not over is compared with as
    many days of the one before as have passed."""
    settings = await read_settings(database)
    before = comparable(period, await today_in(database, period.time_zone))
    now, earlier = await read_summary(database, period), await read_summary(database, before)
    return Roi(
        settings=settings,
        as_of=now.as_of,
        now=saved_by(now, settings),
        before=saved_by(earlier, settings),
        reduction=reduction_of(settings),
        reduction_target=REDUCTION_TARGET,
        weeks=(*earlier.weeks, *now.weeks),
    )


def comparable(period: Period, today: date) -> Period:
    """The days of the preceding period to compare with. Pure."""
    before = period.previous()
    had = (today - period.first).days + 1
    if not 1 <= had < period.days:
        return before
    return Period(
        before.first, min(before.end, before.first + timedelta(days=had)), period.time_zone
    )


def saved_by(summary: Summary, settings: RoiSettings) -> Saved:
    """Hours of teachers saved by a period's answers. Pure.

    Unrated answers are taken to help as often as rated ones, within the confidence interval of
    that proportion; without any rating, from never to always.
    """
    specified = summary.queries * SPECIFIED_MINUTES / 60
    unrated = summary.counted - summary.confirmed
    share = summary.helpful

    def hours(helped: float, minutes: float) -> float:
        return (summary.confirmed + unrated * helped) * minutes / 60

    low = hours(0.0 if share.low is None else share.low, settings.minutes_low)
    high = hours(1.0 if share.high is None else share.high, settings.minutes_high)
    value = None if share.value is None else hours(share.value, settings.minutes)
    if not summary.counted:
        value = 0.0
    rate = settings.hourly_rate
    return Saved(
        period=summary.period,
        queries=summary.queries,
        specified_hours=specified,
        specified_money=None if rate is None else specified * rate,
        answered=Share.of_counts(summary.answered, summary.queries),
        counted=summary.counted,
        confirmed=summary.confirmed,
        hours=Range(low, value, high),
        money=None
        if rate is None
        else Range(low * rate, None if value is None else value * rate, high * rate),
        cost_usd=summary.cost_usd,
        helpful=share,
        queries_per_reader_week=summary.queries_per_reader_week,
    )


def reduction_of(settings: RoiSettings) -> float | None:
    """The proportion of hours saved according to a survey; negative for an increase. Pure."""
    if settings.survey_hours_before is None or settings.survey_hours_after is None:
        return None
    return 1 - settings.survey_hours_after / settings.survey_hours_before
