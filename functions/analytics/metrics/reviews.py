"""Verdicts on answers: reviewers' marks, golden questions made from them, and audits (SC-002)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from functions.adapters.postgres import analytics_reviews as reviews
from functions.adapters.postgres.analytics_audits import read_audit_rounds
from functions.adapters.postgres.analytics_query import Row
from functions.adapters.postgres.analytics_reviews import GoldenQuestion, Verdict
from functions.adapters.postgres.database import Database
from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.period import Period
from functions.runtime.privacy.personal_data import mask_personal_data


class NoSection(Exception):
    """Nothing tells which section answers the question: the reviewer has to name it."""


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
    """All golden questions as entries of `golden.yaml`, one per line, the oldest first."""
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


GROUNDING_TARGET = 0.95
"""SC-002."""


@dataclass(frozen=True, slots=True)
class AuditRound:
    """The verdicts on one day's sample. `by`: a person's, or the model's."""

    day: date
    by: Literal["human", "model"]
    answers: int
    grounded: Share
    relevant: Share


@dataclass(frozen=True, slots=True)
class Audits:
    """Are statements traceable to their sources (SC-002)? People's verdicts, and a model's."""

    period: Period
    target: float
    human: Share
    model: Share
    rounds: tuple[AuditRound, ...]


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
