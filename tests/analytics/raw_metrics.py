"""The summary of a period once more, from the rows as they were recorded, in plain Python."""

from __future__ import annotations

import math
from collections import Counter
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import psycopg
from psycopg.rows import dict_row

from functions.answer.gate.thresholds import REVIEW
from tests.postgres_fixtures import BookDatabase


def raw_rows(database: BookDatabase) -> list[dict[str, Any]]:
    """Every query with its response, its readers' verdicts and its reviewer's."""
    with psycopg.connect(database.dsn(), row_factory=dict_row) as connection:
        rows = connection.execute(
            "SELECT * FROM queries JOIN responses USING (query_id)"
        ).fetchall()
        feedback = connection.execute("SELECT response_id, rating FROM feedback").fetchall()
        reviews = connection.execute("SELECT response_id, verdict FROM reviews").fetchall()
    for row in rows:
        row["ratings"] = [f["rating"] for f in feedback if f["response_id"] == row["response_id"]]
        row["verdict"] = next(
            (r["verdict"] for r in reviews if r["response_id"] == row["response_id"]), None
        )
    return rows


def in_days(rows: list[dict[str, Any]], first: date, end: date, zone: str) -> list[dict[str, Any]]:
    return [row for row in rows if first <= local_day(row, zone) < end]


def told_limited(row: dict[str, Any]) -> bool:
    """Whether the reader was told so, in the response as it was sent."""
    told = ((row["body"] or {}).get("metadata") or {}).get("limited_mode", row["limited_mode"])
    return bool(told)


def local_day(row: dict[str, Any], zone: str) -> date:
    moment: datetime = row["asked_at"]
    return moment.astimezone(ZoneInfo(zone)).date()


def percentile(values: list[float], share: float) -> int | None:
    """In whole steps of 10 ms, each time rounded up."""
    steps = sorted(10 * math.ceil(value / 10) for value in values)
    return steps[math.ceil(share * len(steps)) - 1] if steps else None


def summary_of(rows: list[dict[str, Any]], first: date, end: date, zone: str) -> dict[str, Any]:
    """The figures of a period by their names in the summary; shares as (count, of)."""
    asked = in_days(rows, first, end, zone)
    answers = [row for row in asked if row["status"] in ("answered", "partial")]
    refused = [row for row in asked if row["status"] == "refused"]
    checked = [row for row in answers if row["claims"]]
    sure = [r for r in checked if r["confidence"] is not None and r["confidence"] >= REVIEW]
    measured = [row for row in (*checked, *refused) if row["confidence"] is not None]
    ratings = [rating for row in asked for rating in row["ratings"]]
    counted = [r for r in checked if not r["repeated"] and "not_helpful" not in r["ratings"]]
    times = [r["response_latency_ms"] for r in asked if r["response_latency_ms"] is not None]
    reviewed = [row["verdict"] for row in refused if row["verdict"]]
    proofs = Counter(claim["verification"] for row in checked for claim in row["claims"])
    weeks = weeks_of(rows, first, end)
    sessions = {(local_day(row, zone), row["session_id"]) for row in asked}
    return {
        "queries": len(asked),
        "answered": len(answers),
        "partial": sum(row["status"] == "partial" for row in asked),
        "refused": len(refused),
        "queries_by_mode": dict(Counter(row["mode"] for row in asked)),
        "refusals_by_reason": dict(Counter(row["refusal_reason"] for row in refused)),
        "repeated": sum(row["repeated"] for row in asked),
        "cached": sum(row["cached"] for row in asked),
        "mean_ms": sum(times) / len(times) if times else None,
        "p95_ms": percentile(times, 0.95),
        "helpful": (ratings.count("helpful"), len(ratings)),
        "refusals": (len(refused), len(asked)),
        "false_refusals": (
            sum(verdict in ("should_have_answered", "fixed") for verdict in reviewed),
            len(reviewed),
        ),
        "low_confidence": (
            sum(r["confidence"] is None or r["confidence"] < REVIEW for r in checked),
            len(checked),
        ),
        "high_confidence": (len(sure), len(measured)),
        "limited": (sum(told_limited(row) for row in answers), len(answers)),
        "checked": len(checked),
        **{proof: proofs[proof] for proof in ("verbatim", "close", "paraphrase")},
        "judge_alone": (proofs["paraphrase"], proofs.total()),
        "answers_judge_alone": (
            sum("paraphrase" in [c["verification"] for c in row["claims"]] for row in checked),
            len(checked),
        ),
        "counted": len(counted),
        "confirmed": sum("helpful" in row["ratings"] for row in counted),
        "cost_usd": float(sum(row["cost_usd"] for row in asked)),
        "sessions": len(sessions),
        "weeks": weeks,
        "queries_per_reader_week": (
            sum(n for _, n, _ in weeks) / sum(k for _, _, k in weeks)
            if sum(k for _, _, k in weeks)
            else None
        ),
        "readers_per_week": (
            sum(k for _, k in over) / len(over)
            if (over := [(m, k) for m, _, k in weeks if k and m + timedelta(7) <= utc_today()])
            else None
        ),
    }


def utc_today() -> date:
    return datetime.now(ZoneInfo("UTC")).date()


def weeks_of(rows: list[dict[str, Any]], first: date, end: date) -> list[tuple[date, int, int]]:
    """(Monday, queries, readers) of each week of UTC that begins in the period, until now."""
    found = []
    today = utc_today()
    day = first
    while day < end and day <= today:
        if day.weekday() == 0:
            of_week = in_days(rows, day, day + timedelta(days=7), "UTC")
            found.append((day, len(of_week), len({row["reader"] for row in of_week})))
        day += timedelta(days=1)
    return found
