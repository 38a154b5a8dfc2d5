"""Outcomes of readers' questions by the section they are about, and of those about none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    sum(confidences) AS confidences, sum(unsure)::bigint AS unsure,
    sum(with_confidence)::bigint AS with_confidence,
    sum(rated)::bigint AS rated, sum(helpful)::bigint AS helpful"""
_KIND = """CASE WHEN refusal_reason = 'inappropriate' THEN 'inappropriate'
    WHEN question_key IS NOT NULL THEN 'missing'
    WHEN chunk_id IS NULL THEN 'general' ELSE 'section' END"""
# The place of a chunk that may have been replaced since. Read at once: each look into a body
# unpacks all of it.
_PLACE = """(
    SELECT titles ->> -1 AS title, titles ->> -2 AS parent, chapter ->> 'id' AS chapter,
        (chapter ->> 'number')::integer AS chapter_number, place AS label, url, source_path
    FROM jsonb_to_record(coalesce(
        (SELECT body FROM chunks WHERE id = chunk_id),
        (SELECT body FROM past_chunks WHERE id = chunk_id ORDER BY replaced_at DESC LIMIT 1)
    )) AS known (titles jsonb, chapter jsonb, place text, url text, source_path text)
)"""
_PLACED = "source_path, url, title, parent, chapter, chapter_number, label"
_REFRESH = "SELECT refresh_topics(%(zone)s, %(first)s, %(end)s, %(sure)s, %(near)s)"
# The days that are over are kept; the last one is counted. An index finds an answer with the
# question of `leader`.
_TOPICS = f"""
WITH over AS (
    SELECT greatest(
        %(first)s::date, least(%(end)s::date, (now() AT TIME ZONE %(zone)s)::date)) AS day
), parts AS MATERIALIZED (
    SELECT kind, chunk_id, leader, sessions, queries, refused, confidences, unsure,
        with_confidence, rated, helpful
    FROM topic_sums, over WHERE time_zone = %(zone)s AND first = %(first)s AND days_end = over.day
    UNION ALL
    SELECT measured.* FROM over, measure_topics(
        day_start(over.day, %(zone)s), day_start(%(end)s::date, %(zone)s), %(sure)s, %(near)s
    ) AS measured
), by_chunk AS MATERIALIZED (
    SELECT chunk_id, {_SUMS} FROM parts WHERE kind = 'section' GROUP BY chunk_id
), by_leader AS MATERIALIZED (
    SELECT leader, (array_agg(chunk_id) FILTER (WHERE chunk_id IS NOT NULL))[1] AS chunk_id, {_SUMS}
    FROM parts WHERE leader IS NOT NULL GROUP BY leader
), asking AS (
    SELECT leader, count(DISTINCT session) AS sessions
    FROM parts, unnest(sessions) AS session WHERE leader IS NOT NULL GROUP BY leader
)
SELECT 'section' AS kind, md5(concat(source_path, ' ', url))::uuid::text AS id,
    NULL::bigint AS sessions, NULL AS question, source_path, url, min(title) AS title,
    min(parent) AS parent, min(chapter) AS chapter, min(chapter_number) AS chapter_number,
    min(label) AS label, {_SUMS}
FROM by_chunk, LATERAL {_PLACE} AS place WHERE source_path IS NOT NULL
GROUP BY source_path, url
UNION ALL
SELECT 'group', leader::text, sessions, asked.question, {_PLACED}, queries, refused, confidences,
    unsure, with_confidence, rated, helpful
FROM by_leader JOIN asking USING (leader) CROSS JOIN LATERAL (
    SELECT question FROM answer_facts AS one JOIN queries USING (query_id)
    WHERE one.question_key = leader LIMIT 1
) AS asked CROSS JOIN LATERAL {_PLACE} AS place
UNION ALL
SELECT kind, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, {_SUMS}
FROM parts WHERE kind <> 'section' AND leader IS NULL GROUP BY kind
ORDER BY queries DESC, source_path, url, id
"""  # noqa: S608  # constants
# A chapter's first page names it; the others may know its number only.
_CHAPTERS = """
SELECT DISTINCT ON (1) body -> 'chapter' ->> 'id' AS id, body -> 'chapter' ->> 'title' AS title
FROM chunks WHERE ordinal = 0 ORDER BY 1, body ->> 'source_path'
"""
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
    """The sums of sections and of groups, the most asked first, and one of each other kind:
    general, inappropriate, missing (not grouped yet). `chapters`: titles by id. `refreshed_at` is
    None before the first grouping."""

    topics: Sequence[Row]
    chapters: Mapping[str, str]
    refreshed_at: datetime | None


@dataclass(frozen=True, slots=True)
class TopicDetailRows:
    """What is known of one topic. `samples`: its questions; `nearest`: the sections near them."""

    sessions: int
    weeks: Sequence[Row]
    samples: Sequence[Row]
    nearest: Sequence[Row]


async def read_topic_rows(database: Database, days: Days) -> TopicRows:
    """What was asked about in a period; its days that are over are kept."""
    statements = (_REFRESH, _TOPICS, _CHAPTERS, _STATE)
    _, topics, titles, state = await read_all(database, days, statements, sure=REVIEW, near=NEAR)
    chapters = {row["id"]: row["title"] for row in titles}
    return TopicRows(topics, chapters, state[0]["refreshed_at"] if state else None)


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
SELECT {_PLACED}, sum(queries)::bigint AS queries FROM near, LATERAL {_PLACE} AS place
WHERE url IS NOT NULL GROUP BY {_PLACED} ORDER BY queries DESC, url LIMIT {MOST_SECTIONS}"""  # noqa: S608
    statements = (sessions, weeks, samples, nearest)
    (own,), told, asked, near = await read_all(database, days, statements, **more)
    return TopicDetailRows(own["sessions"], told, asked, near)
