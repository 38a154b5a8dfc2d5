"""Are the claims of answers traceable to their sources? Verdicts of people and of a model
(SC-002)."""

from __future__ import annotations

from collections.abc import Iterable

from functions.adapters.postgres.analytics_audits import read_audit_rounds
from functions.adapters.postgres.analytics_query import Row
from functions.adapters.postgres.database import Database
from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.models import GROUNDING_TARGET, AuditRound, Audits
from functions.analytics.metrics.period import Period


async def read_audits(database: Database, period: Period) -> Audits:
    """The verdicts on answers of a period."""
    rows = await read_audit_rounds(database, period)
    return Audits(
        period=period,
        target=GROUNDING_TARGET,
        human=_grounded(row for row in rows if row["by"] == "human"),
        model=_grounded(row for row in rows if row["by"] == "model"),
        rounds=tuple(
            AuditRound(
                day=row["day"],
                by=row["by"],
                answers=row["answers"],
                grounded=Share.of_counts(row["grounded"], row["answers"]),
                relevant=Share.of_counts(row["relevant"], row["judged"]),
            )
            for row in rows
        ),
    )


def _grounded(rows: Iterable[Row]) -> Share:
    counts = [(row["grounded"], row["answers"]) for row in rows]
    return Share.of_counts(sum(g for g, _ in counts), sum(n for _, n in counts))
