"""Are the statements of answers in their sources? Verdicts of people and of a model (SC-002)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from functions.adapters.postgres.database import Database
from functions.adapters.postgres.storable import as_jsonb
from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.models import GROUNDING_TARGET, AuditRound, Audits
from functions.analytics.metrics.period import Period, over_period

SECONDS = 20.0
Row = Mapping[str, Any]

_ROUNDS = over_period("""
    SELECT (audited_at AT TIME ZONE %(zone)s)::date AS day, by, count(*) AS answers,
        count(*) FILTER (WHERE traceable = claims) AS grounded,
        count(relevant) AS judged, count(*) FILTER (WHERE relevant) AS relevant
    FROM audits WHERE WITHIN(asked_at) GROUP BY 1, by ORDER BY 1 DESC, by
""")
_SAMPLE = over_period("""
    SELECT facts.response_id::text, asked.mode, given.claims, given.source_references AS sources,
        coalesce(asked.rewritten_question, asked.question) AS question
    FROM (
        SELECT response_id, query_id FROM answer_facts
        WHERE WITHIN(asked_at) AND status IN ('answered', 'partial') AND claims > 0
            AND NOT EXISTS (SELECT FROM audits
                WHERE audits.response_id = answer_facts.response_id AND audits.by = %(by)s)
        ORDER BY md5(response_id::text || %(seed)s) LIMIT %(most)s
    ) AS facts
    JOIN queries AS asked USING (query_id) JOIN responses AS given USING (response_id)
    ORDER BY md5(facts.response_id::text || %(seed)s)
""")


@dataclass(frozen=True, slots=True)
class SampledClaim:
    """A statement of an answer, the words it rests on, and where they stand."""

    text: str
    quotes: tuple[str, ...]
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SampledAnswer:
    """An answer drawn by lot, for somebody to check."""

    response_id: str
    mode: str
    question: str
    claims: tuple[SampledClaim, ...]


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    """What was found of one answer: how many of its claims their sources say, and whether it
    answers the question (None: nobody said)."""

    response_id: str
    by: Literal["human", "model"]
    traceable: int
    relevant: bool | None = None


async def read_audits(database: Database, period: Period) -> Audits:
    """The verdicts on answers of a period."""
    rows = await database.call(_ROUNDS, period.parameters, seconds=SECONDS)
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


async def draw_sample(
    database: Database, period: Period, most: int, by: Literal["human", "model"], seed: str = ""
) -> list[SampledAnswer]:
    """Checked answers of a period that nobody of this kind has judged, each as likely as another.

    The same `seed` draws the same ones.
    """
    given = period.parameters | {"most": most, "by": by, "seed": seed}
    rows = await database.call(_SAMPLE, given, seconds=SECONDS)
    return [_answer_of(row) for row in rows]


async def record_audits(database: Database, verdicts: Sequence[AuditVerdict]) -> int:
    """Keep verdicts; how many answers they were of: those that are gone are left out.

    DatabaseRejected for more traceable claims than an answer has."""
    rows = await database.call(
        "SELECT record_audits(%s) AS kept",
        (as_jsonb([asdict(verdict) for verdict in verdicts]),),
        seconds=SECONDS,
    )
    return int(rows[0]["kept"])


def _grounded(rows: Iterable[Row]) -> Share:
    total: Counter[str] = Counter()
    for row in rows:
        total.update(grounded=row["grounded"], answers=row["answers"])
    return Share.of_counts(total["grounded"], total["answers"])


def _answer_of(row: Row) -> SampledAnswer:
    sources = {source["n"]: source for source in row["sources"]}
    claims = []
    for claim in row["claims"]:
        cited = [sources[n] for n in claim.get("citations", ()) if n in sources]
        quotes = [quote for source in cited for quote in source.get("quotes") or [source["quote"]]]
        claims.append(
            SampledClaim(
                text=claim["text"],
                quotes=tuple(dict.fromkeys(quote["exact"] for quote in quotes)),
                links=tuple(dict.fromkeys(source["url"] for source in cited if source["url"])),
            )
        )
    return SampledAnswer(row["response_id"], row["mode"], row["question"], tuple(claims))
