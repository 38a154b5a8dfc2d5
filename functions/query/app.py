"""The FastAPI app of `query`, free of Lambda."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Path, Query, Request
from pydantic import BaseModel

from functions.adapters.aws.secrets import secret
from functions.adapters.openai.embeddings import Embeddings
from functions.adapters.openai.spending import note_usage
from functions.adapters.postgres.database import Database, database_breaker
from functions.adapters.postgres.deferred_records import DeferredRecords
from functions.adapters.postgres.outline_records import OutlineRecords
from functions.adapters.postgres.query_records import QueryRecords
from functions.adapters.qdrant.chunk_search import ChunkSearch
from functions.adapters.reader.http_reader import reader_of
from functions.answer.answers import SectionLink
from functions.lifecycle.choose_writer import Writers
from functions.lifecycle.moderate import moderator_of
from functions.lifecycle.offline import LocalState
from functions.query.answer_query import BookAnswers
from functions.query.overviews.load import Overviews
from functions.query.requests import QueryRequest
from functions.query.retrieval.index_model import IndexModel
from functions.query.suggest import Suggestions
from functions.query.ticket_status import TicketResponse, read_ticket_state
from functions.runtime.settings import Settings
from functions.runtime.trace import note_question
from functions.web.app import FunctionInfo, create_app
from functions.web.caller import caller_of
from functions.web.errors import ApiError
from functions.web.fields import PageBody, clean
from functions.web.responses import QueryResponse
from functions.web.sessions import OPTIONAL_AUTH, Sessions, session_router


class SearchResponse(BaseModel):
    """Sections of the book, best first."""

    sections: list[SectionLink]


class SuggestionsResponse(BaseModel):
    """Questions that the book answers from a page or its glossary, in the page's order."""

    questions: list[str]


def build_answers(settings: Settings) -> BookAnswers:
    """Build the service from the settings. Nothing is called before the first question."""
    settings.require("database_url", "qdrant_url")
    key = secret(settings, "openai_api_key")
    database = Database(
        secret(settings, "database_url"),
        size=settings.database_pool_size,
        breaker=database_breaker(),
    )
    return BookAnswers(
        settings=settings,
        records=QueryRecords(database),
        embeddings=Embeddings(
            settings.embeddings_base_url,
            key or "embedded",
            settings.embedding_model,
            settings.embedding_dimensions,
            on_usage=note_usage,
        ),
        search=ChunkSearch(
            settings.qdrant_url,
            secret(settings, "qdrant_api_key") or None,
            settings.qdrant_collection,
            settings.search_seconds,
        ),
        writers=Writers.of(settings),
        index_model=IndexModel(settings),
        overviews=Overviews(OutlineRecords(database)),
        moderator=moderator_of(settings),
        reader=reader_of(settings),
        local_state=LocalState.of(settings, DeferredRecords(database)),
    )


def create(read: Callable[[], Settings]) -> FastAPI:
    """Create the app. `read` returns the settings; it is not called before the first request."""
    sessions = Sessions(read)
    router = APIRouter(dependencies=[Depends(sessions.check_request)])

    @cache
    def answers() -> BookAnswers:
        return build_answers(read())

    @cache
    def suggested() -> Suggestions:
        return Suggestions(answers())

    @router.post("/query", openapi_extra=OPTIONAL_AUTH)
    async def query(body: QueryRequest, request: Request) -> QueryResponse:
        """Ask the whole book, or a highlighted range of one page."""
        sessions.check_session(request, body.session_id)
        note_question(body.question, body.session_id)
        return await answers().answer(body, caller_of(request, read()))

    @router.get("/search", openapi_extra=OPTIONAL_AUTH)
    async def search(q: Annotated[str, Query(min_length=1, max_length=1000)]) -> SearchResponse:
        """The sections that match a question best, found without a model."""
        note_question(q, "")
        if not (words := clean(q).strip()):
            raise ApiError(422, "invalid_request", "q: must not be empty")
        return SearchResponse(sections=await answers().sections(words))

    @router.get("/suggestions", openapi_extra=OPTIONAL_AUTH)
    async def suggestions(page: Annotated[PageBody, Query()]) -> SuggestionsResponse:
        """At most three questions for a page, each answered without a model before it is shown."""
        return SuggestionsResponse(questions=list(await suggested().of(page)))

    @router.get("/tickets/{ticket_id}", openapi_extra=OPTIONAL_AUTH)
    async def ticket(ticket_id: Annotated[str, Path(max_length=200)]) -> TicketResponse:
        """The state of a waiting question. Polling keeps its place in the queue."""
        return await read_ticket_state(answers().records, answers().local_state, clean(ticket_id))

    info = FunctionInfo("query", read, lambda: answers().records)
    return create_app("Quoth: query", [router, session_router(sessions)], info)
