"""From an answer to the response's pieces, and to what is recorded of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from functions.adapters.openai.spending import Spending
from functions.adapters.postgres.query_records import Begun
from functions.answer.answers import Answer, Citation
from functions.answer.check.overlap import checked_fields
from functions.answer.context import Context, Mode
from functions.answer.refusals import BUDGET_SPENT, MODEL_DOWN, MORE_THAN_QUOTES
from functions.answer.write.prompts import PROMPT_VERSION
from functions.web.responses import (
    CitationBody,
    ClaimBody,
    Metadata,
    NoticeBody,
    QueryResponse,
    QuoteBody,
    RefusalBody,
    SectionLink,
    TicketBody,
)


def queued_response(
    begun: Begun, mode: Mode, session_id: str, response_id: str, sentence: str, ticket: str
) -> QueryResponse:
    """The reader's place in the queue. `ticket` is the signed one."""
    return QueryResponse(
        query_id=begun.query_id,
        response_id=response_id,
        status="queued",
        mode=mode,
        response=sentence,
        ticket=TicketBody(
            id=ticket,
            position=begun.position,
            eta_s=begun.eta_s,
            poll_after_ms=begun.poll_after_ms or 1000,
        ),
        session_id=session_id,
    )


def claim_bodies(answer: Answer) -> list[ClaimBody]:
    """The claims that passed, as readers get them."""
    return [
        ClaimBody(text=c.text, citations=list(c.citations), verification=c.verification)
        for c in answer.claims
    ]


def citation_bodies(citations: Sequence[Citation]) -> list[CitationBody]:
    """Citations as readers get them; `quote` is the first of `quotes`."""
    bodies = []
    for citation in citations:
        # asdict would copy every value, which takes longer than all else here.
        given = {each.name: getattr(citation, each.name) for each in fields(citation)}
        quotes = [
            QuoteBody(exact=each.exact, prefix=each.prefix, suffix=each.suffix)
            for each in citation.quotes
        ]
        bodies.append(CitationBody(**given | {"quote": quotes[0], "quotes": quotes}))
    return bodies


def refusal_body(answer: Answer, closest: Sequence[SectionLink]) -> RefusalBody | None:
    """Why the answer is a refusal; None when it is none."""
    if answer.refusal is None:
        return None
    return RefusalBody(reason=answer.refusal, closest=list(closest))


def writer_notices(answer: Answer, begun: Begun) -> list[NoticeBody]:
    """What the reader should know of how the answer was written."""
    notices = []
    if answer.writer_failed:
        notices.append(NoticeBody(code="model_down", text=MODEL_DOWN))
    elif begun.budget == "quotes" and answer.status != "refused":
        notices.append(NoticeBody(code="budget_spent", text=BUDGET_SPENT))
    if answer.quotes_only and answer.status == "partial":
        notices.append(NoticeBody(code="more_than_quotes", text=MORE_THAN_QUOTES))
    return notices


def metadata_of(answer: Answer, begun: Begun, timings: dict[str, float]) -> Metadata:
    """How the answer came about. `timings` are milliseconds of the steps around the chain."""
    usage = answer.draft.usage if answer.draft else None
    return Metadata(
        content_version=begun.content_version,
        model=usage.model if usage else "",
        prompt_version=PROMPT_VERSION if usage else "",
        confidence=round(answer.confidence, 4),
        limited_mode=answer.quotes_only and answer.status != "refused",
        blocks_outside=answer.blocks_outside,
        timings_ms=timings | answer.timings_ms,
    )


def spent_fields(spending: Spending) -> dict[str, Any]:
    """What a record keeps of the model calls (fields of QueryRecord)."""
    return {
        "input_tokens": spending.input_tokens,
        "output_tokens": spending.output_tokens,
        "cost_usd": spending.dollars,
    }


def record_fields(answer: Answer, context: Context, model_asked: str) -> dict[str, Any]:
    """What a record keeps of an answer, enough to replay it (fields of QueryRecord)."""
    draft = answer.draft
    usage = draft.usage if draft else None
    chunks = [each for source in context.sources for each in source.chunks]
    return {
        "status": answer.status,
        "refusal_reason": answer.refusal,
        "generated_response": answer.text,
        "claims": [body.model_dump() for body in claim_bodies(answer)],
        "source_references": [body.model_dump() for body in citation_bodies(answer.citations)],
        "limited_mode": answer.quotes_only,
        "raw_output": draft.raw if draft and draft.raw else None,
        "checks": [
            {
                "text": check.claim.text,
                "sentence_ids": list(check.claim.sentence_ids),
                "failed": list(check.failed),
                "coverage": round(check.coverage, 4),
            }
            for check in answer.checks
        ],
        "retrieved_chunk_ids": [chunk.chunk_id for chunk, _ in chunks],
        "chunk_hashes": [chunk.hash for chunk, _ in chunks],
        "similarity_scores": [relevance for _, relevance in chunks],
        "prompt_version": PROMPT_VERSION if usage else "",
        "model_asked": "" if answer.quotes_only else model_asked,
        "model_returned": usage.model if usage else "",
        "confidence": answer.confidence,
        **checked_fields(answer, context),
        "latency_validation_ms": answer.timings_ms.get("check"),
    }
