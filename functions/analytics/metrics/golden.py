"""Golden questions made of what readers asked, by one click in the review list."""

from __future__ import annotations

import json
from typing import Any

from functions.adapters.postgres.database import Database
from functions.adapters.postgres.storable import storable_text
from functions.analytics.metrics.review_list import UnknownAnswer

SECONDS = 5.0

_KNOWN = """
    SELECT given.status, reviews.verdict, given.source_references AS sources,
        best.body ->> 'source_path' AS source_path, best.body ->> 'url' AS url
    FROM responses AS given
    JOIN queries AS asked USING (query_id)
    LEFT JOIN reviews ON reviews.response_id = given.response_id
    LEFT JOIN chunks AS best ON best.id = asked.retrieved_chunk_ids[1]
    WHERE given.response_id = %s::uuid
"""


class NoSection(Exception):
    """Nothing tells which section answers the question: the reviewer has to name one."""


async def keep_golden(database: Database, response_id: str, section: str = "") -> None:
    """Make the question of an answer a golden one.

    A refusal marked as good must be refused. Every other question must be answered from `section`;
    else from the section the answer cites first, or where the search found its best chunk.
    UnknownAnswer, NoSection.
    """
    rows = await database.call(_KNOWN, (response_id,), seconds=SECONDS)
    if not rows:
        raise UnknownAnswer(response_id)
    refuse = rows[0]["verdict"] == "good_refusal"
    section = "" if refuse else section.strip() or _section_of(rows[0])
    if not refuse and not section:
        raise NoSection(response_id)
    await database.call(
        "SELECT keep_golden(%s::uuid, %s, %s)",
        (response_id, refuse, storable_text(section)),
        seconds=SECONDS,
    )


async def drop_golden(database: Database, response_id: str) -> None:
    """Take a golden question back. UnknownAnswer."""
    rows = await database.call(
        "SELECT drop_golden(%s::uuid) AS dropped", (response_id,), seconds=SECONDS
    )
    if not rows[0]["dropped"]:
        raise UnknownAnswer(response_id)


async def write_golden(database: Database) -> str:
    """All of them as entries of `golden.yaml`, one a line, the oldest first."""
    rows = await database.call(
        "SELECT question, refuse, section FROM golden_questions ORDER BY made_at, response_id",
        (),
        seconds=SECONDS,
    )
    return "".join(f"- {_entry(row)}\n" for row in rows)


def _entry(row: Any) -> str:
    # JSON is YAML, and quotes whatever a reader wrote.
    asked = {"question": row["question"]}
    if row["refuse"]:
        return json.dumps(asked | {"refuse": True, "kind": "near-scope"}, ensure_ascii=False)
    return json.dumps(asked | {"section": row["section"]}, ensure_ascii=False)


def _section_of(row: Any) -> str:
    for source in row["sources"]:
        if source.get("kind") == "book" and source.get("source_path"):
            return _named(source["source_path"], source.get("url") or "")
    return _named(row["source_path"], row["url"] or "") if row["source_path"] else ""


def _named(source_path: str, url: str) -> str:
    fragment = url.partition("#")[2]
    return f"{source_path}#{fragment}" if fragment else source_path
