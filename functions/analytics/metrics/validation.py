"""Results of the claim check, and the effect of other gate thresholds (ADR-003)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from functions.adapters.postgres.analytics_query import Row
from functions.adapters.postgres.analytics_summary import read_validation_rows
from functions.adapters.postgres.database import Database
from functions.analytics.metrics.confidence_intervals import Estimate, Share
from functions.analytics.metrics.period import Period
from functions.answer.gate.thresholds import GATE

VALIDATION_TARGET = 0.95


@dataclass(frozen=True, slots=True)
class ModeValidation:
    """Results of the check in one mode."""

    mode: str
    passed: Share
    mean_similarity: float | None
    mean_overlap: float | None
    p95_ms: float | None


@dataclass(frozen=True, slots=True)
class ThresholdEffect:
    """Effect of another gate threshold on the same queries.

    `refused_more` counts answers below it, with their ratings and reviews; `asked_more` counts
    refused queries that would have passed the gate, with their reviews. Whether those would have
    been answered is unknown.
    """

    threshold: float
    refused_more: int
    of_these_helpful: int
    of_these_not_helpful: int
    of_these_wrong: int
    asked_more: int
    of_these_should_have_answered: int
    of_these_good_refusals: int


@dataclass(frozen=True, slots=True)
class Validation:
    """ADR-003's metrics. False negatives are wrong refusals, as in the summary; false positives
    are answers that human audits found untraceable."""

    period: Period
    as_of: datetime
    passed: Share
    target: float
    modes: tuple[ModeValidation, ...]
    mean_similarity: float | None
    false_negatives: Estimate
    false_positives: Estimate
    gate: float
    thresholds: tuple[ThresholdEffect, ...]


THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""Includes GATE. `confidence_step` in the database groups queries by these."""


async def read_validation(database: Database, period: Period) -> Validation:
    """The results of a period."""
    rows = await read_validation_rows(database, period, bisect_right(THRESHOLDS, GATE))
    total = next(row for row in rows.modes if row["mode"] is None)
    return Validation(
        period=period,
        as_of=total["as_of"],
        passed=Share.of_counts(total["passed"], total["checked"]),
        target=VALIDATION_TARGET,
        modes=tuple(
            _mode_of(row, rows.p95_ms.get(row["mode"]))
            for row in rows.modes
            if row["mode"] is not None
        ),
        mean_similarity=total["mean_similarity"],
        false_negatives=Estimate.from_sample(
            total["rejected"], total["wrongly"], total["reviewed"]
        ),
        false_positives=Estimate.from_strata(
            [(row["answers"], row["untraceable"], row["audited"]) for row in rows.audited]
        ),
        gate=GATE,
        thresholds=effects_of(rows.steps),
    )


def effects_of(steps: Sequence[Row]) -> tuple[ThresholdEffect, ...]:
    """The effect of each threshold. Each row counts the queries between two thresholds; `step` is
    the number of thresholds that their confidence reaches. Pure."""
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
