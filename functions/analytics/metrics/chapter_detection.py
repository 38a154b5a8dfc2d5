"""Detection of the reader's chapter: rates, search times, errors and alarms (ADR-007)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from functions.adapters.postgres.analytics_sections import read_chapter_rows
from functions.adapters.postgres.database import Database
from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.period import Period


@dataclass(frozen=True, slots=True)
class Alarm:
    """A metric and its limit. `raised` is None when there is no value."""

    name: Literal["detection", "latency", "errors"]
    value: float | None
    limit: float
    raised: bool | None


@dataclass(frozen=True, slots=True)
class ChapterUse:
    """Outcomes of the queries asked from one chapter."""

    chapter_id: str
    queries: int
    answered: int
    helpful: Share


@dataclass(frozen=True, slots=True)
class ChapterFigures:
    """ADR-007's metrics. `detected` is the share of queries sent with a chapter whose chapter is in
    the book; `mean_boost` is the mean factor of the boosted ones."""

    period: Period
    as_of: datetime
    detected: Share
    with_chapter: Share
    """Share of book-wide queries for which the page sent a chapter."""
    boosted: Share
    """Share of the detected ones."""
    mean_boost: float | None
    search_ms: float | None
    """Mean time of a search with a chapter."""
    search_ms_without: float | None
    p95_search_ms: float | None
    """95th percentile of a search with a chapter."""
    errors: int
    """Requests to the two query functions during which an error occurred, answered or not."""
    error_share: float | None
    errors_by_type: dict[str, int]
    alarms: tuple[Alarm, ...]
    chapters: tuple[ChapterUse, ...]


LEAST_DETECTED, MOST_ADDED_MS, MOST_ERRORS = 0.95, 100.0, 0.01
"""ADR-007's limits."""


async def read_chapters(database: Database, period: Period) -> ChapterFigures:
    """Chapter metrics cover book-wide queries, the only ones with a chapter; errors cover all."""
    rows = await read_chapter_rows(database, period)
    total = rows.total
    detected = Share.of_counts(total["found"], total["sent"])
    failed = next(row for row in rows.errors if row["error_type"] is None)
    asked = failed["queries"] + failed["lost"]
    error_share = failed["errors"] / asked if asked else None
    both = total["search_ms"] is not None and total["search_ms_without"] is not None
    added = total["search_ms"] - total["search_ms_without"] if both else None
    return ChapterFigures(
        period=period,
        as_of=total["as_of"],
        detected=detected,
        with_chapter=Share.of_counts(total["sent"], total["queries"]),
        boosted=Share.of_counts(total["boosted"], total["found"]),
        mean_boost=total["mean_boost"],
        search_ms=total["search_ms"],
        search_ms_without=total["search_ms_without"],
        p95_search_ms=total["p95_search_ms"],
        errors=failed["errors"],
        error_share=error_share,
        errors_by_type={
            row["error_type"]: row["errors"] for row in rows.errors if row["error_type"]
        },
        alarms=(
            Alarm("detection", detected.value, LEAST_DETECTED, _under(detected.value)),
            Alarm("latency", added, MOST_ADDED_MS, _over(added, MOST_ADDED_MS)),
            Alarm("errors", error_share, MOST_ERRORS, _over(error_share, MOST_ERRORS)),
        ),
        chapters=tuple(
            ChapterUse(
                chapter_id=row["chapter_id"],
                queries=row["queries"],
                answered=row["answered"],
                helpful=Share.of_counts(row["helpful"], row["rated"]),
            )
            for row in rows.chapters
        ),
    )


def _under(share: float | None) -> bool | None:
    return None if share is None else share < LEAST_DETECTED


def _over(value: float | None, limit: float) -> bool | None:
    return None if value is None else value > limit
