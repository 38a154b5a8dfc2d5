"""The HTTP side of `query`: a FastAPI app with no Lambda in it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import cache
from typing import Annotated

from fastapi import APIRouter, FastAPI, Query, Request
from pydantic import BaseModel

from functions.adapters.chunk_search import ChunkSearch
from functions.adapters.database import Database, DatabaseRejected, DatabaseUnavailable
from functions.adapters.embeddings import Embeddings
from functions.adapters.model import ModelWriter
from functions.adapters.query_records import Begun, QueryRecords
from functions.adapters.secrets import secret
from functions.answer.refusals import QUEUED
from functions.query.answering import BookAnswers
from functions.query.requests import QueryRequest
from functions.settings import Settings
from functions.web.app import create_app
from functions.web.errors import ApiError
from functions.web.exchange import Caller
from functions.web.requests import clean
from functions.web.responses import QueryResponse, SectionLink

TICKET_SECONDS = 3.0


class SearchResponse(BaseModel):
    """Sections of the book, best first."""

    sections: list[SectionLink]


class TicketResponse(BaseModel):
    """Where a queued question stands: queued, run (send it again), done, expired."""

    status: str
    position: int = 0
    eta_s: float = 0
    poll_after_ms: int = 0
    sentence: str = ""
    answer: QueryResponse | None = None


def build_answers(settings: Settings) -> BookAnswers:
    """Connect the parts. Nothing is called before the first question."""
    settings.require("database_url", "qdrant_url")
    key = secret(settings, "openai_api_key")
    return BookAnswers(
        settings=settings,
        records=QueryRecords(
            Database(secret(settings, "database_url"), size=settings.database_pool_size)
        ),
        embeddings=Embeddings(
            settings.embeddings_base_url,
            key or "embedded",
            settings.embedding_model,
            settings.embedding_dimensions,
        ),
        search=ChunkSearch(
            settings.qdrant_url,
            secret(settings, "qdrant_api_key") or None,
            settings.qdrant_collection,
            settings.search_seconds,
        ),
        writer=(
            ModelWriter(
                settings.openai_base_url, key, settings.model, effort=settings.model_effort or None
            )
            if key
            else None
        ),
    )


def create(read: Callable[[], Settings]) -> FastAPI:
    """The app. `read` gives the settings at the first request, not before."""
    router = APIRouter()

    @cache
    def answers() -> BookAnswers:
        return build_answers(read())

    @router.post("/query")
    async def query(body: QueryRequest, request: Request) -> QueryResponse:
        """Ask the whole book."""
        return await answers().answer(body, Caller.of(request))

    @router.get("/search")
    async def search(q: Annotated[str, Query(min_length=1, max_length=1000)]) -> SearchResponse:
        """The sections that fit a question best, without a model."""
        if not (words := clean(q).strip()):
            raise ApiError(422, "invalid_request", "q: must not be empty")
        return SearchResponse(sections=await answers().sections(words))

    @router.get("/tickets/{ticket_id}")
    async def ticket(ticket_id: uuid.UUID) -> TicketResponse:
        """Where a queued question stands. Asking keeps its place."""
        try:
            state = await answers().records.ticket(str(ticket_id), seconds=TICKET_SECONDS)
        except (DatabaseUnavailable, DatabaseRejected) as error:
            message = "The queue cannot be read right now. Please try again."
            raise ApiError(503, "queue_unavailable", message, {"Retry-After": "5"}) from error
        return _ticket_response(state)

    return create_app("Quoth: query", [router])


def _ticket_response(state: Begun) -> TicketResponse:
    return TicketResponse(
        status="queued" if state.verdict == "running" else state.verdict,
        position=state.position,
        eta_s=state.eta_s,
        poll_after_ms=state.poll_after_ms or 1000,
        sentence=(
            QUEUED.format(position=state.position, eta_s=state.eta_s)
            if state.verdict == "queued"
            else ""
        ),
        answer=QueryResponse.model_validate(state.done) if state.done else None,
    )
