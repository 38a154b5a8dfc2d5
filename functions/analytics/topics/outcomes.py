"""How the questions of each topic fared in a period."""

from __future__ import annotations

from functions.adapters.postgres.analytics_query import Row
from functions.adapters.postgres.analytics_topics import read_topic_detail, read_topic_rows
from functions.adapters.postgres.database import Database
from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.period import Period
from functions.analytics.topics.models import (
    LEAST_SESSIONS,
    SampleQuestion,
    SectionUse,
    TopicDetail,
    Topics,
    TopicSection,
    TopicUse,
)


async def read_topics(database: Database, period: Period) -> Topics:
    """Every topic asked about in the period. Raises what the database raises."""
    rows = await read_topic_rows(database, period)
    total = sum(row["queries"] for row in rows.uses)
    named = [row for row in rows.uses if row["name"] is not None]
    uses = tuple(_use(row, total) for row in named)
    return Topics(period, rows.refreshed_at, total, total - sum(use.queries for use in uses), uses)


async def read_topic(database: Database, period: Period, topic_id: str) -> TopicDetail | None:
    """One topic with its questions, or None when the period has none of it."""
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
