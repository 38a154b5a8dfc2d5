"""The HTTP side of `analytics`: readers' feedback, and whether the system is up."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import cache
from typing import Annotated, Literal

from fastapi import APIRouter, FastAPI
from pydantic import BaseModel, ConfigDict, StringConstraints

from functions.adapters.database import Database, DatabaseUnavailable
from functions.adapters.query_records import QueryRecords
from functions.adapters.secrets import secret
from functions.settings import Settings
from functions.web.app import create_app
from functions.web.errors import ApiError
from functions.web.requests import Clean, ShortText

FEEDBACK_SECONDS = 5.0


class FeedbackRequest(BaseModel):
    """A reader's verdict on one answer. A later one of the same session replaces it."""

    model_config = ConfigDict(extra="ignore")

    response_id: uuid.UUID
    session_id: ShortText = ""
    rating: Literal["helpful", "not_helpful"]
    reason: ShortText | None = None
    comment: Annotated[str, StringConstraints(max_length=2000), Clean] | None = None


class FeedbackResponse(BaseModel):
    """What was stored."""

    response_id: uuid.UUID
    rating: Literal["helpful", "not_helpful"]


class HealthResponse(BaseModel):
    """The function runs. The database is not asked: it may sleep, and asking would wake it."""

    status: Literal["ok"] = "ok"


def build_records(settings: Settings) -> QueryRecords:
    """Connect the parts. Nothing is called before the first feedback."""
    settings.require("database_url")
    dsn = secret(settings, "database_url")
    return QueryRecords(Database(dsn, size=settings.database_pool_size))


def create(read: Callable[[], Settings]) -> FastAPI:
    """The app. `read` gives the settings at the first request, not before."""
    router = APIRouter()

    @cache
    def records() -> QueryRecords:
        return build_records(read())

    @router.post("/feedback")
    async def feedback(body: FeedbackRequest) -> FeedbackResponse:
        """Say whether an answer helped."""
        try:
            known = await records().feedback(
                str(body.response_id),
                body.session_id,
                body.rating,
                body.reason or None,
                body.comment or None,
                seconds=FEEDBACK_SECONDS,
            )
        except DatabaseUnavailable as error:
            message = "Feedback cannot be stored right now. Please try again."
            raise ApiError(503, "feedback_unavailable", message, {"Retry-After": "30"}) from error
        if not known:
            raise ApiError(404, "unknown_response", "There is no such answer.")
        return FeedbackResponse(response_id=body.response_id, rating=body.rating)

    @router.get("/health")
    async def health() -> HealthResponse:
        """Whether the function runs."""
        return HealthResponse()

    return create_app("Quoth: analytics", [router])
