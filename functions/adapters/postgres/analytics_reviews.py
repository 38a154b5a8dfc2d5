"""The review list (FR-026), reviewers' verdicts, and the golden questions made from it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from functions.adapters.postgres.analytics_query import SECONDS, Days, Row, read_all
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.storable import storable_text
from functions.answer.gate.thresholds import REVIEW

WRITE_SECONDS = 2.5
Concern = Literal["low_confidence", "not_helpful", "refused", "flagged"]
Verdict = Literal["good_refusal", "should_have_answered", "right_answer", "wrong_answer", "fixed"]
MOST_ITEMS = 200

_CONCERNS = f"""
    SELECT *, array_remove(ARRAY[
        CASE WHEN refusal_reason = 'inappropriate' THEN 'flagged' END,
        CASE WHEN status = 'refused' AND refusal_reason IS DISTINCT FROM 'inappropriate'
            THEN 'refused' END,
        CASE WHEN not_helpful > 0 THEN 'not_helpful' END,
        CASE WHEN status IN ('answered', 'partial') AND claims > 0 AND confidence < {REVIEW}
            THEN 'low_confidence' END
    ], NULL) AS concerns
    FROM answer_facts
"""  # noqa: S608  # a constant
_LISTED = f""" FROM ({_CONCERNS} WHERE WITHIN(asked_at)) AS facts
    WHERE cardinality(concerns) > 0
        AND (%(concern)s::text IS NULL OR %(concern)s = ANY (concerns)) """
_STATE = "(%(reviewed)s::boolean IS NULL OR (verdict IS NOT NULL) = %(reviewed)s)"
_COUNTS = f"""SELECT count(*) FILTER (WHERE {_STATE}) AS total,
    count(*) FILTER (WHERE verdict IS NULL) AS unreviewed {_LISTED}"""
_NEWEST = ("(asked_at, response_id) < (%(at)s, %(id)s)", "asked_at DESC, response_id DESC")
# Ids of answers are random, so that their order is random, too.
_SAMPLE = ("response_id > %(id)s", "response_id")
_DETAIL = """
    SELECT facts.*, asked.question, asked.rewritten_question, given.generated_response AS answer,
        given.source_references AS sources, coalesce(reviews.note, '') AS note,
        golden.response_id IS NOT NULL AS is_golden, best.body ->> 'url' AS url,
        coalesce(best.body ->> 'section', '') AS section, best.body -> 'titles' AS titles,
        ARRAY(SELECT comment FROM feedback
            WHERE feedback.response_id = facts.response_id AND comment <> ''
            ORDER BY created_at) AS comments
    FROM facts
    JOIN queries AS asked USING (query_id)
    JOIN responses AS given USING (response_id)
    LEFT JOIN reviews ON reviews.response_id = facts.response_id
    LEFT JOIN golden_questions AS golden ON golden.response_id = facts.response_id
    LEFT JOIN chunks AS best ON best.id = asked.retrieved_chunk_ids[1]
"""
_ANSWER = """
    SELECT given.status, reviews.verdict, given.source_references AS sources,
        best.body ->> 'source_path' AS source_path, best.body ->> 'url' AS url
    FROM responses AS given
    JOIN queries AS asked USING (query_id)
    LEFT JOIN reviews ON reviews.response_id = given.response_id
    LEFT JOIN chunks AS best ON best.id = asked.retrieved_chunk_ids[1]
    WHERE given.response_id = %s::uuid
"""


class UnknownAnswer(Exception):
    """The answer does not exist, or no longer does."""


class UnfitVerdict(Exception):
    """A verdict on refusals was given on an answer, or the other way round."""


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """Where an answer points to."""

    label: str
    url: str
    quote: str


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One query to review. Texts are as stored, with personal data masked."""

    query_id: str
    response_id: str
    asked_at: datetime
    mode: str
    question: str
    answer: str
    status: str
    refusal_reason: str | None
    confidence: float | None
    concerns: tuple[Concern, ...]
    helpful: int
    not_helpful: int
    comments: tuple[str, ...]
    places: tuple[CitedPlace, ...]
    section: str
    """The section of its best chunk, if the book still has it."""
    section_url: str
    verdict: Verdict | None
    note: str
    is_golden: bool


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """Some of the list, and how many there are in all. `next` continues it."""

    items: tuple[ReviewItem, ...]
    total: int
    unreviewed: int
    next: str | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filters of the list; None: no filter. `sample` orders the same queries at random."""

    concern: Concern | None = None
    reviewed: bool | None = None
    order: Literal["newest", "sample"] = "newest"
    after: str | None = None
    """`ReviewPage.next` of the page before."""
    most: int = 50


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """`section` is empty where the question must be refused."""

    question: str
    refuse: bool
    section: str


async def read_review_list(
    database: Database, days: Days, wanted: Wanted | None = None
) -> ReviewPage:
    """One page of the list. ValueError for an `after` that is no page's `next`."""
    wanted = wanted or Wanted()
    most = min(max(1, wanted.most), MOST_ITEMS)
    at, last = _read_cursor(wanted.after) if wanted.after else (None, None)
    (counts,), rows = await read_all(
        database, days, (_COUNTS, _listed(wanted)),
        concern=wanted.concern, reviewed=wanted.reviewed, at=at, id=last, most=most + 1,
    )  # fmt: skip
    more = rows[most - 1] if len(rows) > most else None
    return ReviewPage(
        items=tuple(_item_of(row) for row in rows[:most]),
        total=counts["total"],
        unreviewed=counts["unreviewed"],
        next=f"{more['asked_at'].isoformat()}_{more['response_id']}" if more else None,
    )


async def mark_response(
    database: Database, response_id: str, verdict: Verdict | None, note: str
) -> None:
    """Store a reviewer's verdict on an answer; None removes it. UnknownAnswer, UnfitVerdict."""
    rows = await database.call(
        "SELECT mark_response(%s::uuid, %s, %s) AS came",
        (response_id, verdict, storable_text(note)),
        seconds=SECONDS,
    )
    if rows[0]["came"] == "unknown":
        raise UnknownAnswer(response_id)
    if rows[0]["came"] == "unfit":
        raise UnfitVerdict(verdict)


async def read_answer_sources(database: Database, response_id: str) -> Row:
    """An answer's `verdict` and `sources`, and where its best chunk is: `source_path` and `url`.
    UnknownAnswer."""
    rows = await database.call(_ANSWER, (response_id,), seconds=WRITE_SECONDS)
    if not rows:
        raise UnknownAnswer(response_id)
    return rows[0]


async def save_golden(database: Database, response_id: str, refuse: bool, section: str) -> None:
    """Make the question of an answer a golden one."""
    await database.call(
        "SELECT keep_golden(%s::uuid, %s, %s)",
        (response_id, refuse, storable_text(section)),
        seconds=WRITE_SECONDS,
    )


async def drop_golden(database: Database, response_id: str) -> None:
    """Remove a golden question. UnknownAnswer."""
    rows = await database.call(
        "SELECT drop_golden(%s::uuid) AS dropped", (response_id,), seconds=WRITE_SECONDS
    )
    if not rows[0]["dropped"]:
        raise UnknownAnswer(response_id)


async def read_golden(database: Database) -> list[GoldenQuestion]:
    """All golden questions, the oldest first."""
    rows = await database.call(
        "SELECT question, refuse, section FROM golden_questions ORDER BY made_at, response_id",
        (),
        seconds=WRITE_SECONDS,
    )
    return [GoldenQuestion(**row) for row in rows]


def _read_cursor(text: str) -> tuple[datetime, str]:
    moment, _, response_id = text.partition("_")
    return datetime.fromisoformat(moment), response_id


def _listed(wanted: Wanted) -> str:
    beyond, columns = _NEWEST if wanted.order == "newest" else _SAMPLE
    conditions = f" AND {_STATE}" + (f" AND {beyond}" if wanted.after else "")
    order = ", ".join(f"facts.{column}" for column in columns.split(", "))
    return f"""WITH facts AS MATERIALIZED (
        SELECT * {_LISTED} {conditions} ORDER BY {columns} LIMIT %(most)s
    ) {_DETAIL} ORDER BY {order}"""


def _item_of(row: Row) -> ReviewItem:
    return ReviewItem(
        query_id=str(row["query_id"]),
        response_id=str(row["response_id"]),
        asked_at=row["asked_at"],
        mode=row["mode"],
        question=row["rewritten_question"] or row["question"],
        answer=row["answer"],
        status=row["status"],
        refusal_reason=row["refusal_reason"],
        confidence=row["confidence"],
        concerns=tuple(each for each in get_args(Concern) if each in row["concerns"]),
        helpful=row["helpful"],
        not_helpful=row["not_helpful"],
        comments=tuple(row["comments"]),
        places=tuple(
            CitedPlace(
                label=str(source.get("label", "")),
                url=str(source.get("url", "")),
                quote=str((source.get("quote") or {}).get("exact", "")),
            )
            for source in row["sources"]
        ),
        section=" › ".join((row["titles"] or [])[-2:]),
        section_url=row["url"] or "",
        verdict=row["verdict"],
        note=row["note"],
        is_golden=row["is_golden"],
    )
