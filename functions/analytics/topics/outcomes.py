"""Metrics of topics in a period, with recommendations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from functions.adapters.postgres.analytics_query import Row
from functions.adapters.postgres.analytics_topics import read_topic_detail, read_topic_rows
from functions.adapters.postgres.database import Database
from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.period import Period

Advice = Literal["add", "expand", "rewrite", "none"]


@dataclass(frozen=True, slots=True)
class TopicSection:
    """The section of the book that most of a topic's questions found. `chapter` is its title,
    `label` its number and title as citations name it."""

    title: str
    chapter: str
    label: str
    url: str
    source_path: str


@dataclass(frozen=True, slots=True)
class TopicUse:
    """One topic in a period. `helpful` is of readers' ratings, `refused` of queries."""

    topic_id: str
    name: str
    terms: tuple[str, ...]
    section: TopicSection | None
    queries: int
    sessions: int
    share: Share
    mean_confidence: float | None
    low_confidence: Share
    helpful: Share
    refused: Share
    first_seen: datetime

    @property
    def advice(self) -> Advice:
        """The recommendation. It takes ten queries or five ratings: fewer prove nothing."""
        if self.queries >= LEAST_QUERIES and (self.refused.value or 0) >= MUCH_REFUSED:
            return "add" if self.section is None else "expand"
        if self.queries >= LEAST_QUERIES and (self.low_confidence.value or 0) >= MUCH_UNSURE:
            return "add" if self.section is None else "expand"
        if self.helpful.of >= LEAST_RATINGS and (self.helpful.value or 0) < HELPFUL_ENOUGH:
            return "rewrite"
        return "none"


LEAST_QUERIES = 10
LEAST_RATINGS = 5
MUCH_REFUSED = 0.3
MUCH_UNSURE = 0.3
HELPFUL_ENOUGH = 0.8
LEAST_SESSIONS = 5
"""A topic with fewer sessions shows no questions: they could identify who asked."""


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of a period, the most asked first.

    `queries` are all of the period; `other` are those in no topic yet (asked since `refreshed_at`,
    or too rare). `refreshed_at` is None before the first grouping.
    """

    period: Period
    refreshed_at: datetime | None
    queries: int
    other: int
    topics: tuple[TopicUse, ...]


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """A question as stored (masked), and its outcome."""

    question: str
    queries: int
    mean_confidence: float | None
    refused: int


@dataclass(frozen=True, slots=True)
class SectionUse:
    """How many of a topic's queries found their answer in a section."""

    section: TopicSection
    queries: int


@dataclass(frozen=True, slots=True)
class TopicDetail:
    """One topic. `samples` are withheld below `LEAST_SESSIONS`; `weeks` are (Monday, queries) of
    the whole period; `rank` is 1 for the most asked."""

    period: Period
    rank: int
    use: TopicUse
    withheld: bool
    samples: tuple[SampleQuestion, ...]
    sections: tuple[SectionUse, ...]
    weeks: tuple[tuple[date, int], ...]


async def read_topics(database: Database, period: Period) -> Topics:
    """The topics of a period. Raises what the database raises."""
    rows = await read_topic_rows(database, period)
    total = sum(row["queries"] for row in rows.uses)
    named = [row for row in rows.uses if row["name"] is not None]
    uses = tuple(_use(row, total) for row in named)
    return Topics(period, rows.refreshed_at, total, total - sum(use.queries for use in uses), uses)


async def read_topic(database: Database, period: Period, topic_id: str) -> TopicDetail | None:
    """One topic with its questions; None when it has none in the period."""
    topics = await read_topics(database, period)
    use = next((use for use in topics.topics if use.topic_id == topic_id), None)
    if use is None:
        return None
    withheld = use.sessions < LEAST_SESSIONS
    rows = await read_topic_detail(database, period, topic_id, with_samples=not withheld)
    return TopicDetail(
        period,
        topics.topics.index(use) + 1,
        use,
        withheld,
        tuple(
            SampleQuestion(
                row["question"], row["queries"], row["mean_confidence"], row["refused"]
            )
            for row in rows.samples
        ),
        tuple(
            SectionUse(
                TopicSection(
                    row["section"] or row["title"] or "", row["chapter"] or "",
                    row["label"] or "", row["url"] or "", row["source_path"] or "",
                ),
                row["queries"],
            )
            for row in rows.sections
        ),
        tuple((row["monday"], row["queries"]) for row in rows.weeks),
    )  # fmt: skip


def _use(row: Row, total: int) -> TopicUse:
    return TopicUse(
        topic_id=row["id"],
        name=row["name"],
        terms=tuple(row["terms"]),
        section=TopicSection(**row["section"]) if row["section"] else None,
        queries=row["queries"],
        sessions=row["sessions"],
        share=Share.of_counts(row["queries"], total),
        mean_confidence=row["mean_confidence"],
        low_confidence=Share.of_counts(row["unsure"], row["with_confidence"]),
        helpful=Share.of_counts(row["helpful"], row["rated"]),
        refused=Share.of_counts(row["refused"], row["queries"]),
        first_seen=row["first_seen"],
    )
