"""Sums by day and by week of what was asked and answered, and what the check did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from functions.adapters.postgres.analytics_query import REFRESH, Days, Row, read_all
from functions.adapters.postgres.database import Database

_DAYS = """
    SELECT day, queries, answered, partial, refused, modes, reasons, repeated, cached, limited,
        checked, verbatim, close, paraphrase, with_paraphrase, with_confidence,
        rated, helpful, counted, confirmed,
        refusals_reviewed, refusals_false, sessions, timed, milliseconds, p95_ms, cost_usd,
        (SELECT coalesce(sum(kind.queries), 0) FROM unnest(kinds) AS kind
            WHERE kind.status IN ('answered', 'partial') AND claiming
                AND confidence_step >= %(review)s) AS high_confidence
    FROM figure_days
    WHERE time_zone = %(zone)s AND day >= %(first)s AND day < %(end)s ORDER BY day
"""
_P95 = """
    SELECT min(step) AS p95_ms FROM (
        SELECT step, sum(sum(n)) OVER (ORDER BY step) AS upto, sum(sum(n)) OVER () AS of
        FROM figure_days, unnest(steps, step_counts) AS each (step, n)
        WHERE time_zone = %(zone)s AND day >= %(first)s AND day < %(end)s
        GROUP BY step
    ) AS steps
    WHERE upto >= 0.95 * of
"""
_WEEKS = """
    SELECT monday, queries, readers FROM figure_weeks
    WHERE monday >= %(first)s AND monday < %(end)s ORDER BY monday
"""
_NOW = """
    SELECT clock_timestamp() AS as_of,
        (clock_timestamp() AT TIME ZONE %(zone)s)::date AS today,
        ((clock_timestamp() - raw_retention) AT TIME ZONE %(zone)s)::date AS kept_since,
        (SELECT min(day) FROM figure_days WHERE time_zone = %(zone)s) AS first_day
    FROM limit_settings
"""
_KINDS = """
    FROM figure_days, unnest(kinds) AS kind
    WHERE time_zone = %(zone)s AND day >= %(first)s AND day < %(end)s
"""
_MODES = f"""
    SELECT mode, coalesce(sum(queries) FILTER (WHERE check_passed IS NOT NULL), 0) AS checked,
        coalesce(sum(queries) FILTER (WHERE check_passed), 0) AS passed,
        sum(similarity) / nullif(sum(with_similarity), 0) AS mean_similarity,
        sum(overlap) / nullif(sum(with_overlap), 0) AS mean_overlap,
        coalesce(sum(queries) FILTER (WHERE rejected), 0) AS rejected,
        coalesce(sum(queries) FILTER (WHERE rejected AND verdict IS NOT NULL), 0) AS reviewed,
        coalesce(sum(queries) FILTER (
            WHERE rejected AND verdict IN ('should_have_answered', 'fixed')), 0) AS wrongly,
        coalesce(sum(queries) FILTER (WHERE accepted), 0) AS accepted,
        clock_timestamp() AS as_of
    FROM (
        SELECT kind.*, kind.status = 'refused' AS rejected,
            status IN ('answered', 'partial') AND claiming AS accepted {_KINDS}
    ) AS kinds
    GROUP BY GROUPING SETS ((mode), ()) ORDER BY mode
"""  # noqa: S608  # constants
_TIMES = """
    SELECT mode, min(step) FILTER (WHERE upto >= 0.95 * of) / 10.0::double precision AS p95_ms
    FROM (
        SELECT mode, step,
            sum(sum(n)) OVER (PARTITION BY mode ORDER BY step) AS upto,
            sum(sum(n)) OVER (PARTITION BY mode) AS of
        FROM figure_days, unnest(check_times)
        WHERE time_zone = %(zone)s AND day >= %(first)s AND day < %(end)s
        GROUP BY mode, step
    ) AS steps
    GROUP BY mode
"""
_AUDITED = """
    WITH kept AS (
        SELECT coalesce(sum(checked), 0) AS answers, coalesce(sum(with_paraphrase), 0) AS by_judge
        FROM figure_days WHERE time_zone = %(zone)s AND day >= %(first)s AND day < %(end)s
    )
    SELECT answers, count(response_id) AS audited,
        count(response_id) FILTER (WHERE traceable < claims) AS untraceable
    FROM (
        SELECT true AS is_by_judge, by_judge AS answers FROM kept
        UNION ALL SELECT false, answers - by_judge FROM kept
    ) AS strata
    LEFT JOIN audits
        ON (paraphrases > 0) = is_by_judge AND by = 'human' AND WITHIN(audits.asked_at)
    GROUP BY is_by_judge, answers
"""
_STEPS = f"""
    SELECT confidence_step AS step,
        coalesce(sum(queries) FILTER (WHERE accepted), 0) AS answers,
        coalesce(sum(queries) FILTER (WHERE accepted AND was_helpful AND NOT was_unhelpful), 0)
            AS helpful,
        coalesce(sum(queries) FILTER (WHERE accepted AND was_unhelpful), 0) AS not_helpful,
        coalesce(sum(queries) FILTER (
            WHERE accepted AND verdict IN ('wrong_answer', 'fixed')), 0) AS wrong,
        coalesce(sum(queries) FILTER (WHERE gated), 0) AS gated,
        coalesce(sum(queries) FILTER (
            WHERE gated AND verdict IN ('should_have_answered', 'fixed')), 0) AS should,
        coalesce(sum(queries) FILTER (WHERE gated AND verdict = 'good_refusal'), 0) AS good
    FROM (
        SELECT kind.*, status IN ('answered', 'partial') AND claiming AS accepted,
            status = 'refused' AND confidence_step < %(gate)s AS gated {_KINDS}
    ) AS kinds
    WHERE confidence_step IS NOT NULL
    GROUP BY 1
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class SummaryRows:
    """`now`: the time, today, since when answers are kept, and the first day with sums."""

    now: Row
    days: Sequence[Row]
    p95_ms: int | None
    weeks: Sequence[Row]


@dataclass(frozen=True, slots=True)
class ValidationRows:
    """`modes`: one row for each mode, one without a mode for all of them. `p95_ms`: the duration
    of the check by mode. `audited`: verdicts of people, on answers with and without a statement
    that the judge alone confirmed. `steps`: queries by confidence step."""

    modes: Sequence[Row]
    p95_ms: Mapping[str, float]
    audited: Sequence[Row]
    steps: Sequence[Row]


async def read_summary_rows(database: Database, days: Days, review_step: int) -> SummaryRows:
    """The sums of a period; answers from `review_step` on have a high confidence.
    DatabaseRejected for a time zone that the database does not know."""
    statements = (REFRESH, _NOW, _DAYS, _P95, _WEEKS)
    _, now, sums, p95, weeks = await read_all(database, days, statements, review=review_step)
    return SummaryRows(now[0], sums, p95[0]["p95_ms"], weeks)


async def read_validation_rows(database: Database, days: Days, gate_step: int) -> ValidationRows:
    """What the check did in a period; queries below `gate_step` were stopped by the gate."""
    statements = (REFRESH, _MODES, _TIMES, _AUDITED, _STEPS)
    _, modes, times, audited, steps = await read_all(database, days, statements, gate=gate_step)
    p95_ms = {row["mode"]: row["p95_ms"] for row in times}
    return ValidationRows(modes, p95_ms, audited, steps)


async def purge(database: Database, *, seconds: float) -> dict[str, int]:
    """Delete what is older than the retention settings allow: rows by table."""
    rows = await database.call(
        "SELECT purge_expired() || purge_figures() AS gone", (), seconds=seconds
    )
    return dict(rows[0]["gone"])
