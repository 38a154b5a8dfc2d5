"""A question that is not fit to be answered: found before anything is looked up, recorded for
review, and answered with one sentence. Both query routes use it."""

from __future__ import annotations

import time

from functions.adapters.aws.secrets import secret
from functions.adapters.openai.moderation import Moderator
from functions.adapters.postgres.query_records import Begun, QueryRecord
from functions.answer.context import Mode
from functions.answer.deadline import Deadline
from functions.answer.moderation.misconduct import Misconduct
from functions.answer.refusals import INAPPROPRIATE
from functions.runtime.settings import Settings
from functions.web.fields import Asked
from functions.web.responses import Metadata, QueryResponse, RefusalBody


def moderator_of(settings: Settings) -> Moderator | None:
    """The service beside the rules, where there is a key for it."""
    key = secret(settings, "openai_api_key")
    if not key or not settings.moderation_model:
        return None
    return Moderator(
        settings.openai_base_url, key, settings.moderation_model, settings.moderation_seconds
    )


async def moderate(
    moderator: Moderator | None, question: str, deadline: Deadline
) -> Misconduct | None:
    """What the moderation service objects to, if one is set up. The rules come before it."""
    if moderator is None:
        return None
    flagged = await moderator.flags(question, deadline.left())
    return Misconduct(", ".join(flagged), "moderation") if flagged else None


def refuse_misconduct(begun: Begun, mode: Mode, session_id: str, response_id: str) -> QueryResponse:
    """The refusal, without a link or a hint of what was found."""
    return QueryResponse(
        query_id=begun.query_id,
        response_id=response_id,
        status="refused",
        mode=mode,
        response=INAPPROPRIATE,
        refusal=RefusalBody(reason="inappropriate"),
        metadata=Metadata(content_version=begun.content_version),
        session_id=session_id,
    )


def record_misconduct(
    found: Misconduct,
    asked: Asked,
    begun: Begun,
    response: QueryResponse,
    question_key: str,
    started: float,
) -> QueryRecord:
    """What is kept for review: the question, and what in it counted. `started` is a moment on the
    performance counter."""
    return QueryRecord(
        query_id=response.query_id,
        response_id=response.response_id,
        mode=response.mode,
        session_id=asked.session_id,
        user_id=asked.user_id,
        question=asked.question,
        question_hash=question_key,
        content_version=begun.content_version,
        status=response.status,
        refusal_reason="inappropriate",
        generated_response=response.response,
        checks=[
            {"text": found.term, "sentence_ids": [], "failed": [f"conduct: {found.reason}"],
             "coverage": 0.0}
        ],
        body=response.model_dump(mode="json"),
        response_latency_ms=round((time.perf_counter() - started) * 1000, 2),
    )  # fmt: skip
