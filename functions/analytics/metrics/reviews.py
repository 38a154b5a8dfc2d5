"""Reviewers' verdicts, and golden questions made from the review list."""

from __future__ import annotations

import json

from functions.adapters.postgres import analytics_reviews as reviews
from functions.adapters.postgres.analytics_query import Row
from functions.adapters.postgres.analytics_reviews import GoldenQuestion, Verdict
from functions.adapters.postgres.database import Database
from functions.runtime.privacy.personal_data import mask_personal_data


class NoSection(Exception):
    """Which section answers the question is not known: the reviewer has to name it."""


async def mark(
    database: Database, response_id: str, verdict: Verdict | None, note: str = ""
) -> None:
    """Store a reviewer's verdict on an answer; None removes it. UnknownAnswer, UnfitVerdict."""
    await reviews.mark_response(database, response_id, verdict, mask_personal_data(note))


async def keep_golden(database: Database, response_id: str, section: str = "") -> None:
    """Make the question of an answer a golden one.

    A refusal marked as good must be refused. Every other question must be answered from `section`;
    else from the section that the answer cites first, or the section of the best chunk.
    UnknownAnswer, NoSection.
    """
    answer = await reviews.read_answer_sources(database, response_id)
    refuse = answer["verdict"] == "good_refusal"
    section = "" if refuse else section.strip() or _section_of(answer)
    if not refuse and not section:
        raise NoSection(response_id)
    await reviews.save_golden(database, response_id, refuse, section)


async def write_golden(database: Database) -> str:
    """All golden questions as entries of `golden.yaml`, one a line, the oldest first."""
    return "".join(f"- {_entry(each)}\n" for each in await reviews.read_golden(database))


def _entry(golden: GoldenQuestion) -> str:
    # JSON is YAML, and quotes whatever a reader wrote.
    entry: dict[str, object] = {"question": golden.question}
    entry |= (
        {"refuse": True, "kind": "near-scope"} if golden.refuse else {"section": golden.section}
    )
    return json.dumps(entry, ensure_ascii=False)


def _section_of(answer: Row) -> str:
    for source in answer["sources"]:
        if source.get("kind") == "book" and source.get("source_path"):
            return _named(source["source_path"], source.get("url") or "")
    return _named(answer["source_path"], answer["url"] or "") if answer["source_path"] else ""


def _named(source_path: str, url: str) -> str:
    fragment = url.partition("#")[2]
    return f"{source_path}#{fragment}" if fragment else source_path
