"""What answers are worth, and what that rests on. Shapes only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from functions.adapters.postgres.analytics_settings import RoiSettings
from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.models import WeekFigures
from functions.analytics.metrics.period import Period


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
    counted: int
    confirmed: int
    """Of the counted: readers said that they helped."""
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
