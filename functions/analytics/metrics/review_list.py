"""The list of queries that somebody should look at, and what is said of them (FR-026)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from functions.adapters.postgres.database import Connection, Database
from functions.adapters.postgres.storable import storable_text
from functions.analytics.metrics.period import Period, over_period
from functions.analytics.metrics.review_models import (
    CitedPlace,
    Concern,
    ReviewItem,
    ReviewPage,
    Verdict,
)
from functions.answer.gate.thresholds import REVIEW
from functions.runtime.privacy.personal_data import mask_personal_data

SECONDS = 20.0
MOST_ITEMS = 200
Row = Mapping[str, Any]

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
_LISTED = (
    " FROM ("
    + _CONCERNS
    + """ WHERE WITHIN(asked_at)) AS facts
    WHERE cardinality(concerns) > 0
        AND (%(concern)s::text IS NULL OR %(concern)s = ANY (concerns)) """
)
_STATE = "(%(reviewed)s::boolean IS NULL OR (verdict IS NOT NULL) = %(reviewed)s)"
_COUNTS = over_period(
    "SELECT count(*) FILTER (WHERE "
    + _STATE
    + ") AS total, count(*) FILTER (WHERE verdict IS NULL) AS unreviewed"
    + _LISTED
)
_NEWEST = ("(asked_at, response_id) < (%(at)s, %(id)s)", "asked_at DESC, response_id DESC")
# An answer's id is random, so its order is that of a sample.
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


class UnknownAnswer(Exception):
    """There is no such answer, or not any more."""


class UnfitVerdict(Exception):
    """The verdict does not fit: one on a refusal over an answer, or the other way round."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of the list. None: all. `sample` gives the same queries in an order drawn by lot."""

    concern: Concern | None = None
    reviewed: bool | None = None
    order: Literal["newest", "sample"] = "newest"
    after: str | None = None
    """`ReviewPage.next` of the part before."""
    most: int = 50


async def read_review_list(
    database: Database, period: Period, wanted: Wanted | None = None
) -> ReviewPage:
    """One part of the list. ValueError for an `after` that no part has given."""
    wanted = wanted or Wanted()
    most = min(max(1, wanted.most), MOST_ITEMS)
    at, last = read_mark(wanted.after) if wanted.after else (None, None)
    given = period.parameters | {
        "concern": wanted.concern, "reviewed": wanted.reviewed,
        "at": at, "id": last, "most": most + 1,
    }  # fmt: skip
    listed = _listed(wanted)

    async def read(connection: Connection) -> tuple[Row, list[Any]]:
        counts = await (await connection.execute(_COUNTS.encode(), given)).fetchall()
        return counts[0], await (await connection.execute(listed.encode(), given)).fetchall()

    counts, rows = await database.run(read, seconds=SECONDS)
    more = rows[most - 1] if len(rows) > most else None
    return ReviewPage(
        items=tuple(_item_of(row) for row in rows[:most]),
        total=counts["total"],
        unreviewed=counts["unreviewed"],
        next=f"{more['asked_at'].isoformat()}_{more['response_id']}" if more else None,
    )


async def mark(
    database: Database, response_id: str, verdict: Verdict | None, note: str = ""
) -> None:
    """Say what a reviewer thinks of an answer; None takes it back. UnknownAnswer, UnfitVerdict."""
    rows = await database.call(
        "SELECT mark_response(%s::uuid, %s, %s) AS came",
        (response_id, verdict, storable_text(mask_personal_data(note))),
        seconds=SECONDS,
    )
    if rows[0]["came"] == "unknown":
        raise UnknownAnswer(response_id)
    if rows[0]["came"] == "unfit":
        raise UnfitVerdict(verdict)


def read_mark(text: str) -> tuple[datetime, str]:
    """Where a part of the list ended. ValueError."""
    moment, _, response_id = text.partition("_")
    return datetime.fromisoformat(moment), response_id


def _listed(wanted: Wanted) -> str:
    beyond, order = _NEWEST if wanted.order == "newest" else _SAMPLE
    conditions = [_STATE, *([beyond] if wanted.after else [])]
    chosen = " AND ".join(["", *conditions])
    return over_period(
        "WITH facts AS MATERIALIZED (SELECT *"
        + _LISTED
        + chosen
        + f" ORDER BY {order} LIMIT %(most)s)"
        + _DETAIL
        + " ORDER BY "
        + ", ".join(f"facts.{column}" for column in order.split(", "))
    )


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
