"""Outcomes of readers' questions by the section they are about, and of those about none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from functions.adapters.postgres.analytics_query import Days, Row, read_all
from functions.adapters.postgres.database import Database
from functions.answer.gate.thresholds import REVIEW

MOST_SAMPLES = 8
MOST_SECTIONS = 5
NEAR = 0.05
"""Confidence below which the best chunk found has nothing to do with the question."""

_SUMS = """sum(queries)::bigint AS queries, sum(refused)::bigint AS refused,
    sum(confidences) / nullif(sum(with_confidence), 0) AS mean_confidence,
    sum(unsure)::bigint AS unsure, sum(with_confidence)::bigint AS with_confidence,
    sum(rated)::bigint AS rated, sum(helpful)::bigint AS helpful"""
_COUNTS = f"""count(*) AS queries, count(*) FILTER (WHERE status = 'refused') AS refused,
    sum(confidence) FILTER (WHERE status <> 'refused') AS confidences,
    count(*) FILTER (WHERE status <> 'refused' AND confidence < {REVIEW}) AS unsure,
    count(confidence) FILTER (WHERE status <> 'refused') AS with_confidence,
    sum(helpful + not_helpful) AS rated, sum(helpful) AS helpful"""
_KIND = """CASE WHEN refusal_reason = 'inappropriate' THEN 'inappropriate'
    WHEN question_key IS NOT NULL THEN 'missing'
    WHEN chunk_id IS NULL THEN 'general' ELSE 'section' END"""
_ALL = f"""
SELECT {_KIND} AS kind, count(*) AS queries FROM answer_facts WHERE WITHIN(asked_at) GROUP BY 1
"""  # noqa: S608  # constants
# The place of a chunk that may have been replaced since.
_PLACE = """(
    SELECT body FROM (
        SELECT body, 'infinity'::timestamptz AS at FROM chunks WHERE id = chunk_id
        UNION ALL SELECT body, replaced_at FROM past_chunks WHERE id = chunk_id
    ) AS known ORDER BY at DESC LIMIT 1
)"""
_COLUMNS = """body -> 'titles' ->> -1 AS title, body -> 'titles' ->> -2 AS parent,
    body -> 'chapter' ->> 'title' AS chapter,
    (body -> 'chapter' ->> 'number')::integer AS chapter_number, body ->> 'place' AS label,
    body ->> 'url' AS url, body ->> 'source_path' AS source_path"""
_SECTIONS = f"""
WITH used AS MATERIALIZED (
    SELECT chunk_id, {_COUNTS} FROM answer_facts
    WHERE WITHIN(asked_at) AND {_KIND} = 'section' GROUP BY chunk_id
), placed AS (
    SELECT used.*, {_COLUMNS} FROM used, LATERAL {_PLACE} AS place
)
SELECT md5(concat(source_path, ' ', url))::uuid::text AS id, source_path, url, min(title) AS title,
    min(parent) AS parent, min(chapter) AS chapter, min(chapter_number) AS chapter_number,
    min(label) AS label, {_SUMS}
FROM placed GROUP BY source_path, url ORDER BY queries DESC, source_path, url
"""  # noqa: S608
# Those of `leader` have its question; an index finds one of them.
_GROUPS = f"""
WITH used AS MATERIALIZED (
    SELECT leader, count(DISTINCT session) AS sessions,
        mode() WITHIN GROUP (ORDER BY chunk_id) FILTER (WHERE confidence >= {NEAR}) AS chunk_id,
        {_COUNTS}
    FROM answer_facts JOIN question_groups ON key = question_key
    WHERE WITHIN(asked_at) GROUP BY leader
)
SELECT leader::text AS id, sessions, asked.question, used.queries, refused,
    confidences / nullif(with_confidence, 0) AS mean_confidence, unsure, with_confidence,
    rated::bigint, helpful::bigint, {_COLUMNS}
FROM used CROSS JOIN LATERAL (
    SELECT question FROM answer_facts AS one JOIN queries USING (query_id)
    WHERE one.question_key = leader LIMIT 1
) AS asked LEFT JOIN LATERAL {_PLACE} AS place ON true
ORDER BY used.queries DESC, leader
"""  # noqa: S608
_STATE = "SELECT refreshed_at FROM question_groups_state"

_OF_SECTION = f"""WITHIN(asked_at) AND {_KIND} = 'section' AND chunk_id IN (
    SELECT id FROM chunks WHERE body ->> 'url' = %(url)s AND body ->> 'source_path' = %(path)s
    UNION
    SELECT id FROM past_chunks WHERE body ->> 'url' = %(url)s AND body ->> 'source_path' = %(path)s
)"""  # noqa: S608
_OF_GROUP = """WITHIN(asked_at) AND question_key IN (
    SELECT key FROM question_groups WHERE leader = %(leader)s::uuid
)"""


@dataclass(frozen=True, slots=True)
class TopicRows:
    """`kinds`: queries by what they are about. `refreshed_at` is None before the first grouping."""

    kinds: Sequence[Row]
    sections: Sequence[Row]
    groups: Sequence[Row]
    refreshed_at: datetime | None


@dataclass(frozen=True, slots=True)
class TopicDetailRows:
    """What is known of one topic. `samples`: its questions; `nearest`: the sections near them."""

    sessions: int
    weeks: Sequence[Row]
    samples: Sequence[Row]
    nearest: Sequence[Row]


async def read_topic_rows(database: Database, days: Days) -> TopicRows:
    """What was asked about in a period, the most asked first."""
    statements = (_ALL, _SECTIONS, _GROUPS, _STATE)
    kinds, sections, groups, state = await read_all(database, days, statements)
    return TopicRows(kinds, sections, groups, state[0]["refreshed_at"] if state else None)


async def read_section_detail(
    database: Database, days: Days, source_path: str, url: str
) -> TopicDetailRows:
    """Weeks and questions of one section."""
    return await _read_detail(database, days, _OF_SECTION, "0.0", path=source_path, url=url)


async def read_group_detail(database: Database, days: Days, leader: str) -> TopicDetailRows:
    """Weeks and questions of a group, those most like its leader first, and the sections that are
    nearest to them."""
    likeness = "(SELECT likeness FROM question_groups WHERE key = question_key)"
    return await _read_detail(database, days, _OF_GROUP, likeness, leader=leader)


async def _read_detail(
    database: Database, days: Days, which: str, likeness: str, **more: str
) -> TopicDetailRows:
    sessions = f"SELECT count(DISTINCT session) AS sessions FROM answer_facts WHERE {which}"  # noqa: S608
    weeks = f"""
SELECT date_trunc('week', asked_at AT TIME ZONE %(zone)s)::date AS monday, count(*) AS queries
FROM answer_facts WHERE {which} GROUP BY 1 ORDER BY 1"""  # noqa: S608
    samples = f"""
SELECT min(question) AS question, count(*) AS queries, max({likeness}) AS likeness,
    avg(confidence) FILTER (WHERE status <> 'refused') AS mean_confidence,
    count(*) FILTER (WHERE status = 'refused') AS refused
FROM (SELECT * FROM answer_facts WHERE {which}) AS facts
JOIN (SELECT query_id, question FROM queries) AS asked USING (query_id)
GROUP BY lower(btrim(question)) ORDER BY likeness DESC, queries DESC, question
LIMIT {MOST_SAMPLES}"""  # noqa: S608
    nearest = f"""
WITH near AS MATERIALIZED (
    SELECT chunk_id, count(*) AS queries FROM answer_facts
    WHERE {which} AND confidence >= {NEAR} AND chunk_id IS NOT NULL GROUP BY chunk_id
)
SELECT {_COLUMNS}, sum(queries)::bigint AS queries FROM near, LATERAL {_PLACE} AS place
GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY queries DESC, url LIMIT {MOST_SECTIONS}"""  # noqa: S608
    statements = (sessions, weeks, samples, nearest)
    (own,), told, asked, near = await read_all(database, days, statements, **more)
    return TopicDetailRows(own["sessions"], told, asked, near)
