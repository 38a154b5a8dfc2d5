"""Outcomes of queries by chapter and by section, and before and after edits of the book."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from functions.adapters.postgres.analytics_query import Days, Row, read_all
from functions.adapters.postgres.database import Database
from functions.answer.gate.thresholds import REVIEW

MOST_SECTIONS = 500

_CHAPTERS = """
    SELECT chapter_id, count(*) AS queries,
        count(*) FILTER (WHERE status IN ('answered', 'partial')) AS answered,
        coalesce(sum(helpful), 0) AS helpful, coalesce(sum(helpful + not_helpful), 0) AS rated
    FROM answer_facts
    WHERE mode = 'book-wide' AND chapter_sent AND chapter_id IS NOT NULL AND WITHIN(asked_at)
    GROUP BY chapter_id ORDER BY count(*) DESC, chapter_id
"""
_TOTAL = """
    SELECT clock_timestamp() AS as_of, count(*) AS queries,
        count(*) FILTER (WHERE chapter_sent) AS sent,
        count(*) FILTER (WHERE found) AS found, count(boost) FILTER (WHERE found) AS boosted,
        avg(boost) FILTER (WHERE found) AS mean_boost,
        avg(search_ms) FILTER (WHERE found) AS search_ms,
        avg(search_ms) FILTER (WHERE NOT chapter_sent) AS search_ms_without,
        percentile_disc(0.95) WITHIN GROUP (ORDER BY search_ms) FILTER (WHERE found)
            AS p95_search_ms
    FROM (
        SELECT *, chapter_sent AND chapter_id IS NOT NULL AS found
        FROM answer_facts WHERE mode = 'book-wide' AND WITHIN(asked_at)
    ) AS facts
"""
# A request may have several errors, and be answered all the same.
_ERRORS = """
    SELECT error_type, count(DISTINCT request) AS errors,
        count(DISTINCT request) FILTER (WHERE NOT EXISTS (
            SELECT FROM answer_facts WHERE query_id = affected_query_id)) AS lost,
        (SELECT count(*) FROM answer_facts WHERE WITHIN(asked_at)) AS queries
    FROM (
        SELECT *, coalesce(nullif(request_id, ''), error_id::text) AS request
        FROM request_errors
        WHERE function IN ('query', 'selected') AND WITHIN(occurred_at)
    ) AS failures
    GROUP BY GROUPING SETS ((error_type), ()) ORDER BY errors DESC, error_type
"""
# A query is near the section of its chunk, current or past; it is about it unless the book does not
# treat it. Inappropriate queries are near none.
_NEAR = """WITHIN(asked_at) AND chunk_id IS NOT NULL
    AND refusal_reason IS DISTINCT FROM 'inappropriate'"""
_ABOUT = f"{_NEAR} AND question_key IS NULL"
_COUNTS = f"""
    count(*) AS queries,
    count(*) FILTER (WHERE status IN ('answered', 'partial')) AS answered,
    count(*) FILTER (WHERE status IN ('answered', 'partial') AND claims > 0
        AND confidence >= {REVIEW}) AS sure,
    count(confidence) AS measured, sum(confidence) AS confidences,
    count(*) FILTER (WHERE not_helpful > 0) AS not_helpful,
    count(*) FILTER (WHERE status NOT IN ('answered', 'partial') OR not_helpful > 0
        OR claims > 0 AND confidence < {REVIEW}) AS gaps
"""
_SUMS = """
    sum(queries)::bigint AS queries, sum(answered)::bigint AS answered, sum(sure)::bigint AS sure,
    sum(measured)::bigint AS measured, sum(not_helpful)::bigint AS not_helpful,
    sum(gaps)::bigint AS gaps, sum(confidences) / nullif(sum(measured), 0) AS mean_confidence
"""
_SECTIONS = f"""
    WITH about AS MATERIALIZED (
        SELECT chunk_id, {_COUNTS} FROM answer_facts WHERE {_ABOUT} GROUP BY chunk_id
    ), places AS MATERIALIZED (
        SELECT each.chunk_id, place.body ->> 'source_path' AS source_path,
            place.body ->> 'url' AS url, place.body -> 'titles' AS titles
        FROM about AS each,
            LATERAL (
                SELECT body FROM (
                    SELECT body, 'infinity'::timestamptz AS at FROM chunks WHERE id = each.chunk_id
                    UNION ALL
                    SELECT body, replaced_at FROM past_chunks WHERE id = each.chunk_id
                ) AS known
                ORDER BY at DESC LIMIT 1
            ) AS place
    )
    SELECT source_path, url, titles, {_SUMS}
    FROM about JOIN places USING (chunk_id)
    GROUP BY source_path, url, titles ORDER BY gaps DESC, queries DESC, source_path, url
    LIMIT %(most)s
"""  # noqa: S608  # constants
# A chunk's id derives from its document's, so a past chunk belongs to one document. Facts are read
# only where a document was edited; what the book did not treat before counts too.
_EDITS = f"""
    WITH edits AS MATERIALIZED (
        SELECT source_path, title, url, updated_at AS edited_at,
            least(updated_at - day_start(%(first)s::date, %(zone)s),
                least(clock_timestamp(), day_start(%(end)s::date, %(zone)s)) - updated_at) AS span,
            row_number() OVER () AS n
        FROM documents
        WHERE generation > 1 AND deleted_at IS NULL AND WITHIN(updated_at)
    ), edited AS MATERIALIZED (
        SELECT id AS chunk_id, n, edited_at, edited_at - span AS since, edited_at + span AS until
        FROM edits JOIN (
            SELECT chunks.id, source_path
            FROM chunks JOIN documents ON documents.id = document_id
            UNION
            SELECT id, body ->> 'source_path' FROM past_chunks
        ) AS known USING (source_path)
    ), sides AS (
        SELECT n, asked_at >= edited_at AS after, {_COUNTS}
        FROM (SELECT * FROM answer_facts WHERE {_NEAR} AND EXISTS (SELECT FROM edits) OFFSET 0)
            AS facts
        JOIN edited USING (chunk_id)
        WHERE asked_at >= since AND asked_at < until
        GROUP BY n, after
    )
    SELECT edits.*, sides.*, extract(epoch FROM span)::double precision / 86400 AS days,
        confidences / nullif(measured, 0) AS mean_confidence
    FROM sides JOIN edits USING (n) ORDER BY edited_at DESC, source_path, after
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class ChapterRows:
    """Of book-wide queries: all of them, and by chapter. `errors`: by type, and one row of all."""

    total: Row
    chapters: Sequence[Row]
    errors: Sequence[Row]


@dataclass(frozen=True, slots=True)
class SectionRows:
    """`sections`: those with the most gaps first. `edits`: of each edited document one row for
    the time before the edit and one for the time after, where there are queries."""

    as_of: datetime
    sections: Sequence[Row]
    edits: Sequence[Row]


async def read_chapter_rows(database: Database, days: Days) -> ChapterRows:
    """How chapters were detected in a period, and the errors of all queries."""
    (total,), chapters, errors = await read_all(database, days, (_TOTAL, _CHAPTERS, _ERRORS))
    return ChapterRows(total, chapters, errors)


async def read_section_rows(database: Database, days: Days) -> SectionRows:
    """The sections that readers asked about, and the documents edited in a period."""
    statements = (_SECTIONS, _EDITS, "SELECT clock_timestamp() AS as_of")
    sections, edits, (now,) = await read_all(database, days, statements, most=MOST_SECTIONS)
    return SectionRows(now["as_of"], sections, edits)
