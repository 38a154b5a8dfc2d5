"""Answers of many kinds, recorded as the functions record them, at moments of a test's choice."""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from functions.adapters.postgres.query_records import QueryRecord
from tests.postgres_fixtures import BookDatabase

REASONS = ("out_of_scope", "not_grounded", "insufficient_selection", "inappropriate")
CLAIM = {"text": "A gait is a way of walking.", "citations": [1], "verification": "verbatim"}
PROOFS = ("verbatim", "close", "paraphrase")
SOURCE = {
    "n": 1, "kind": "book", "label": "Chapter 1, Section 1.1, Para 3", "url": "/docs/ch1#gaits",
    "source_path": "docs/ch1.md", "quote": {"exact": "A gait is a way of walking."},
}  # fmt: skip


@dataclass
class Asked:
    """A recorded answer, and what was said of it."""

    record: QueryRecord
    ratings: dict[str, str] = field(default_factory=dict)
    verdict: str | None = None


def asked_at(moment: datetime, **given: Any) -> Asked:
    """An answer of that moment. `given` are fields of QueryRecord, and `claims`."""
    response_id = str(uuid.uuid4())
    record: dict[str, Any] = {
        "query_id": str(uuid.uuid4()),
        "response_id": response_id,
        "mode": "book-wide",
        "session_id": "s",
        "question": "What is a gait?",
        "status": "answered",
        "confidence": 0.9,
        "response_latency_ms": 100.0,
        "asked_at": moment.isoformat(),
        "reader": "r",
    } | given
    is_bare = record["status"] == "refused" and "claims" not in given
    if is_bare:
        record.setdefault("refusal_reason", "out_of_scope")
    body = {
        "response": "A gait is a way of walking [1].",
        "claims": record.pop("claims", [] if is_bare else [CLAIM]),
        "citations": [] if is_bare else [SOURCE],
    } | record.pop("body", {})
    return Asked(QueryRecord(**record, body=body))


def zone_at_midday() -> str:
    """A time zone in which it is between 12 and 1 o'clock: no day ends there while a test runs."""
    return f"Etc/GMT{datetime.now(UTC).hour - 12:+d}"


def random_answers(seed: int, count: int, start: datetime, days: float) -> list[Asked]:
    """So many answers of all kinds, at random moments of so many days."""
    lot = random.Random(seed)
    answers = []
    for _ in range(count):
        moment = start + timedelta(days=days * lot.random())
        week = moment.astimezone(UTC).isocalendar()[:2]
        student = lot.randrange(1 + count // 12)
        status = lot.choices(("answered", "partial", "refused"), (70, 15, 15))[0]
        greeting = status == "answered" and lot.random() < 0.05
        written = status != "refused" or lot.random() < 0.3
        limited = status != "refused" and lot.random() < 0.3
        one = asked_at(
            moment,
            status=status,
            mode=lot.choice(("book-wide", "book-wide", "highlight", "selected-text")),
            reader=f"{week}-{student}",
            session_id=f"session-{student}-{moment:%j}-{lot.randrange(2)}",
            refusal_reason=lot.choice(REASONS) if status == "refused" else None,
            claims=[
                CLAIM | {"verification": lot.choices(PROOFS, (6, 3, 1))[0]}
                for _ in range(lot.randint(1, 3) if status != "refused" and not greeting else 0)
            ],
            confidence=lot.choice((None, 0.85, lot.random(), 0.6 + 0.4 * lot.random())),
            limited_mode=limited,
            body={"metadata": {"limited_mode": limited, "chapter_id": lot.choice((None, "c1"))}},
            chapter_context=lot.choice((None, {"chapter_id": "c1"})),
            search={"boost": 1.5} if lot.random() < 0.5 else None,
            repeated=lot.random() < 0.1,
            cached=lot.random() < 0.1,
            cost_usd=lot.choice((0.0, 0.00042)),
            response_latency_ms=lot.choice((None, 20.0, 3000 * lot.random(), 400 * lot.random())),
            validation_passed=lot.random() < 0.9 if written and not greeting else None,
            response_similarity_score=lot.random() if lot.random() < 0.5 else None,
            keyword_overlap_ratio=lot.random() if written else None,
            latency_validation_ms=5 * lot.random() if written else None,
            timings={"search": 50 * lot.random()},
        )
        if lot.random() < 0.3:
            one.ratings = {
                f"voter-{n}": lot.choice(("helpful", "helpful", "not_helpful"))
                for n in range(lot.randint(1, 2))
            }
        if lot.random() < 0.3:
            one.verdict = lot.choice(
                ("good_refusal", "should_have_answered", "fixed")
                if status == "refused"
                else ("right_answer", "wrong_answer", "fixed")
            )
        answers.append(one)
    return answers


def store(database: BookDatabase, answers: Sequence[Asked]) -> None:
    """Record them through the functions of the database."""
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(
            "SELECT finish_query(record) FROM jsonb_array_elements(%s) AS record",
            (Jsonb([one.record.to_json() for one in answers]),),
        )
        said = [
            (one.record.response_id, session, rating)
            for one in answers
            for session, rating in one.ratings.items()
        ]
        marked = [(one.record.response_id, one.verdict) for one in answers if one.verdict]
        cursor = connection.cursor()
        cursor.executemany(
            "INSERT INTO feedback (response_id, session_id, rating) VALUES (%s, %s, %s)", said
        )
        cursor.executemany("SELECT mark_response(%s::uuid, %s, '')", marked)
