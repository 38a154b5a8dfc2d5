"""From an answer to the response's pieces, and to what is recorded of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from functions.adapters.query_records import Begun
from functions.answer.answers import Answer, Citation
from functions.answer.context import Context, Mode
from functions.answer.prompts import PROMPT_VERSION
from functions.answer.refusals import BUDGET_SPENT, MODEL_DOWN
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
    begun: Begun, mode: Mode, session_id: str, response_id: str, sentence: str
) -> QueryResponse:
    """The reader's place in the queue."""
    ticket = begun.ticket or begun.query_id
    return QueryResponse(
        query_id=begun.query_id or ticket,
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
    return [
        ClaimBody(text=c.text, citations=list(c.citations), verification=c.verification)
        for c in answer.claims
    ]


def citation_bodies(citations: Sequence[Citation]) -> list[CitationBody]:
    bodies = []
    for citation in citations:
        fields = asdict(citation)
        quotes = [QuoteBody(**quote) for quote in fields.pop("quotes")]
        bodies.append(CitationBody(**fields, quote=quotes[0], quotes=quotes))
    return bodies


def refusal_body(answer: Answer, closest: Sequence[SectionLink]) -> RefusalBody | None:
    if answer.refusal is None:
        return None
    return RefusalBody(reason=answer.refusal, closest=list(closest))


def writer_notices(answer: Answer, begun: Begun) -> list[NoticeBody]:
    """What the reader should know of how the answer was written."""
    if answer.writer_failed:
        return [NoticeBody(code="model_down", text=MODEL_DOWN)]
    if begun.budget == "quotes" and answer.status != "refused":
        return [NoticeBody(code="budget_spent", text=BUDGET_SPENT)]
    return []


def metadata_of(answer: Answer, begun: Begun, timings: dict[str, float]) -> Metadata:
    usage = answer.draft.usage if answer.draft else None
    return Metadata(
        content_version=begun.content_version,
        model=usage.model if usage else "",
        prompt_version=PROMPT_VERSION if usage else "",
        confidence=round(answer.confidence, 4),
        limited_mode=answer.quotes_only and answer.status != "refused",
        timings_ms=timings | answer.timings_ms,
    )


def record_fields(answer: Answer, context: Context, model_asked: str) -> dict[str, Any]:
    """What a record keeps of an answer, enough to replay it (fields of QueryRecord)."""
    draft = answer.draft
    usage = draft.usage if draft else None
    chunks = [source.chunk for source in context.sources if source.chunk is not None]
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
        "retrieved_chunk_ids": [chunk.chunk_id for chunk in chunks],
        "chunk_hashes": [chunk.hash for chunk in chunks],
        "similarity_scores": [source.relevance for source in context.sources if source.chunk],
        "prompt_version": PROMPT_VERSION if usage else "",
        "model_asked": "" if answer.quotes_only else model_asked,
        "model_returned": usage.model if usage else "",
        "input_tokens": usage.input_tokens if usage else 0,
        "output_tokens": usage.output_tokens if usage else 0,
        "confidence": answer.confidence,
        "keyword_overlap_ratio": (
            round(sum(c.coverage for c in answer.checks) / len(answer.checks), 4)
            if answer.checks
            else None
        ),
        "validation_passed": (
            all(check.passed for check in answer.checks) if answer.checks else None
        ),
        "latency_validation_ms": answer.timings_ms.get("check"),
    }
