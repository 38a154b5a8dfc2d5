"""Each figure of the summary against the rows it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from functions.adapters.postgres.analytics_audits import draw_sample
from functions.adapters.postgres.database import Database, DatabaseRejected
from functions.analytics.metrics.confidence_intervals import Estimate, Share
from functions.analytics.metrics.period import Period
from functions.analytics.metrics.summary import Summary, read_summary
from tests.analytics.raw_metrics import in_days, percentile, raw_rows, summary_of
from tests.fact_rows import CLAIM, asked_at, random_answers, store, zone_at_midday
from tests.postgres_fixtures import BookDatabase

NOW = datetime.now(UTC)
TODAY = NOW.date()
Connect = Callable[..., Database]


@pytest.fixture
def figures(fresh_database: BookDatabase, connect: Connect) -> Database:
    """The database as the function `analytics` may use it."""
    return connect(fresh_database.dsn("quoth_analytics"))


def told(summary: Summary) -> dict[str, Any]:
    """A summary in the form of `summary_of`."""
    figures = {name: value for name, value in asdict(summary).items() if name != "days"}
    for name, value in vars_of(summary).items():
        if isinstance(value, Share):
            figures[name] = (value.count, value.of)
        elif isinstance(value, Estimate):
            figures[name] = (value.sample.count, value.sample.of)
    figures["weeks"] = [(week.monday, week.queries, week.readers) for week in summary.weeks]
    return figures


def vars_of(summary: Summary) -> dict[str, Any]:
    return {name: getattr(summary, name) for name in Summary.__dataclass_fields__}


def assert_same(summary: Summary, raw: dict[str, Any]) -> None:
    figures = told(summary)
    wrong = {
        name: (figures[name], value)
        for name, value in raw.items()
        if figures[name] != (pytest.approx(value) if isinstance(value, float) else value)
    }
    assert not wrong
    for name in ("queries", "verbatim", "close", "paraphrase"):
        assert sum(getattr(day, name) for day in summary.days) == raw[name]


async def test_every_number_equals_one_counted_from_the_raw_rows(
    fresh_database: BookDatabase, figures: Database
) -> None:
    store(fresh_database, random_answers(7, 1000, NOW - timedelta(days=28), 28))
    rows = raw_rows(fresh_database)
    periods = [
        Period(TODAY - timedelta(days=28), TODAY + timedelta(days=1)),
        Period(TODAY - timedelta(days=20), TODAY - timedelta(days=3), "Asia/Kathmandu"),
        Period(TODAY - timedelta(days=9), TODAY - timedelta(days=8), "America/St_Johns"),
        Period.of_month(TODAY, "Pacific/Kiritimati"),
        Period.of_month(TODAY, "Pacific/Kiritimati").previous(),
    ]
    for period in periods:
        for _ in range(2):  # measured, and kept
            raw = summary_of(rows, period.first, period.end, period.time_zone)
            summary = await read_summary(figures, period)
            assert_same(summary, raw)
        for day in summary.days:
            of_day = in_days(rows, day.day, day.day + timedelta(days=1), period.time_zone)
            times = [
                r["response_latency_ms"] for r in of_day if r["response_latency_ms"] is not None
            ]
            assert (day.queries, day.p95_ms) == (len(of_day), percentile(times, 0.95))
    assert raw["queries"] or period.is_month
    assert summary_of(rows, TODAY - timedelta(days=40), TODAY, "UTC")["queries"] > 900


async def test_what_happens_later_is_in_the_next_summary(
    fresh_database: BookDatabase, figures: Database
) -> None:
    answers = random_answers(3, 60, NOW - timedelta(days=10), 10)
    store(fresh_database, answers)
    period = Period(TODAY - timedelta(days=11), TODAY + timedelta(days=1), "Europe/Berlin")

    async def check() -> Summary:
        summary = await read_summary(figures, period)
        raw = summary_of(raw_rows(fresh_database), period.first, period.end, period.time_zone)
        assert_same(summary, raw)
        return summary

    before = await check()
    refused = next(a for a in answers if a.record.status == "refused" and not a.verdict)
    reworded = [CLAIM, CLAIM | {"verification": "paraphrase"}]
    late = asked_at(NOW - timedelta(days=9), mode="highlight", reader="late", claims=reworded)
    late.ratings = {"v": "not_helpful"}
    store(fresh_database, [late])
    after = await check()
    assert after.helpful.of == before.helpful.of + 1
    assert after.judge_alone.count == before.judge_alone.count + 1
    assert after.answers_judge_alone.count == before.answers_judge_alone.count + 1
    mark = "SELECT mark_response(%s::uuid, %s, '')"
    fresh_database.run(mark, (refused.record.response_id, "should_have_answered"))
    assert (await check()).false_refusals.known == before.false_refusals.known + 1
    fresh_database.run(mark, (refused.record.response_id, None))
    assert (await check()).false_refusals.known == before.false_refusals.known
    rating = "UPDATE feedback SET rating = 'helpful' WHERE response_id = %s"
    fresh_database.run(rating, (late.record.response_id,))
    assert (await check()).helpful.count == before.helpful.count + 1
    fresh_database.run("SELECT forget_session(%s)", (late.record.session_id,))
    forgotten = await check()
    assert (forgotten.queries, forgotten.judge_alone) == (before.queries, before.judge_alone)


async def test_nobody_asked(figures: Database) -> None:
    summary = await read_summary(figures, Period.of_last_days(400, TODAY))
    assert (summary.queries, summary.p95_ms, summary.mean_ms) == (0, None, None)
    assert summary.helpful == Share(0, 0, None, None, None)
    assert summary.false_refusals.value is None
    assert (summary.queries_per_session, summary.queries_per_reader_week) == (None, None)
    assert len(summary.days) == 400
    assert summary.missing_days == ()


async def test_one_query_is_a_whole_summary(
    fresh_database: BookDatabase, figures: Database
) -> None:
    store(fresh_database, [asked_at(NOW, response_latency_ms=1204.5)])
    summary = await read_summary(figures, Period.of_last_days(7, TODAY))
    assert (summary.queries, summary.answered, summary.p95_ms) == (1, 1, 1210)
    assert (summary.mean_ms, summary.queries_per_session) == (1204.5, 1.0)
    assert summary.refusals.value == 0.0
    assert summary.refusals.high == pytest.approx(0.7935, abs=1e-4)


async def test_everything_was_refused(fresh_database: BookDatabase, figures: Database) -> None:
    answers = [asked_at(NOW, status="refused", confidence=0.3) for _ in range(5)]
    for one, verdict in zip(answers, ("good_refusal", "fixed"), strict=False):
        one.verdict = verdict
    store(fresh_database, answers)
    summary = await read_summary(figures, Period.of_last_days(1, TODAY))
    assert summary.refusals.value == 1.0
    assert (summary.low_confidence.value, summary.limited.value) == (None, None)
    assert summary.high_confidence.value == 0.0
    false = summary.false_refusals
    assert (false.of, false.known, false.value) == (5, 2, 2.5)
    assert false.low is not None
    assert false.high is not None
    assert 1.0 <= false.low < 2.5 < false.high <= 4.0


async def test_a_day_is_the_administrators(fresh_database: BookDatabase, figures: Database) -> None:
    midnight = datetime(TODAY.year, TODAY.month, 1, tzinfo=UTC)
    store(fresh_database, [asked_at(midnight - timedelta(seconds=1)), asked_at(midnight)])
    of_month = {
        zone: (await read_summary(figures, Period.of_month(TODAY, zone))).queries
        for zone in ("UTC", "Asia/Tokyo", "America/New_York")
    }
    assert of_month == {"UTC": 1, "Asia/Tokyo": 2, "America/New_York": 0}
    before = Period.of_month(TODAY).previous()
    assert (await read_summary(figures, before)).queries == 1
    with pytest.raises(DatabaseRejected):
        await read_summary(figures, Period.of_month(TODAY, "Mars/Olympus"))


@pytest.mark.parametrize(
    ("zone", "before", "first"),
    [
        ("Atlantic/Azores", "2026-10-24T23:59Z", "2026-10-25T00:00Z"),  # 0:59 and then 0:00 again
        ("America/Havana", "2026-11-01T03:59Z", "2026-11-01T04:00Z"),
        ("Asia/Beirut", "2026-10-24T21:59Z", "2026-10-24T22:00Z"),  # 23:59 and then 23:00 again
        ("Asia/Beirut", "2026-03-28T21:59Z", "2026-03-28T22:00Z"),  # 23:59 and then 1:00
    ],
)
async def test_a_day_begins_once_where_clocks_change_at_midnight(
    fresh_database: BookDatabase, figures: Database, zone: str, before: str, first: str
) -> None:
    fresh_database.run("UPDATE limit_settings SET raw_retention = '20 years'")
    moments = [datetime.fromisoformat(before), datetime.fromisoformat(first)]
    store(fresh_database, [asked_at(moment) for moment in moments])
    days = [moment.astimezone(ZoneInfo(zone)).date() for moment in moments]
    assert days[0] < days[1]
    summary = await read_summary(figures, Period(days[0], days[1] + timedelta(days=1), zone))
    assert [(day.day, day.queries) for day in summary.days] == [(days[0], 1), (days[1], 1)]
    second = Period(days[1], days[1] + timedelta(days=1), zone)
    assert len(await draw_sample(figures, second, 5, "human")) == 1


async def test_sums_outlive_the_answers_and_say_which_days_are_missing(
    fresh_database: BookDatabase, figures: Database
) -> None:
    zone = zone_at_midday()
    now = datetime.now(ZoneInfo(zone))
    start, last_purged = now - timedelta(days=95), now.date() - timedelta(days=90)
    store(fresh_database, [asked_at(start + timedelta(days=n)) for n in (0, 8, 9, 94)])
    period = Period(start.date(), now.date() + timedelta(days=1), zone)
    # Sums are made as long as rows are whole, and then kept.
    fresh_database.run("UPDATE limit_settings SET raw_retention = '100 days'")
    kept = Period(period.first, period.first + timedelta(days=1), zone)
    await read_summary(figures, kept)
    fresh_database.run("UPDATE limit_settings SET raw_retention = '90 days'")
    fresh_database.run("SELECT purge_expired()")
    summary = await read_summary(figures, period)
    asked = {day.day for day in summary.days if day.queries}
    days = {(start + timedelta(days=n)).date() for n in (0, 8, 9, 94)}
    assert asked == {day for day in days if day == kept.first or day > last_purged}
    assert summary.missing_days
    assert kept.first not in summary.missing_days
    assert all(day <= last_purged for day in summary.missing_days)


async def test_a_day_that_somebody_is_forgotten_of_outlives_its_answers(
    fresh_database: BookDatabase, figures: Database
) -> None:
    moment = datetime.now(UTC) - timedelta(days=20)
    store(fresh_database, [asked_at(moment, session_id="mine"), asked_at(moment)])
    week = moment.date() - timedelta(days=moment.weekday())
    period = Period(week, week + timedelta(days=7))
    assert (await read_summary(figures, period)).queries == 2
    fresh_database.run("SELECT forget_session('mine')")
    # Nobody looks before the day is no longer whole.
    fresh_database.run("UPDATE limit_settings SET raw_retention = '19 days'")
    summary = await read_summary(figures, period)
    assert summary.queries == 1
    assert [each.queries for each in summary.weeks] == [1]


def test_a_period_is_whole_days() -> None:
    month = Period.of_month(date(2026, 3, 31))
    assert (month.first, month.end, month.days) == (date(2026, 3, 1), date(2026, 4, 1), 31)
    assert month.previous() == Period(date(2026, 2, 1), date(2026, 3, 1))
    assert Period.of_month(date(2026, 12, 5)).last == date(2026, 12, 31)
    week = Period.of_last_days(7, date(2026, 3, 1))
    assert (week.first, week.last) == (date(2026, 2, 23), date(2026, 3, 1))
    assert week.previous().end == week.first
    for first, end in ((date(2026, 3, 1), date(2026, 3, 1)), (date(2024, 1, 1), date(2026, 1, 1))):
        with pytest.raises(ValueError, match="from 1 to 400 days"):
            Period(first, end)
