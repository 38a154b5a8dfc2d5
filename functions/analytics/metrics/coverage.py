"""How well sections answer readers' questions, and the effect of edits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from functions.adapters.postgres.analytics_query import Row
from functions.adapters.postgres.analytics_sections import read_section_rows
from functions.adapters.postgres.database import Database
from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.period import Period


@dataclass(frozen=True, slots=True)
class SectionCoverage:
    """Outcomes of the questions whose best chunk is in one section."""

    source_path: str
    title: str
    url: str
    queries: int
    answered: Share
    high_confidence: Share
    mean_confidence: float | None
    not_helpful: int
    gaps: int
    """Queries with a refusal, low confidence or a negative rating."""


@dataclass(frozen=True, slots=True)
class EditEffect:
    """A document before and after it was last changed, as many days on each side as there are."""

    source_path: str
    title: str
    edited_at: datetime
    days: float
    before: SectionCoverage
    after: SectionCoverage


@dataclass(frozen=True, slots=True)
class Coverage:
    """Sections by their gaps, the most first, and what edits did."""

    period: Period
    as_of: datetime
    sections: tuple[SectionCoverage, ...]
    edits: tuple[EditEffect, ...]


_NOBODY: Row = dict.fromkeys(
    ("queries", "answered", "sure", "measured", "not_helpful", "gaps"), 0
) | {"mean_confidence": None}


async def read_coverage(database: Database, period: Period) -> Coverage:
    """Sections that readers asked about, and documents edited in the period."""
    rows = await read_section_rows(database, period)
    by_edit: dict[tuple[str, str], dict[bool, Row]] = {}
    for row in rows.edits:
        by_edit.setdefault((row["source_path"], row["url"]), {})[row["after"]] = row
    return Coverage(
        period=period,
        as_of=rows.as_of,
        sections=tuple(
            _coverage_of(row, row, " › ".join(row["titles"][-2:]) or row["source_path"])
            for row in rows.sections
        ),
        edits=tuple(_effect_of(sides) for sides in by_edit.values()),
    )


def _effect_of(sides: Mapping[bool, Row]) -> EditEffect:
    place = next(iter(sides.values()))
    return EditEffect(
        source_path=place["source_path"],
        title=place["title"],
        edited_at=place["edited_at"],
        days=place["days"],
        before=_coverage_of(place, sides.get(False, _NOBODY), place["title"]),
        after=_coverage_of(place, sides.get(True, _NOBODY), place["title"]),
    )


def _coverage_of(place: Row, sums: Row, title: str) -> SectionCoverage:
    return SectionCoverage(
        source_path=place["source_path"],
        title=title,
        url=place["url"],
        queries=sums["queries"],
        answered=Share.of_counts(sums["answered"], sums["queries"]),
        high_confidence=Share.of_counts(sums["sure"], sums["measured"]),
        mean_confidence=sums["mean_confidence"],
        not_helpful=sums["not_helpful"],
        gaps=sums["gaps"],
    )
