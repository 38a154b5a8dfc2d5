"""Verdicts on answers: reviewers' marks, golden questions made from them, and audits (SC-002)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
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
    """Are statements traceable to their sources (SC-002)? People's verdicts, and a model's.

    Samples hold more answers with a statement that the judge alone confirmed than readers got:
    shares of answers are weighted by what readers got.
    """

    period: Period
    target: float
    human: Share
    model: Share
    judge_alone_wrong: Share
    """Statements that the judge alone confirmed and people found untraceable."""
    others_wrong: Share
    """Other statements that people found untraceable."""
    rounds: tuple[AuditRound, ...]


async def read_audits(database: Database, period: Period) -> Audits:
    """The verdicts on answers of a period."""
    rows, answers = await read_audit_rounds(database, period)
    sizes = {True: answers["by_judge"], False: answers["answers"] - answers["by_judge"]}
    human, model = ([row for row in rows if row["by"] == by] for by in ("human", "model"))
    return Audits(
        period=period,
        target=GROUNDING_TARGET,
        human=_share(human, "grounded", "answers", sizes),
        model=_share(model, "grounded", "answers", sizes),
        judge_alone_wrong=_of_all(human, "paraphrases_wrong", "paraphrases"),
        others_wrong=_of_all(human, "others_wrong", "others"),
        rounds=tuple(
            AuditRound(
                day=day,
                by=by,
                answers=sum(row["answers"] for row in same),
                grounded=_share(same, "grounded", "answers", sizes),
                relevant=_share(same, "relevant", "judged", sizes),
            )
            for (day, by), same in _rounds(rows)
        ),
    )


def _rounds(
    rows: Iterable[Row],
) -> Iterator[tuple[tuple[date, Literal["human", "model"]], list[Row]]]:
    for key, same in groupby(rows, key=lambda row: (row["day"], row["by"])):
        yield key, list(same)


def _of_all(rows: Sequence[Row], count: str, of: str) -> Share:
    return Share.of_counts(sum(row[count] for row in rows), sum(row[of] for row in rows))


def _share(rows: Sequence[Row], count: str, of: str, sizes: Mapping[bool, int]) -> Share:
    """A share of answers, weighted by how many of each kind readers got."""
    kinds = {kind: [row for row in rows if row["by_judge"] is kind] for kind in sizes}
    return Share.of_strata(
        [
            (sum(row[count] for row in same), sum(row[of] for row in same), sizes[kind])
            for kind, same in kinds.items()
        ]
    )
