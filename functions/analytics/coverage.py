"""How well each section answers what readers ask of it, before an edit and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from functions.adapters.database import Connection, Database
from functions.analytics.period import Period, over_period
from functions.analytics.review_shapes import Coverage, EditEffect, SectionCoverage
from functions.analytics.shares import Share

SECONDS = 20.0
MOST_SECTIONS = 500
Row = Mapping[str, Any]

_SUMS = """
    count(*) AS queries,
    count(*) FILTER (WHERE is_answer) AS answered,
    count(*) FILTER (WHERE is_answer AND claims > 0 AND confidence >= 0.85) AS sure,
    count(confidence) AS measured, avg(confidence) AS mean_confidence,
    count(*) FILTER (WHERE not_helpful > 0) AS not_helpful,
    count(*) FILTER (WHERE NOT is_answer OR not_helpful > 0
        OR claims > 0 AND confidence < 0.85) AS gaps
"""
# A query is about the section of the best chunk that was found for it, as the book has that now, or
# had it then. What is not fit to be answered is about none.
_ABOUT = """
    WITH about AS MATERIALIZED (
        SELECT facts.*, facts.status IN ('answered', 'partial') AS is_answer,
            asked.retrieved_chunk_ids[1] AS chunk_id
        FROM answer_facts AS facts JOIN queries AS asked USING (query_id)
        WHERE WITHIN(facts.asked_at) AND asked.retrieved_chunk_ids <> '{}'
            AND facts.refusal_reason IS DISTINCT FROM 'inappropriate'
    ), places AS MATERIALIZED (
        SELECT each.chunk_id, place.body ->> 'source_path' AS source_path,
            place.body ->> 'url' AS url, place.body -> 'titles' AS titles
        FROM (SELECT DISTINCT chunk_id FROM about) AS each,
            LATERAL (
                SELECT body FROM (
                    SELECT body, 'infinity'::timestamptz AS at FROM chunks WHERE id = each.chunk_id
                    UNION ALL
                    SELECT body, replaced_at FROM past_chunks WHERE id = each.chunk_id
                ) AS known
                ORDER BY at DESC LIMIT 1
            ) AS place
    )
"""
_SECTIONS = over_period(
    _ABOUT
    + """
    SELECT source_path, url, titles, SUMS
    FROM about JOIN places USING (chunk_id)
    GROUP BY source_path, url, titles ORDER BY gaps DESC, queries DESC, source_path, url
    LIMIT %(most)s
""".replace("SUMS", _SUMS)
)
_EDITS = over_period(
    _ABOUT
    + """, edits AS (
        SELECT source_path, title, url, updated_at AS edited_at,
            least(updated_at - (%(first)s::date::timestamp AT TIME ZONE %(zone)s),
                least(clock_timestamp(), (%(end)s::date::timestamp AT TIME ZONE %(zone)s))
                    - updated_at) AS span
        FROM documents
        WHERE generation > 1 AND deleted_at IS NULL AND WITHIN(updated_at)
    )
    SELECT edits.source_path, edits.title, edits.url, edited_at,
        extract(epoch FROM span)::double precision / 86400 AS days,
        about.asked_at >= edited_at AS after, SUMS
    FROM edits
    JOIN places USING (source_path) JOIN about USING (chunk_id)
    WHERE about.asked_at >= edited_at - span AND about.asked_at < edited_at + span
    GROUP BY edits.source_path, edits.title, edits.url, edited_at, span, after
    ORDER BY edited_at DESC, edits.source_path, after
""".replace("SUMS", _SUMS)
)
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
