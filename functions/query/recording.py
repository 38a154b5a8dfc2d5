"""What is kept of a question as it was asked."""

from __future__ import annotations

from typing import Any

from functions.adapters.postgres.query_records import Begun
from functions.query.requests import QueryRequest
from functions.web.responses import QueryResponse


def asked_fields(
    asked: QueryRequest, begun: Begun, response: QueryResponse, question_key: str
) -> dict[str, Any]:
    """What a record keeps of the question and the response as sent."""
    return {
        "query_id": begun.query_id,
        "response_id": response.response_id,
        "mode": asked.answered_mode,
        "session_id": asked.session_id,
        "user_id": asked.user_id,
        "question": asked.question,
        "question_hash": question_key,
        "rewritten_question": response.metadata.rewritten_question,
        "selected_text": asked.selected_text,
        "page": asked.page.as_record() if asked.page else None,
        "chapter_context": (asked.chapter_context.model_dump() if asked.chapter_context else None),
        "highlight": asked.highlight.model_dump() if asked.highlight else None,
        "content_version": begun.content_version,
        "repeated": begun.repeated,
        "notices": [notice.code for notice in response.notices],
        "body": response.model_dump(mode="json"),
    }
