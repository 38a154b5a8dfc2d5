"""The HTTP side of `selected`: a FastAPI app with no Lambda in it, and no way to the index."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from fastapi import APIRouter, FastAPI, Request

from functions.adapters.database import Database
from functions.adapters.embeddings import Embeddings
from functions.adapters.model import ModelWriter
from functions.adapters.query_records import QueryRecords
from functions.adapters.secrets import secret
from functions.selected.answering import SelectionAnswers
from functions.selected.requests import SelectedRequest
from functions.settings import Settings
from functions.web.app import create_app
from functions.web.exchange import Caller
from functions.web.responses import SelectedResponse


def build_answers(settings: Settings) -> SelectionAnswers:
    """Connect the parts. Nothing is called before the first question."""
    settings.require("database_url")
    key = secret(settings, "openai_api_key")
    return SelectionAnswers(
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
    def answers() -> SelectionAnswers:
        return build_answers(read())

    @router.post("/query-selected-text")
    async def query_selected_text(body: SelectedRequest, request: Request) -> SelectedResponse:
        """Ask the selection, and nothing else."""
        return await answers().answer(body, Caller.of(request))

    return create_app("Quoth: selected text", [router])
