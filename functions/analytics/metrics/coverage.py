"""How well each section answers what readers ask of it, before an edit and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from functions.adapters.postgres.database import Connection, Database
from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.period import Period, over_period
from functions.analytics.metrics.review_models import Coverage, EditEffect, SectionCoverage
from functions.answer.gate.thresholds import REVIEW

SECONDS = 20.0
MOST_SECTIONS = 500
Row = Mapping[str, Any]

# A query is about the section of the best chunk that was found for it, as the book has that now, or
# had it then. What is not fit to be answered is about none.
_ABOUT = """WITHIN(asked_at) AND chunk_id IS NOT NULL
    AND refusal_reason IS DISTINCT FROM 'inappropriate'"""
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
_SECTIONS = over_period(f"""
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
""")  # noqa: S608  # constants
# A chunk's id is made of its document's, so that a past one never moved to another. No fact is read
# where no document was edited.
_EDITS = over_period(f"""
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
        FROM (SELECT * FROM answer_facts WHERE {_ABOUT} AND EXISTS (SELECT FROM edits) OFFSET 0)
            AS facts
        JOIN edited USING (chunk_id)
        WHERE asked_at >= since AND asked_at < until
        GROUP BY n, after
    )
    SELECT edits.*, sides.*, extract(epoch FROM span)::double precision / 86400 AS days,
        confidences / nullif(measured, 0) AS mean_confidence
    FROM sides JOIN edits USING (n) ORDER BY edited_at DESC, source_path, after
""")  # noqa: S608
_NOBODY: Row = dict.fromkeys(
    ("queries", "answered", "sure", "measured", "not_helpful", "gaps"), 0
) | {"mean_confidence": None}


async def read_coverage(database: Database, period: Period) -> Coverage:
    """Sections that readers asked of, and documents that were changed in the period."""
    given = period.parameters | {"most": MOST_SECTIONS}

    async def read(connection: Connection) -> list[list[Any]]:
        return [
            await (await connection.execute(statement.encode(), given)).fetchall()
            for statement in (_SECTIONS, _EDITS, "SELECT clock_timestamp() AS as_of")
        ]

    sections, edits, (now,) = await database.run(read, seconds=SECONDS)
    by_edit: dict[tuple[str, str], dict[bool, Row]] = {}
    for row in edits:
        by_edit.setdefault((row["source_path"], row["url"]), {})[row["after"]] = row
    return Coverage(
        period=period,
        as_of=now["as_of"],
        sections=tuple(
            _coverage_of(row, row, " › ".join(row["titles"][-2:]) or row["source_path"])
            for row in sections
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
