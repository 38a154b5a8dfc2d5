"""Audits: random samples of answers, and the verdicts of people and of a model on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from functions.adapters.postgres.analytics_query import SECONDS, Days, Row, read_all
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.storable import as_jsonb

BUDGET_SECONDS = 3.0
Auditor = Literal["human", "model"]

_ROUNDS = """
    SELECT (audited_at AT TIME ZONE %(zone)s)::date AS day, by, count(*) AS answers,
        count(*) FILTER (WHERE traceable = claims) AS grounded,
        count(relevant) AS judged, count(*) FILTER (WHERE relevant) AS relevant
    FROM audits WHERE WITHIN(asked_at) GROUP BY 1, by ORDER BY 1 DESC, by
"""
_SAMPLE = """
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
"""


@dataclass(frozen=True, slots=True)
class SampledClaim:
    """A claim of an answer, with the quotes it cites and their links."""

    text: str
    quotes: tuple[str, ...]
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SampledAnswer:
    """An answer of a random sample."""

    response_id: str
    mode: str
    question: str
    claims: tuple[SampledClaim, ...]


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    """How many claims of an answer their sources support, and whether it answers the question
    (None: not assessed)."""

    response_id: str
    by: Auditor
    traceable: int
    relevant: bool | None = None


async def read_audit_rounds(database: Database, days: Days) -> list[Row]:
    """The verdicts on answers of a period, by the day they were given and by auditor."""
    (rounds,) = await read_all(database, days, (_ROUNDS,))
    return rounds


async def draw_sample(
    database: Database, days: Days, most: int, by: Auditor, seed: str = ""
) -> list[SampledAnswer]:
    """A uniform random sample of the checked answers of a period without a verdict of this kind of
    auditor. The same `seed` draws the same answers."""
    (rows,) = await read_all(database, days, (_SAMPLE,), most=most, by=by, seed=seed)
    return [_answer_of(row) for row in rows]


async def record_audits(database: Database, verdicts: Sequence[AuditVerdict]) -> int:
    """Store verdicts; the number stored: those on deleted answers are left out.

    DatabaseRejected for more traceable claims than an answer has."""
    rows = await database.call(
        "SELECT record_audits(%s) AS kept",
        (as_jsonb([asdict(verdict) for verdict in verdicts]),),
        seconds=SECONDS,
    )
    return int(rows[0]["kept"])


async def has_budget(database: Database) -> bool:
    """Whether the budgets of the day and the month allow calls that no reader waits for."""
    rows = await database.call("SELECT may_judge() AS may", (), seconds=BUDGET_SECONDS)
    return bool(rows[0]["may"])


async def record_spending(
    database: Database, input_tokens: int, output_tokens: int, dollars: float
) -> None:
    """Add the cost of model calls to the day's spending."""
    await database.call(
        "SELECT record_spending(%s::integer, %s::integer, %s::numeric)",
        (input_tokens, output_tokens, round(dollars, 8)),
        seconds=BUDGET_SECONDS,
    )


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
