"""Outcomes of each topic's questions in a period, and the sections they found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from functions.adapters.postgres.analytics_query import Days, Row, read_all
from functions.adapters.postgres.database import Database
from functions.answer.gate.thresholds import REVIEW

MOST_SAMPLES = 8
MOST_SECTIONS = 5

_PERIOD = "WITHIN(asked_at) AND topic_key IS NOT NULL"
_STATE = "SELECT refreshed_at FROM topic_state"
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
SELECT used.*, name, terms, section, first_seen, used.topic_id::text AS id
FROM used LEFT JOIN topics USING (topic_id)
ORDER BY queries DESC, used.topic_id
"""  # noqa: S608  # constants
# All answers of a key have the same question and best chunk: both are read from one query by its id
# (OFFSET 0 keeps the planner from scanning all queries, whose rows are long).
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
    SELECT question, retrieved_chunk_ids FROM queries
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
        retrieved_chunk_ids) AS chunk, own.queries
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


@dataclass(frozen=True, slots=True)
class TopicRows:
    """One row for each topic, the most asked first, and one without a name for the queries in no
    topic. `refreshed_at` is None before the first grouping."""

    uses: Sequence[Row]
    refreshed_at: datetime | None


@dataclass(frozen=True, slots=True)
class TopicDetailRows:
    """What is known of one topic. `samples`: its questions."""

    weeks: Sequence[Row]
    sections: Sequence[Row]
    samples: Sequence[Row]


async def read_topic_rows(database: Database, days: Days) -> TopicRows:
    """The topics that were asked about in a period."""
    uses, state = await read_all(database, days, (_USES, _STATE))
    return TopicRows(uses, state[0]["refreshed_at"] if state else None)


async def read_topic_detail(
    database: Database, days: Days, topic_id: str, with_samples: bool
) -> TopicDetailRows:
    """Weeks, sections and, where wanted, sample questions of a topic."""
    statements = (_WEEKS, _SECTIONS, *([_SAMPLES] if with_samples else []))
    weeks, sections, *samples = await read_all(database, days, statements, topic=topic_id)
    return TopicDetailRows(weeks, sections, samples[0] if samples else ())
