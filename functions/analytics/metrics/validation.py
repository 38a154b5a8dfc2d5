"""What the check did, and what the gate would do at another confidence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from functions.adapters.postgres.database import Connection, Database
from functions.analytics.metrics.confidence_intervals import Estimate, Share
from functions.analytics.metrics.models import (
    VALIDATION_TARGET,
    ModeValidation,
    ThresholdEffect,
    Validation,
)
from functions.analytics.metrics.period import Period, over_period
from functions.answer.gate.thresholds import GATE

SECONDS = 20.0
THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""GATE is one of them. Answers are counted by these: `confidence_step` of the database."""

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
        SELECT kind.*, kind.status = 'refused' AND check_passed IS NOT NULL AS rejected,
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
_AUDITED = over_period("""
    SELECT count(*) AS audited, count(*) FILTER (WHERE traceable < claims) AS untraceable
    FROM audits WHERE by = 'human' AND WITHIN(asked_at)
""")
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
Row = Mapping[str, Any]


async def read_validation(database: Database, period: Period) -> Validation:
    """The check's figures of a period."""
    given = period.parameters | {"gate": bisect_right(THRESHOLDS, GATE)}

    async def read(connection: Connection) -> list[list[Any]]:
        await connection.execute("SELECT refresh_figures(%(zone)s, %(first)s, %(end)s)", given)
        return [
            await (await connection.execute(statement.encode(), given)).fetchall()
            for statement in (_MODES, _TIMES, _AUDITED, _STEPS)
        ]

    rows, times, audited, steps = await database.run(read, seconds=SECONDS)
    p95_ms = {row["mode"]: row["p95_ms"] for row in times}
    total = next(row for row in rows if row["mode"] is None)
    return Validation(
        period=period,
        as_of=total["as_of"],
        passed=Share.of_counts(total["passed"], total["checked"]),
        target=VALIDATION_TARGET,
        modes=tuple(
            _mode_of(row, p95_ms.get(row["mode"])) for row in rows if row["mode"] is not None
        ),
        mean_similarity=total["mean_similarity"],
        false_negatives=Estimate.from_sample(
            total["rejected"], total["wrongly"], total["reviewed"]
        ),
        false_positives=Estimate.from_sample(
            total["accepted"], audited[0]["untraceable"], audited[0]["audited"]
        ),
        gate=GATE,
        thresholds=effects_of(steps),
    )


def effects_of(steps: Sequence[Row]) -> tuple[ThresholdEffect, ...]:
    """What each threshold would have done. Rows count queries between two thresholds: `step` is the
    number of thresholds that their confidence reaches. Pure."""
    return tuple(
        ThresholdEffect(
            threshold,
            *(_below(steps, at, name) for name in ("answers", "helpful", "not_helpful", "wrong")),
            *(_from(steps, at, name) for name in ("gated", "should", "good")),
        )
        for at, threshold in enumerate(THRESHOLDS)
    )


def _below(steps: Sequence[Row], at: int, name: str) -> int:
    return sum(row[name] for row in steps if row["step"] <= at)


def _from(steps: Sequence[Row], at: int, name: str) -> int:
    return sum(row[name] for row in steps if row["step"] > at)


def _mode_of(row: Row, p95_ms: float | None) -> ModeValidation:
    return ModeValidation(
        mode=row["mode"],
        passed=Share.of_counts(row["passed"], row["checked"]),
        mean_similarity=row["mean_similarity"],
        mean_overlap=row["mean_overlap"],
        p95_ms=p95_ms,
    )
