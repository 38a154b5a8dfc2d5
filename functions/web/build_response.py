"""Builds the response body of a route from a `Reply`, with a sentence for each code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil
from typing import Any

from functions.answer.refusals import REFUSALS, UNAVAILABLE
from functions.lifecycle.reply import Notice, NoticeCode, Reply
from functions.runtime.plural import plural
from functions.web.responses import (
    Metadata,
    NoticeBody,
    QueryResponse,
    RefusalBody,
    SelectedResponse,
    SelectionSource,
    VerifiedSource,
)
from functions.web.sentences import (
    ASKED_BEFORE,
    BUDGET_SPENT,
    DIFFERING_VIEWS,
    DRAFT_REJECTED,
    KEYWORD_SEARCH,
    MODEL_DOWN,
    MORE_THAN_QUOTES,
    NEEDS_MODEL,
    PART_SHOWN,
    QUEUED,
    SELECTION_CUT,
    UPDATED,
    VECTORS_DOWN,
)

NOTICES: dict[NoticeCode, str] = {
    "asked_before": ASKED_BEFORE,
    "budget_spent": BUDGET_SPENT,
    "content_updated": UPDATED,
    "differing_views": DIFFERING_VIEWS,
    "draft_rejected": DRAFT_REJECTED,
    "keyword_search": KEYWORD_SEARCH,
    "model_down": MODEL_DOWN,
    "more_than_quotes": MORE_THAN_QUOTES,
    "needs_model": NEEDS_MODEL,
    "part_shown": PART_SHOWN,
    "vectors_down": VECTORS_DOWN,
}


def query_response(reply: Reply) -> QueryResponse:
    """The response of `POST /query`."""
    return QueryResponse(**_fields(reply))


def selected_response(reply: Reply) -> SelectedResponse:
    """The response of `POST /query-selected-text`."""
    reading = reply.selection
    place = reading.source if reading else None
    is_answered = reply.status in ("answered", "partial")
    return SelectedResponse(
        **_fields(reply),
        in_selected_text=is_answered,
        try_mode="book-wide" if reading and not is_answered else None,
        sources=[SelectionSource(excerpt=reading.excerpt)] if reading else [],
        truncation_warning=SELECTION_CUT if reading and reading.was_cut else None,
        verified_source=(
            VerifiedSource(
                source_path=place.source_path,
                lines=(place.first_line, place.last_line),
                content_version=place.content_version,
            )
            if place
            else None
        ),
    )


def repeated_response(cached: Mapping[str, Any], reply: Reply) -> QueryResponse:
    """A cached response with the ids and notices of this reply."""
    response = QueryResponse.model_validate(cached)
    return response.model_copy(
        update={
            "query_id": reply.query_id,
            "response_id": reply.response_id,
            "session_id": reply.session_id,
            "notices": [*response.notices, *notice_bodies(reply.notices)],
            "related": response.related or list(reply.related),
        }
    )


def notice_bodies(notices: Iterable[Notice]) -> list[NoticeBody]:
    """The notices with their sentences."""
    return [
        NoticeBody(code=notice.code, text=NOTICES[notice.code].format(**notice.values))
        for notice in notices
    ]


def _fields(reply: Reply) -> dict[str, Any]:
    refusal = reply.refusal
    return {
        "query_id": reply.query_id,
        "response_id": reply.response_id,
        "session_id": reply.session_id,
        "status": reply.status,
        "mode": reply.mode,
        "response": reply.text or _sentence(reply),
        "claims": reply.claims,
        "citations": reply.citations,
        "refusal": RefusalBody(reason=refusal, closest=list(reply.closest)) if refusal else None,
        "related": reply.related,
        "clarify": reply.clarify,
        "notices": notice_bodies(reply.notices),
        "ticket": reply.ticket,
        "metadata": Metadata(**reply.metadata),
    }


def _sentence(reply: Reply) -> str:
    if reply.refusal is not None:
        return REFUSALS[reply.refusal]
    if reply.status == "queued" and reply.ticket is not None:
        return QUEUED.format(
            position=reply.ticket.position, wait=plural(ceil(reply.ticket.eta_s), "second")
        )
    return UNAVAILABLE if reply.status == "deferred" else ""
