"""What the check did, and what the gate would do at another confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from functions.adapters.database import Connection, Database
from functions.analytics.figures import (
    VALIDATION_TARGET,
    ModeValidation,
    ThresholdEffect,
    Validation,
)
from functions.analytics.period import Period, over_period
from functions.analytics.shares import Estimate, Share

SECONDS = 20.0
GATE = 0.7
"""GATE of functions/answer/gate.py, whose import would be a quarter of this function's start."""
THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)

_MODES = over_period("""
    SELECT mode, count(check_passed) AS checked, count(*) FILTER (WHERE check_passed) AS passed,
        avg(similarity) AS mean_similarity, avg(overlap) AS mean_overlap,
        percentile_disc(0.95) WITHIN GROUP (ORDER BY check_ms) AS p95_ms,
        count(*) FILTER (WHERE rejected) AS rejected,
        count(verdict) FILTER (WHERE rejected) AS reviewed,
        count(*) FILTER (WHERE rejected AND verdict IN ('should_have_answered', 'fixed'))
            AS wrongly,
        count(*) FILTER (WHERE accepted) AS accepted,
        clock_timestamp() AS as_of
    FROM (
        SELECT *, status = 'refused' AND check_passed IS NOT NULL AS rejected,
            status IN ('answered', 'partial') AND claims > 0 AS accepted
        FROM answer_facts WHERE WITHIN(asked_at)
    ) AS facts
    GROUP BY GROUPING SETS ((mode), ()) ORDER BY mode
""")
_AUDITED = over_period("""
    SELECT count(*) AS audited, count(*) FILTER (WHERE traceable < claims) AS untraceable
    FROM audits WHERE by = 'human' AND WITHIN(asked_at)
""")
_STEPS = over_period("""
    SELECT width_bucket(confidence, %(thresholds)s::double precision[]) AS step,
        count(*) FILTER (WHERE accepted) AS answers,
        count(*) FILTER (WHERE accepted AND helpful > 0 AND not_helpful = 0) AS helpful,
        count(*) FILTER (WHERE accepted AND not_helpful > 0) AS not_helpful,
        count(*) FILTER (WHERE accepted AND verdict IN ('wrong_answer', 'fixed')) AS wrong,
        count(*) FILTER (WHERE gated) AS gated,
        count(*) FILTER (WHERE gated AND verdict IN ('should_have_answered', 'fixed')) AS should,
        count(*) FILTER (WHERE gated AND verdict = 'good_refusal') AS good
    FROM (
        SELECT *, status IN ('answered', 'partial') AND claims > 0 AS accepted,
            status = 'refused' AND confidence < %(gate)s AS gated
        FROM answer_facts WHERE confidence IS NOT NULL AND WITHIN(asked_at)
    ) AS facts
    GROUP BY 1
""")
Row = Mapping[str, Any]


async def read_validation(database: Database, period: Period) -> Validation:
    """The check's figures of a period."""
    given = period.parameters | {"thresholds": list(THRESHOLDS), "gate": GATE}

    async def read(connection: Connection) -> list[list[Any]]:
        return [
            await (await connection.execute(statement.encode(), given)).fetchall()
            for statement in (_MODES, _AUDITED, _STEPS)
        ]

    rows, audited, steps = await database.run(read, seconds=SECONDS)
    total = next(row for row in rows if row["mode"] is None)
    return Validation(
        period=period,
        as_of=total["as_of"],
        passed=Share.of_counts(total["passed"], total["checked"]),
        target=VALIDATION_TARGET,
        modes=tuple(_mode_of(row) for row in rows if row["mode"] is not None),
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


def _mode_of(row: Row) -> ModeValidation:
    return ModeValidation(
        mode=row["mode"],
        passed=Share.of_counts(row["passed"], row["checked"]),
        mean_similarity=row["mean_similarity"],
        mean_overlap=row["mean_overlap"],
        p95_ms=row["p95_ms"],
    )
