"""What a run came to, from what readers heard and from the rows."""

from __future__ import annotations

import math
import statistics
from collections.abc import Container, Sequence
from datetime import datetime
from typing import Any

from tests.load.readers import PLACE_LOST, Asking, Heard, counts
from tests.load.system import System

RECORDED = ("answered", "partial", "refused", "deferred")
_OUTSIDE_SQL = """
SELECT response_latency_ms - coalesce((timings ->> 'write')::double precision, 0)
    - coalesce((timings ->> 'entail')::double precision, 0)
FROM responses WHERE response_latency_ms IS NOT NULL
"""
_ADMISSIONS = """
SELECT number, accepted_at, started_at, finished_at, seen_until IS NOT NULL AS queued
FROM admissions WHERE started_at IS NOT NULL ORDER BY number
"""


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not pass; 0 without any."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return round(ordered[max(0, math.ceil(share * len(ordered)) - 1)], 1)


def sums(asking: Asking, system: System, before: Container[str] = ()) -> dict[str, Any]:
    """What was asked, what was told, and what of it is in the database.

    `lost` are questions that ended in an answer and have no row; `duplicates` rows of one query;
    `unheard` rows of queries that no reader was told the end of. `before`: the ids of queries that
    were answered before.
    """
    heard = asking.heard
    told = _told(asking)
    answers = [each for each in answered(system) if each not in before]
    return {
        "sent": len(heard),
        **counts(heard),
        "queued": sum(each.queued for each in heard),
        "places_lost": sum(each.troubles.count(PLACE_LOST) for each in heard),
        "rows": len(answers),
        "duplicates": len(answers) - len(set(answers)) + len(told) - len(set(told)),
        "lost": rows_missing(asking, system),
        "unheard": len(set(answers) - set(told)),
        "tries_again": sum(each.tries - 1 for each in heard if not each.queued),
        "connections_lost": asking.refused_connections,
    }


def rows_missing(asking: Asking, system: System) -> int:
    """Questions that ended in an answer and have no row of their own, or none of the answer."""
    told = set(_told(asking))
    asked = {str(row[0]) for row in system.sql("SELECT query_id FROM queries")}
    return len(told - (asked & set(answered(system))))


def _told(asking: Asking) -> list[str]:
    return [each.query_id for each in asking.heard if each.outcome in RECORDED]


def answered(system: System) -> list[str]:
    """The ids of the questions with a recorded answer, one for each answer."""
    return [str(row[0]) for row in system.sql("SELECT query_id FROM responses")]


def latencies(asking: Asking, system: System) -> dict[str, float]:
    """At the reader, and in the function without the model and the queue."""
    waited = [each.waited_ms for each in asking.heard if each.outcome in RECORDED]
    inside = [
        float(row[0])
        for row in system.sql(
            "SELECT response_latency_ms FROM responses WHERE response_latency_ms IS NOT NULL"
        )
    ]
    outside = [float(row[0]) for row in system.sql(_OUTSIDE_SQL)]
    return {
        "waited_p50_ms": percentile(waited, 0.5),
        "waited_p95_ms": percentile(waited, 0.95),
        "p95_ms": percentile(inside, 0.95),
        "outside_p50_ms": percentile(outside, 0.5),
        "outside_p95_ms": percentile(outside, 0.95),
    }


def queueing(heard: Sequence[Heard], system: System, cap: int) -> dict[str, float]:
    """How the queue was held: order, estimates, and how full the slots were while it stood."""
    rows = system.sql(_ADMISSIONS)
    starts: list[tuple[int, datetime, datetime]] = [(row[0], row[1], row[2]) for row in rows]
    overtaken = 0.0
    earliest: datetime | None = None
    for _, _, started in reversed(starts):
        if earliest is not None and started > earliest:
            overtaken = max(overtaken, (started - earliest).total_seconds())
        earliest = started if earliest is None else min(earliest, started)
    events = sorted(
        [(row[2], 1) for row in rows] + [(row[3], -1) for row in rows if row[3] is not None]
    )
    running = most = 0
    for _, step in events:
        running += step
        most = max(most, running)
    errors = [
        abs(each.told_s - each.queue_s)
        for each in heard
        if each.told_s is not None and each.queue_s is not None
    ]
    return {
        "max_running": most,
        "slot_use": _slot_use(rows, cap),
        "overtaken_s": round(overtaken, 2),
        "estimate_error_p50_s": round(statistics.median(errors), 2) if errors else 0.0,
    }


def _slot_use(rows: Sequence[tuple[Any, ...]], cap: int) -> float:
    """The share of the slots' time that was used while somebody waited for one."""
    waiting = [row for row in rows if row[4]]
    if not waiting:
        return 0.0
    first = min(row[1] for row in waiting)
    last = max(row[2] for row in waiting)
    length = (last - first).total_seconds()
    used = sum(
        max(0.0, (min(row[3] or last, last) - max(row[2], first)).total_seconds()) for row in rows
    )
    return round(used / (cap * length), 3) if length else 0.0
