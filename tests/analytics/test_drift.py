"""The drift of confidence against readers' ratings."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from functions.analytics.metrics.drift import LEAST_RATINGS, drift_of
from functions.analytics.metrics.summary import DayFigures

MONDAY = date(2026, 11, 2)


def week(number: int, sure: int, helpful: int, rated: int = 50) -> list[DayFigures]:
    """A week of a hundred questions, all on its Wednesday."""
    nothing = dict.fromkeys(DayFigures.__slots__, 0)
    counts = nothing | {
        "queries": 100, "with_confidence": 100, "high_confidence": sure,
        "rated": rated, "helpful": helpful,
    }  # fmt: skip
    days = [MONDAY + timedelta(weeks=number, days=n) for n in range(7)]
    return [DayFigures(**(counts if n == 2 else nothing) | {"day": d}) for n, d in enumerate(days)]  # type: ignore[arg-type]


def test_a_week_like_those_before_is_no_drift() -> None:
    found = drift_of([*week(0, 80, 40), *week(1, 82, 40), *week(2, 81, 41)])
    assert [each.monday for each in found.weeks] == [MONDAY + timedelta(weeks=n) for n in range(3)]
    assert found.moved == pytest.approx(-0.02)
    assert found.raised is False


@pytest.mark.parametrize(("sure", "helpful"), [(80, 28), (50, 40)])
def test_confidence_that_leaves_the_ratings_is_raised(sure: int, helpful: int) -> None:
    assert drift_of([*week(0, 80, 40), *week(1, 80, 40), *week(2, sure, helpful)]).raised


def test_few_ratings_prove_nothing() -> None:
    few = week(2, 80, 0, rated=LEAST_RATINGS - 1)
    assert drift_of([*week(0, 80, 40), *week(1, 80, 40), *few]).raised is None
    assert drift_of(week(0, 80, 40)).raised is None
    assert drift_of([]).moved is None
