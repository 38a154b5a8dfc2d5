"""The FastAPI app of `selected`, free of Lambda and without access to the index."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from fastapi import APIRouter, Depends, FastAPI, Request

from functions.adapters.aws.secrets import secret
from functions.adapters.openai.embeddings import Embeddings
from functions.adapters.openai.spending import note_usage
from functions.adapters.postgres.database import Database, database_breaker
from functions.adapters.postgres.deferred_records import DeferredRecords
from functions.adapters.postgres.query_records import QueryRecords
from functions.adapters.reader.http_reader import reader_of
from functions.lifecycle.choose_writer import Writers
from functions.lifecycle.moderate import moderator_of
from functions.lifecycle.offline import LocalState
from functions.runtime.settings import Settings
from functions.runtime.trace import note_question
from functions.selected.answer_selection import SelectionAnswers
from functions.selected.requests import SelectedRequest
from functions.web.app import FunctionInfo, create_app
from functions.web.caller import caller_of
from functions.web.responses import SelectedResponse
from functions.web.sessions import OPTIONAL_AUTH, Sessions


def build_answers(settings: Settings) -> SelectionAnswers:
    """Build the service from the settings. Nothing is called before the first question."""
    settings.require("database_url")
    key = secret(settings, "openai_api_key")
    database = Database(
        secret(settings, "database_url"),
        size=settings.database_pool_size,
        breaker=database_breaker(),
    )
    return SelectionAnswers(
        settings=settings,
        records=QueryRecords(database),
        embeddings=Embeddings(
            settings.embeddings_base_url,
            key or "embedded",
            settings.embedding_model,
            settings.embedding_dimensions,
            on_usage=note_usage,
        ),
        writers=Writers.of(settings),
        moderator=moderator_of(settings),
        reader=reader_of(settings),
        local_state=LocalState.of(settings, DeferredRecords(database)),
    )


def create(read: Callable[[], Settings]) -> FastAPI:
    """Create the app. `read` returns the settings; it is not called before the first request."""
    sessions = Sessions(read)
    router = APIRouter(dependencies=[Depends(sessions.check_request)])

    @cache
    def answers() -> SelectionAnswers:
        return build_answers(read())

    @router.post("/query-selected-text", openapi_extra=OPTIONAL_AUTH)
    async def query_selected_text(body: SelectedRequest, request: Request) -> SelectedResponse:
        """Ask a selection, and nothing else."""
        sessions.check_session(request, body.session_id)
        note_question(body.question, body.session_id)
        return await answers().answer(body, caller_of(request, read()))

    info = FunctionInfo("selected", read, lambda: answers().records)
    return create_app("Quoth: selected text", [router], info)
