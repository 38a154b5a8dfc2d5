"""The reply to a question, in codes; `web.build_response` turns it into sentences and JSON."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from functions.adapters.openai.spending import Spending
from functions.adapters.postgres.admission import Begun
from functions.adapters.postgres.query_records import VerifiedSource
from functions.answer.answers import Answer, Citation, Claim, SectionLink
from functions.answer.context import Context, Mode
from functions.answer.overlap import checked_fields
from functions.answer.refusals import RefusalReason
from functions.answer.selection_task import WHOLE, Task
from functions.answer.write.prompts import PROMPT_VERSION

NoticeCode = Literal[
    "asked_before",
    "budget_spent",
    "content_updated",
    "differing_views",
    "draft_rejected",
    "keyword_search",
    "model_down",
    "more_than_quotes",
    "needs_model",
    "part_shown",
    "vectors_down",
]


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice about an answer, by its code; `values` fill in the code's sentence."""

    code: NoticeCode
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QueueTicket:
    """A place in the queue. `eta_s` is in seconds, `poll_after_ms` in milliseconds."""

    id: str
    position: int
    eta_s: float
    poll_after_ms: int


@dataclass(frozen=True, slots=True)
class SelectionReading:
    """A selection as it was read: its excerpt, whether it was truncated, its place in the book."""

    excerpt: str
    was_cut: bool = False
    source: VerifiedSource | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer, a refusal, or a ticket.

    `text` is empty where the sentence follows from the status or the refusal's reason. `metadata`
    holds fields of the response's metadata.
    """

    query_id: str
    response_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    session_id: str
    mode: Mode
    status: Literal["answered", "partial", "refused", "queued", "deferred"] = "refused"
    text: str = ""
    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()
    refusal: RefusalReason | None = None
    closest: tuple[SectionLink, ...] = ()
    related: tuple[SectionLink, ...] = ()
    clarify: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    ticket: QueueTicket | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    selection: SelectionReading | None = None


def answered(reply: Reply, answer: Answer, begun: Begun, timings: Mapping[str, float]) -> Reply:
    """The reply with the chain's answer. `timings` are milliseconds of steps around the chain."""
    usage = answer.draft.usage if answer.draft else None
    return replace(
        reply,
        status=answer.status,
        text=answer.text,
        claims=answer.claims,
        citations=answer.citations,
        refusal=answer.refusal,
        notices=writer_notices(answer, begun),
        metadata={
            "content_version": begun.content_version,
            "model": usage.model if usage else "",
            "prompt_version": PROMPT_VERSION if usage else "",
            "confidence": round(answer.confidence, 4),
            "limited_mode": answer.quotes_only
            and (answer.status != "refused" or answer.writer_failed),
            "blocks_outside": answer.blocks_outside,
            "timings_ms": {**timings, **answer.timings_ms},
        },
    )


def writer_notices(answer: Answer, begun: Begun) -> tuple[Notice, ...]:
    """Notices about how the answer was written."""
    codes: list[NoticeCode] = []
    if answer.writer_failed:
        codes.append("model_down")
    elif answer.draft_rejected and answer.status != "refused":
        codes.append("draft_rejected")
    elif begun.budget == "quotes" and answer.status != "refused":
        codes.append("budget_spent")
    if answer.needs_more:
        codes.append("more_than_quotes")
    return (*map(Notice, codes), *_part_notices(answer))


def _part_notices(answer: Answer) -> tuple[Notice, ...]:
    """Says once that a list, a table or code is not shown whole; one item or row is not meant to
    be."""
    for part in (part for claim in answer.claims for part in claim.parts if part.of):
        shown = len(part.items or part.rows)
        if part.form == "code" or shown > 1:
            entries = f"{shown} of {part.of} {'items' if part.items else 'rows'}"
            what = "a part of the code" if part.form == "code" else entries
            return (Notice("part_shown", {"what": what}),)
    return ()


def task_notices(task: Task | None, answer: Answer | None) -> tuple[Notice, ...]:
    """What quotes leave out of a task of a selection as a whole."""
    quoted = answer is not None and answer.quotes_only and bool(answer.claims)
    return (Notice("needs_model"),) if task in WHOLE and quoted else ()


def answer_fields(answer: Answer, context: Context, model_asked: str) -> dict[str, Any]:
    """The QueryRecord fields of an answer that are not in the response, for replays.

    `similarity_scores` are cosines with the question: one a chunk, the most relevant chunk first,
    and None where no vector was compared; of a selection, one a sentence.
    """
    draft = answer.draft
    usage = draft.usage if draft else None
    ranked = [each for source in context.sources for each in source.chunks]
    chunks = [chunk for chunk, _ in sorted(ranked, key=lambda each: -each[1])]
    return {
        "raw_output": draft.raw if draft and draft.raw else None,
        "checks": [
            {
                "text": check.claim.text,
                "sentence_ids": list(check.claim.sentence_ids),
                "proof": check.proof,
                "confirmed": check.confirmed,
                "failed": list(check.objections),
                "quoted": at in answer.quoted,
            }
            for at, check in enumerate(answer.checks)
        ],
        "retrieved_chunk_ids": [chunk.chunk_id for chunk in chunks],
        "chunk_hashes": [chunk.hash for chunk in chunks],
        "similarity_scores": [
            *(context.cosines.get(chunk.chunk_id) for chunk in chunks),
            *(each.similarity for each in context.sentences if each.similarity is not None),
        ],
        "prompt_version": PROMPT_VERSION if usage else "",
        "model_asked": "" if answer.quotes_only else model_asked,
        "model_returned": usage.model if usage else "",
        "confidence": answer.confidence,
        **checked_fields(answer, context),
        "latency_validation_ms": answer.timings_ms.get("check"),
    }


def spending_fields(spending: Spending) -> dict[str, Any]:
    """The QueryRecord fields with the cost of the model calls."""
    return {
        "input_tokens": spending.input_tokens,
        "output_tokens": spending.output_tokens,
        "cost_usd": spending.dollars,
    }
