"""The routes open to readers: feedback and health."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import cache
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, FastAPI, Request
from pydantic import BaseModel, ConfigDict, StringConstraints

from functions.adapters.aws.secrets import secret
from functions.adapters.postgres.database import (
    Database,
    DatabaseUnavailable,
    database_breaker,
)
from functions.adapters.postgres.query_records import QueryRecords
from functions.runtime.settings import Settings
from functions.web.app import FunctionInfo, create_app
from functions.web.errors import ApiError
from functions.web.fields import Clean, SessionId, ShortText, at_most
from functions.web.sessions import OPTIONAL_AUTH, Sessions, signed_user

FEEDBACK_SECONDS = 2.5


class FeedbackRequest(BaseModel):
    """A reader's rating of one of the reader's answers. A later one replaces it."""

    model_config = ConfigDict(extra="ignore")

    response_id: uuid.UUID
    session_id: SessionId
    rating: Literal["helpful", "not_helpful"]
    reason: ShortText | None = None
    comment: Annotated[str, StringConstraints(max_length=2000), Clean, at_most(2000)] | None = None


class FeedbackResponse(BaseModel):
    """What was stored."""

    response_id: uuid.UUID
    rating: Literal["helpful", "not_helpful"]


class HealthResponse(BaseModel):
    """The function runs. The database is not asked: it may sleep, and asking would wake it."""

    status: Literal["ok"] = "ok"


def build_database(settings: Settings) -> Database:
    """The database of the settings, connected at the first query."""
    settings.require("database_url")
    return Database(
        secret(settings, "database_url"),
        size=settings.database_pool_size,
        breaker=database_breaker(),
    )


def create_feedback(read: Callable[[], Settings]) -> FastAPI:
    """The app with readers' routes only. `read` is called at the first request."""

    @cache
    def database() -> Database:
        return build_database(read())

    routes = feedback_routes(read, database)
    return create_app("Quoth: feedback", [routes], analytics_room(read, database))


def analytics_room(read: Callable[[], Settings], database: Callable[[], Database]) -> FunctionInfo:
    """This function's name, settings and records, for the app factory."""
    return FunctionInfo("analytics", read, lambda: QueryRecords(database()))


def feedback_routes(read: Callable[[], Settings], database: Callable[[], Database]) -> APIRouter:
    """The routes that need no sign-in."""
    router = APIRouter()
    sessions = Sessions(read)

    @router.post(
        "/feedback",
        dependencies=[Depends(sessions.check_request)],
        openapi_extra=OPTIONAL_AUTH,
    )
    async def feedback(body: FeedbackRequest, request: Request) -> FeedbackResponse:
        """Say whether an answer helped."""
        sessions.check_session(request, body.session_id)
        try:
            known = await QueryRecords(database()).feedback(
                str(body.response_id),
                body.session_id,
                signed_user(request),
                body.rating,
                body.reason or None,
                body.comment or None,
                seconds=FEEDBACK_SECONDS,
            )
        except DatabaseUnavailable as error:
            message = "Feedback cannot be stored right now. Please try again."
            raise ApiError(503, "feedback_unavailable", message, {"Retry-After": "30"}) from error
        if not known:
            raise ApiError(404, "unknown_response", "There is no such answer of yours.")
        return FeedbackResponse(response_id=body.response_id, rating=body.rating)

    @router.get("/health")
    async def health() -> HealthResponse:
        """Whether the function runs."""
        return HealthResponse()

    return router
