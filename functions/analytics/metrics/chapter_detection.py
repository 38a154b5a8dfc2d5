"""How the chapter that a reader is in was found, and what came of it."""

from __future__ import annotations

from typing import Any

from functions.adapters.postgres.database import Connection, Database
from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.models import Alarm, ChapterFigures, ChapterUse
from functions.analytics.metrics.period import Period, over_period

SECONDS = 20.0
LEAST_DETECTED, MOST_ADDED_MS, MOST_ERRORS = 0.95, 100.0, 0.01
"""ADR-007's limits."""

_CHAPTERS = over_period("""
    SELECT chapter_id, count(*) AS queries,
        count(*) FILTER (WHERE status IN ('answered', 'partial')) AS answered,
        coalesce(sum(helpful), 0) AS helpful, coalesce(sum(helpful + not_helpful), 0) AS rated
    FROM answer_facts
    WHERE mode = 'book-wide' AND chapter_sent AND chapter_id IS NOT NULL AND WITHIN(asked_at)
    GROUP BY chapter_id ORDER BY count(*) DESC, chapter_id
""")
_TOTAL = over_period("""
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
""")
# A request may fail in more than one part, and be answered all the same.
_ERRORS = over_period("""
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
""")


async def read_chapters(database: Database, period: Period) -> ChapterFigures:
    """Of the queries to the whole book: only these have a chapter. Errors are of all queries."""

    async def read(connection: Connection) -> list[list[Any]]:
        return [
            await (await connection.execute(statement.encode(), period.parameters)).fetchall()
            for statement in (_TOTAL, _CHAPTERS, _ERRORS)
        ]

    (total,), chapters, errors = await database.run(read, seconds=SECONDS)
    detected = Share.of_counts(total["found"], total["sent"])
    failed = next(row for row in errors if row["error_type"] is None)
    asked = failed["queries"] + failed["lost"]
    error_share = failed["errors"] / asked if asked else None
    both = total["search_ms"] is not None and total["search_ms_without"] is not None
    added = total["search_ms"] - total["search_ms_without"] if both else None
    return ChapterFigures(
        period=period,
        as_of=total["as_of"],
        detected=detected,
        with_chapter=Share.of_counts(total["sent"], total["queries"]),
        boosted=Share.of_counts(total["boosted"], total["found"]),
        mean_boost=total["mean_boost"],
        search_ms=total["search_ms"],
        search_ms_without=total["search_ms_without"],
        p95_search_ms=total["p95_search_ms"],
        errors=failed["errors"],
        error_share=error_share,
        errors_by_type={row["error_type"]: row["errors"] for row in errors if row["error_type"]},
        alarms=(
            Alarm("detection", detected.value, LEAST_DETECTED, _under(detected.value)),
            Alarm("latency", added, MOST_ADDED_MS, _over(added, MOST_ADDED_MS)),
            Alarm("errors", error_share, MOST_ERRORS, _over(error_share, MOST_ERRORS)),
        ),
        chapters=tuple(
            ChapterUse(
                chapter_id=row["chapter_id"],
                queries=row["queries"],
                answered=row["answered"],
                helpful=Share.of_counts(row["helpful"], row["rated"]),
            )
            for row in chapters
        ),
    )


def _under(share: float | None) -> bool | None:
    return None if share is None else share < LEAST_DETECTED


def _over(value: float | None, limit: float) -> bool | None:
    return None if value is None else value > limit
