"""Validation, chapters and coverage against the rows they are made of, and the pure parts alone."""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from functions.adapters.postgres.analytics_settings import RoiSettings
from functions.adapters.postgres.database import Database
from functions.analytics.metrics.chapter_detection import read_chapters
from functions.analytics.metrics.confidence_intervals import Estimate, Share
from functions.analytics.metrics.coverage import read_coverage
from functions.analytics.metrics.period import Period
from functions.analytics.metrics.roi import comparable, reduction_of
from functions.analytics.metrics.summary import read_summary
from functions.analytics.metrics.validation import THRESHOLDS, read_validation
from functions.answer.gate.thresholds import GATE, REVIEW
from tests.analytics.raw_metrics import in_days, raw_rows
from tests.fact_rows import asked_at, random_answers, store
from tests.postgres_fixtures import BookDatabase

NOW = datetime.now(UTC)
TODAY = NOW.date()
ZONE = "Asia/Kolkata"
Connect = Callable[..., Database]


def mean(values: Sequence[Any]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def test_the_database_counts_by_the_same_thresholds(fresh_database: BookDatabase) -> None:
    assert {GATE, REVIEW} < set(THRESHOLDS)
    near = [at + off for at in THRESHOLDS for off in (-1e-9, 0.0, 1e-9)] + [0.0, 1.0]
    steps = fresh_database.run(
        "SELECT confidence_step(c) FROM unnest(%s::double precision[]) AS c", (near,)
    )
    assert [row[0] for row in steps] == [bisect_right(THRESHOLDS, value) for value in near]


async def test_validation_and_chapters_equal_the_raw_rows(
    fresh_database: BookDatabase, connect: Connect
) -> None:
    store(fresh_database, random_answers(11, 600, NOW - timedelta(days=20), 20))
    errors = [
        ("query", "ModelTimedOut", "r1"), ("query", "IndexDown", "r1"),
        ("selected", "ModelTimedOut", "r2"), ("ingest", "Other", "r3"),
    ]  # fmt: skip
    told = [
        {"error_type": kind, "function": function, "request_id": request}
        for function, kind, request in errors
    ]
    fresh_database.run("SELECT record_errors(%s)", (Jsonb(told),))
    database = connect(fresh_database.dsn("quoth_analytics"))
    period = Period(TODAY - timedelta(days=15), TODAY + timedelta(days=2), ZONE)
    rows = in_days(raw_rows(fresh_database), period.first, period.end, ZONE)

    validation = await read_validation(database, period)
    checked = [row for row in rows if row["validation_passed"] is not None]
    assert (validation.passed.count, validation.passed.of) == (
        sum(row["validation_passed"] for row in checked),
        len(checked),
    )
    assert validation.mean_similarity == pytest.approx(
        mean([row["response_similarity_score"] for row in rows])
    )
    for mode in validation.modes:
        of_mode = [row for row in rows if row["mode"] == mode.mode]
        assert mode.passed.of == sum(row["validation_passed"] is not None for row in of_mode)
        assert mode.mean_overlap == pytest.approx(
            mean([row["keyword_overlap_ratio"] for row in of_mode])
        )
        taken = sorted(
            math.ceil(10 * row["latency_validation_ms"]) / 10
            for row in of_mode
            if row["latency_validation_ms"] is not None
        )
        assert mode.p95_ms == taken[math.ceil(0.95 * len(taken)) - 1]
    rejected = [r for r in rows if r["status"] == "refused"]
    negatives = validation.false_negatives
    assert (negatives.of, negatives.known) == (
        len(rejected),
        sum(row["verdict"] is not None for row in rejected),
    )
    assert negatives == (await read_summary(database, period)).false_refusals, "one truth"
    later = next(row for row in rejected if row["verdict"] is None)
    fresh_database.run(
        "SELECT mark_response(%s, 'should_have_answered', '')", (later["response_id"],)
    )
    again = (await read_validation(database, period)).false_negatives
    assert (again.sample.count, again.known) == (negatives.sample.count + 1, negatives.known + 1)
    sure = [row for row in rows if row["confidence"] is not None]
    answers = [r for r in sure if r["status"] != "refused" and r["claims"]]
    gated = [r for r in sure if r["status"] == "refused" and r["confidence"] < GATE]
    for effect in validation.thresholds:
        more = [r for r in answers if r["confidence"] < effect.threshold]
        tried = [r for r in gated if r["confidence"] >= effect.threshold]
        assert (effect.refused_more, effect.of_these_not_helpful, effect.of_these_wrong) == (
            len(more),
            sum("not_helpful" in r["ratings"] for r in more),
            sum(r["verdict"] in ("wrong_answer", "fixed") for r in more),
        )
        assert effect.of_these_helpful == sum(set(r["ratings"]) == {"helpful"} for r in more)
        assert (effect.asked_more, effect.of_these_good_refusals) == (
            len(tried),
            sum(r["verdict"] == "good_refusal" for r in tried),
        )
    assert [effect.threshold for effect in validation.thresholds] == list(THRESHOLDS)

    chapters = await read_chapters(database, period)
    wide = [row for row in rows if row["mode"] == "book-wide"]
    sent = [r for r in wide if r["chapter_context"] and (r["search"] or r["cached"])]
    found = [row for row in sent if row["body"]["metadata"]["chapter_id"]]
    assert (chapters.detected.count, chapters.detected.of) == (len(found), len(sent))
    assert chapters.with_chapter.of == len(wide)
    assert chapters.boosted.count == sum(row["search"] is not None for row in found)
    assert chapters.search_ms == pytest.approx(
        mean([row["timings"]["search"] for row in found if row["search"]])
    )
    assert (chapters.errors, chapters.errors_by_type) == (2, {"ModelTimedOut": 2, "IndexDown": 1})
    assert chapters.error_share == pytest.approx(2 / (len(rows) + 2))
    raised = {alarm.name: alarm.raised for alarm in chapters.alarms}
    assert raised == {"detection": True, "latency": False, "errors": 2 / (len(rows) + 2) > 0.01}
    assert [(use.chapter_id, use.queries) for use in chapters.chapters] == [("c1", len(found))]


async def test_an_edit_is_seen_in_what_readers_get(
    fresh_database: BookDatabase, connect: Connect
) -> None:
    now = datetime.now(UTC)
    edited = now - timedelta(days=5)
    fresh_database.run(
        "INSERT INTO documents (id, source_path, title, url, content_hash, generation, updated_at)"
        " VALUES (gen_random_uuid(), 'docs/a.md', 'Gaits', '/a', 'h', 2, %s)",
        (edited,),
    )
    body = {"source_path": "docs/a.md", "titles": ["Gaits", "Trot"]}
    for chunk, url in (("new", "/a#trot"), ("other", "/a#walk")):
        fresh_database.run(
            "INSERT INTO chunks (id, document_id, generation, ordinal, hash, body)"
            " SELECT %s, id, 2, 0, 'h', %s FROM documents",
            (chunk, Jsonb(body | {"url": url})),
        )
    fresh_database.run(
        "INSERT INTO past_chunks VALUES ('old', 'h', %s)", (Jsonb(body | {"url": "/a#trot"}),)
    )

    def answers(days: float, chunk: str, refused: int, sure: int) -> list[Any]:
        moment, known = now - timedelta(days=days), {"retrieved_chunk_ids": [chunk, "other"]}
        return [
            *(asked_at(moment, status="refused", confidence=0.2, **known) for _ in range(refused)),
            *(asked_at(moment, **known) for _ in range(sure)),
        ]

    store(
        fresh_database,
        [
            *answers(7, "old", 6, 2), *answers(2, "new", 1, 7), *answers(2, "other", 0, 1),
            *answers(25, "old", 4, 0), *answers(2, "gone", 3, 0),
            asked_at(now - timedelta(days=2), status="refused", confidence=0.5,
                     refusal_reason="out_of_scope", retrieved_chunk_ids=["new"]),
            asked_at(now, status="refused", refusal_reason="inappropriate",
                     retrieved_chunk_ids=["new"]),
        ],
    )  # fmt: skip
    database = connect(fresh_database.dsn("quoth_analytics"))
    coverage = await read_coverage(database, Period.of_last_days(30, now.date()))
    assert [(s.url, s.title, s.queries, s.gaps) for s in coverage.sections] == [
        ("/a#trot", "Gaits › Trot", 10, 1),
        ("/a#walk", "Gaits › Trot", 1, 0),
    ]
    (edit,) = coverage.edits
    assert (edit.source_path, edit.edited_at) == ("docs/a.md", edited)
    assert edit.days == pytest.approx(5, abs=0.01)
    assert (edit.before.answered.count, edit.before.answered.of) == (2, 8)
    assert (edit.after.answered.count, edit.after.answered.of) == (8, 10)


@given(st.integers(0, 500), st.integers(1, 500))
def test_an_interval_holds_its_share(count: int, more: int) -> None:
    share = Share.of_counts(count, count + more)
    assert share.value is not None
    assert share.low is not None
    assert share.high is not None
    assert 0 <= share.low <= share.value <= share.high <= 1
    narrower = Share.of_counts(10 * count, 10 * (count + more))
    assert narrower.high is not None
    assert narrower.low is not None
    assert narrower.high - narrower.low < share.high - share.low


def test_wilson_is_wilson() -> None:
    share = Share.of_counts(45, 50)
    assert (share.low, share.high) == (
        pytest.approx(0.7864, abs=1e-4),
        pytest.approx(0.9565, abs=1e-4),
    )
    whole = Estimate.from_sample(8, 3, 8)
    assert (whole.low, whole.value, whole.high) == (3, 3, 3)


PARTS = st.integers(1, 200).flatmap(
    lambda of: st.tuples(st.integers(0, of), st.just(of), st.integers(of, 1000))
)


@given(st.lists(PARTS, min_size=2, max_size=4))
def test_a_share_of_parts_lies_between_them_and_within_its_interval(
    parts: list[tuple[int, int, int]],
) -> None:
    share = Share.of_strata(parts)
    assert share.value is not None
    assert share.low is not None
    assert share.high is not None
    shares = [count / of for count, of, _ in parts]
    slack = 1e-9
    assert min(shares) - slack <= share.value <= max(shares) + slack
    assert 0 <= share.low <= share.value + slack
    assert share.value - slack <= share.high <= 1
    weighted = sum(size * count / of for count, of, size in parts)
    assert share.value == pytest.approx(weighted / sum(size for _, _, size in parts))


def test_a_sample_of_one_part_is_taken_for_the_whole() -> None:
    assert Share.of_strata([(3, 8, 10), (0, 0, 90)]) == Share.of_counts(3, 8)
    assert Share.of_strata([]) == Share.of_counts(0, 0)
    assert Estimate.from_strata([(10, 3, 8), (90, 0, 0)]) == Estimate.from_sample(100, 3, 8)
    assert Estimate.from_strata([(0, 0, 0), (9, 2, 4)]) == Estimate.from_sample(9, 2, 4)


def test_an_estimate_counts_each_part_by_its_own_sample() -> None:
    estimate = Estimate.from_strata([(100, 5, 10), (900, 0, 10)])
    assert (estimate.of, estimate.known, estimate.value) == (1000, 20, 50)
    assert estimate.sample.value == pytest.approx(0.05)
    assert estimate.low is not None
    assert estimate.high is not None
    assert 0 <= estimate.low < 50 < estimate.high <= 1000


def test_the_interval_of_parts_holds_the_share_as_often_as_it_says() -> None:
    lot = random.Random(1)
    sizes, truths, of = (100, 900), (0.3, 0.05), 50
    truth = sum(s * t for s, t in zip(sizes, truths, strict=True)) / sum(sizes)
    held = 0
    for _ in range(1000):
        parts = [
            (sum(lot.random() < chance for _ in range(of)), of, size)
            for size, chance in zip(sizes, truths, strict=True)
        ]
        share = Share.of_strata(parts)
        assert share.low is not None
        assert share.high is not None
        held += share.low <= truth <= share.high
    assert 930 <= held <= 985


@pytest.mark.parametrize(
    ("first", "end", "today", "before"),
    [
        ("2026-03-01", "2026-04-01", "2026-05-10", ("2026-02-01", "2026-03-01")),
        ("2026-03-01", "2026-04-01", "2026-03-10", ("2026-02-01", "2026-02-11")),
        ("2026-03-01", "2026-04-01", "2026-03-30", ("2026-02-01", "2026-03-01")),
        ("2026-03-01", "2026-04-01", "2026-03-31", ("2026-02-01", "2026-03-01")),
        ("2026-03-01", "2026-04-01", "2026-02-10", ("2026-02-01", "2026-03-01")),
        ("2026-01-10", "2026-01-17", "2026-02-10", ("2026-01-03", "2026-01-10")),
    ],
)
def test_a_month_that_is_not_over_is_compared_with_as_many_days(
    first: str, end: str, today: str, before: tuple[str, str]
) -> None:
    period = Period(date.fromisoformat(first), date.fromisoformat(end))
    other = comparable(period, date.fromisoformat(today))
    assert (str(other.first), str(other.end)) == before


def test_a_survey_says_what_is_saved() -> None:
    assert reduction_of(RoiSettings()) is None
    asked = RoiSettings(survey_hours_before=8, survey_hours_after=10)
    assert reduction_of(asked) == pytest.approx(-0.25)
