"""The drift of confidence against readers' ratings."""

from __future__ import annotations

import io
import json
import logging
from datetime import UTC, date, datetime, timedelta

import pytest

from functions.analytics.jobs import run_task
from functions.analytics.metrics.drift import LEAST_RATINGS, MOST_DRIFT, drift_of
from functions.analytics.metrics.summary import DayFigures
from functions.runtime import metrics
from functions.runtime.settings import Settings
from tests.build.deployment import template
from tests.fact_rows import asked_at, store
from tests.postgres_fixtures import BookDatabase

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
    assert drift_of([*week(0, 80, 40), *few]).raised is None
    assert drift_of([*week(0, 80, 40), *week(1, 80, 20), *few]).raised, "the last that counts"
    assert drift_of(week(0, 80, 40)).raised is None
    assert drift_of([]).moved is None


def test_the_job_counts_what_the_alarm_watches(fresh_database: BookDatabase) -> None:
    written = io.StringIO()
    metrics.send_metrics_to(logging.StreamHandler(written))
    settings = Settings(database_url=fresh_database.dsn("quoth_analytics"))
    assert run_task("judge", settings)["drift"] is None
    assert written.getvalue() == "", "too few ratings"
    today = datetime.now(UTC)
    for weeks, rating in ((2, "helpful"), (0, "not_helpful")):
        answers = [asked_at(today - timedelta(weeks=weeks)) for _ in range(LEAST_RATINGS)]
        for n, one in enumerate(answers):
            one.ratings = {f"reader {n}": rating}
        store(fresh_database, answers)
    assert run_task("judge", settings)["drift"] == 1.0
    line = json.loads(written.getvalue())
    alarm = template("infra/monitoring.yaml")["Resources"]["DriftAlarm"]["Properties"]
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    assert [each["Name"] for each in directive["Metrics"]] == [alarm["MetricName"]]
    assert directive["Dimensions"] == [[each["Name"] for each in alarm["Dimensions"]]]
    assert directive["Namespace"] == alarm["Namespace"]
    assert alarm["Threshold"] == MOST_DRIFT
