"""Does confidence still mean what readers say? Week by week. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.summary import DayFigures

LEAST_RATINGS = 20
MOST_DRIFT = 0.15


@dataclass(frozen=True, slots=True)
class DriftWeek:
    """A week from Monday: the share of questions with a high confidence, and of helpful ratings."""

    monday: date
    high_confidence: Share
    helpful: Share

    @property
    def gap(self) -> float | None:
        """How far confidence is above ratings; None for few ratings."""
        sure, helpful = self.high_confidence.value, self.helpful.value
        if sure is None or helpful is None or self.helpful.of < LEAST_RATINGS:
            return None
        return sure - helpful


@dataclass(frozen=True, slots=True)
class Drift:
    """Weeks of a period. `moved` is how far the last known gap is from the mean of those before
    it, None where either is unknown."""

    weeks: tuple[DriftWeek, ...]
    moved: float | None

    @property
    def raised(self) -> bool | None:
        """Whether it moved further than chance explains; None while that is unknown."""
        return None if self.moved is None else abs(self.moved) > MOST_DRIFT


def drift_of(days: Sequence[DayFigures]) -> Drift:
    """The drift over a period's days."""

    def monday(day: DayFigures) -> date:
        return day.day - timedelta(days=day.day.weekday())

    weeks = tuple(_week(first, list(own)) for first, own in groupby(days, key=monday))
    gaps = [week.gap for week in weeks if week.gap is not None]
    if len(gaps) < 2:
        return Drift(weeks, None)
    *before, last = gaps
    return Drift(weeks, last - sum(before) / len(before))


def _week(first: date, days: Sequence[DayFigures]) -> DriftWeek:
    return DriftWeek(
        first,
        Share.of_counts(
            sum(day.high_confidence for day in days), sum(day.with_confidence for day in days)
        ),
        Share.of_counts(sum(day.helpful for day in days), sum(day.rated for day in days)),
    )
