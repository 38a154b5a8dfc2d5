"""How the questions of each topic fared in a period."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from functions.answer.gate.thresholds import REVIEW

SECONDS = 20.0
MOST_SAMPLES = 8
MOST_SECTIONS = 5

_PERIOD = """
asked_at >= day_start(%(first)s::date, %(zone)s)
    AND asked_at < day_start(%(end)s::date, %(zone)s) AND topic_key IS NOT NULL
"""
_USES = f"""
WITH used AS (
    SELECT topic_id, count(*) AS queries, count(DISTINCT session) AS sessions,
        avg(confidence) FILTER (WHERE status <> 'refused') AS mean_confidence,
        count(*) FILTER (WHERE status = 'refused') AS refused,
        count(*) FILTER (WHERE status <> 'refused' AND confidence < {REVIEW}) AS unsure,
        count(confidence) FILTER (WHERE status <> 'refused') AS with_confidence,
        sum(helpful + not_helpful)::bigint AS rated, sum(helpful)::bigint AS helpful
    FROM answer_facts LEFT JOIN question_topics ON key = topic_key
    WHERE {_PERIOD} GROUP BY topic_id
)
SELECT used.*, name, terms, section, first_seen, used.topic_id::text AS id,
    (SELECT refreshed_at FROM topic_state) AS refreshed_at
FROM used LEFT JOIN topics USING (topic_id)
ORDER BY queries DESC, used.topic_id
"""  # noqa: S608  # constants
# All answers of a key are to one question and found the same chunk, or none: one query tells both,
# each looked up by its id (OFFSET keeps the planner from reading all queries, which are long).
_OWN = f"""
own AS (
    SELECT topic_key, count(*) AS queries, min(query_id::text)::uuid AS query_id,
        count(*) FILTER (WHERE status = 'refused') AS refused,
        sum(confidence) FILTER (WHERE status <> 'refused') AS confidences,
        count(confidence) FILTER (WHERE status <> 'refused') AS with_confidence
    FROM answer_facts JOIN question_topics ON key = topic_key
    WHERE topic_id = %(topic)s::uuid AND {_PERIOD} GROUP BY topic_key
)"""  # noqa: S608
_ONE = """CROSS JOIN LATERAL (
    SELECT question, retrieved_chunk_ids, similarity_scores FROM queries
    WHERE queries.query_id = own.query_id OFFSET 0
) AS asked"""
_SAMPLES = f"""
WITH {_OWN}
SELECT min(question) AS question, sum(own.queries)::bigint AS queries,
    sum(confidences) / nullif(sum(with_confidence), 0)::double precision AS mean_confidence,
    sum(refused)::bigint AS refused
FROM own {_ONE}
GROUP BY lower(btrim(question)) ORDER BY queries DESC, question LIMIT {MOST_SAMPLES}
"""  # noqa: S608
_SECTIONS = f"""
WITH {_OWN}, found AS (
    SELECT topic_chunk(CASE WHEN refused > 0 THEN 'refused' ELSE 'answered' END,
        retrieved_chunk_ids, similarity_scores) AS chunk, own.queries
    FROM own {_ONE}
)
SELECT body ->> 'section' AS section, body -> 'titles' ->> -1 AS title,
    body -> 'chapter' ->> 'title' AS chapter, body ->> 'place' AS label, body ->> 'url' AS url,
    body ->> 'source_path' AS source_path, sum(queries)::bigint AS queries
FROM found JOIN chunks ON chunks.id = chunk
GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY queries DESC, url LIMIT {MOST_SECTIONS}
"""  # noqa: S608
_WEEKS = f"""
SELECT date_trunc('week', asked_at AT TIME ZONE %(zone)s)::date AS monday, count(*) AS queries
FROM answer_facts JOIN question_topics ON key = topic_key
WHERE topic_id = %(topic)s::uuid AND {_PERIOD} GROUP BY 1 ORDER BY 1
"""  # noqa: S608


async def read_topics(database: Database, period: Period) -> Topics:
    """Every topic asked about in the period. Raises what the database raises."""
    rows = await database.call(_USES, _parameters(period), seconds=SECONDS)
    total = sum(row["queries"] for row in rows)
    if rows:
        refreshed = rows[0]["refreshed_at"]
    else:
        state = await database.call("SELECT refreshed_at FROM topic_state", (), seconds=SECONDS)
        refreshed = state[0]["refreshed_at"] if state else None
    named = [row for row in rows if row["name"] is not None]
    uses = tuple(_use(row, total) for row in named)
    return Topics(period, refreshed, total, total - sum(use.queries for use in uses), uses)


async def read_topic(database: Database, period: Period, topic_id: str) -> TopicDetail | None:
    """One topic with its questions, or None when the period has none of it."""
    topics = await read_topics(database, period)
    use = next((use for use in topics.topics if use.topic_id == topic_id), None)
    if use is None:
        return None
    given = _parameters(period) | {"topic": topic_id}
    weeks = await database.call(_WEEKS, given, seconds=SECONDS)
    sections = await database.call(_SECTIONS, given, seconds=SECONDS)
    withheld = use.sessions < LEAST_SESSIONS
    samples = [] if withheld else await database.call(_SAMPLES, given, seconds=SECONDS)
    return TopicDetail(
        period,
        topics.topics.index(use) + 1,
        use,
        withheld,
        tuple(
            SampleQuestion(
                row["question"], row["queries"], row["mean_confidence"], row["refused"]
            )
            for row in samples
        ),
        tuple(
            SectionUse(
                TopicSection(
                    row["section"] or row["title"] or "", row["chapter"] or "",
                    row["label"] or "", row["url"] or "", row["source_path"] or "",
                ),
                row["queries"],
            )
            for row in sections
        ),
        tuple((row["monday"], row["queries"]) for row in weeks),
    )  # fmt: skip


def _parameters(period: Period) -> dict[str, object]:
    return {"first": period.first, "end": period.end, "zone": period.time_zone}


def _use(row: Mapping[str, Any], total: int) -> TopicUse:
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
