"""Audits: random samples of answers, and the verdicts of people and of a model on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from functions.adapters.postgres.analytics_query import REFRESH, SECONDS, Days, Row, read_all
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.storable import as_jsonb

BUDGET_SECONDS = 3.0
Auditor = Literal["human", "model"]

_ROUNDS = """
    SELECT (audited_at AT TIME ZONE %(zone)s)::date AS day, by, paraphrases > 0 AS by_judge,
        count(*) AS answers, count(*) FILTER (WHERE traceable = claims) AS grounded,
        count(relevant) AS judged, count(*) FILTER (WHERE relevant) AS relevant,
        sum(claims - paraphrases) AS others,
        sum(claims - paraphrases - (traceable - traceable_paraphrases)) AS others_wrong,
        sum(paraphrases) AS paraphrases,
        sum(paraphrases - traceable_paraphrases) AS paraphrases_wrong
    FROM audits WHERE WITHIN(asked_at) GROUP BY 1, 2, 3 ORDER BY 1 DESC, 2, 3
"""
_ANSWERS = """
    SELECT coalesce(sum(checked), 0) AS answers, coalesce(sum(with_paraphrase), 0) AS by_judge
    FROM figure_days WHERE time_zone = %(zone)s AND day >= %(first)s AND day < %(end)s
"""
# By turns an answer with a statement that the judge alone confirmed and one without.
_SAMPLE = """
    SELECT drawn.response_id::text, asked.mode, given.claims, given.source_references AS sources,
        coalesce(asked.rewritten_question, asked.question) AS question
    FROM (
        SELECT response_id, query_id, paraphrase > 0 AS by_judge, row_number() OVER (
            PARTITION BY paraphrase > 0 ORDER BY md5(response_id::text || %(seed)s)) AS place
        FROM answer_facts
        WHERE WITHIN(asked_at) AND status IN ('answered', 'partial') AND claims > 0
            AND NOT EXISTS (SELECT FROM audits
                WHERE audits.response_id = answer_facts.response_id AND audits.by = %(by)s)
        ORDER BY place, by_judge DESC LIMIT %(most)s
    ) AS drawn
    JOIN queries AS asked USING (query_id) JOIN responses AS given USING (response_id)
    ORDER BY md5(drawn.response_id::text || %(seed)s)
"""


@dataclass(frozen=True, slots=True)
class SampledClaim:
    """A claim of an answer and its proof, with the quotes it cites and their links."""

    text: str
    proof: str
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
    """Whether its sources support each claim of an answer, in the order of the claims, and whether
    it answers the question (None: not assessed)."""

    response_id: str
    by: Auditor
    traceable: tuple[bool, ...]
    relevant: bool | None = None


async def read_audit_rounds(database: Database, days: Days) -> tuple[list[Row], Row]:
    """The verdicts on answers of a period, by the day they were given, by auditor, and apart for
    answers with a statement that the judge alone confirmed; and how many `answers` of the period
    could be drawn, those `by_judge` among them."""
    _, rounds, answers = await read_all(database, days, (REFRESH, _ROUNDS, _ANSWERS))
    return rounds, answers[0]


async def draw_sample(
    database: Database, days: Days, most: int, by: Auditor, seed: str = ""
) -> list[SampledAnswer]:
    """A random sample of the checked answers of a period without a verdict of this kind of auditor.

    Half of it, where there are enough, are answers with a statement that the judge alone confirmed;
    either half is drawn uniformly. The same `seed` draws the same answers."""
    (rows,) = await read_all(database, days, (_SAMPLE,), most=most, by=by, seed=seed)
    return [_answer_of(row) for row in rows]


async def record_audits(database: Database, verdicts: Sequence[AuditVerdict]) -> int:
    """Store verdicts; the number stored: those on deleted answers are left out.

    DatabaseRejected for an answer with another number of claims."""
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
                proof=claim.get("verification", ""),
                quotes=tuple(dict.fromkeys(quote["exact"] for quote in quotes)),
                links=tuple(dict.fromkeys(source["url"] for source in cited if source["url"])),
            )
        )
    return SampledAnswer(row["response_id"], row["mode"], row["question"], tuple(claims))
