"""MiniLM behind the part of OpenAI's API that Quoth uses, so one adapter serves both."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from quoth.embeddings.minilm import DIMENSIONS, NAME, MiniLM

MOST_TEXTS = 2048

Text = Annotated[str, StringConstraints(min_length=1)]


class EmbeddingsRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    model: str
    input: Text | Annotated[list[Text], Field(min_length=1, max_length=MOST_TEXTS)]
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None
    user: str | None = None


def create_app(model: MiniLM | None = None) -> Starlette:
    """The server. Loads the model unless given one. Raises ModelFilesMissing."""
    encoder = model or MiniLM()

    async def embed(request: Request) -> Response:
        try:
            asked = EmbeddingsRequest.model_validate_json(await request.body())
        except ValidationError as error:
            first = error.errors()[0]
            param = str(first["loc"][0]) if first["loc"] else None
            return _refuse(400, f"Invalid {param or 'body'}: {first['msg']}.", param)
        if asked.model != NAME:
            message = f"This server has no model {asked.model!r}, only {NAME!r}."
            return _refuse(404, message, "model", "model_not_found")
        if asked.dimensions not in (None, DIMENSIONS):
            return _refuse(400, f"{NAME} has {DIMENSIONS} dimensions.", "dimensions")
        texts = [asked.input] if isinstance(asked.input, str) else asked.input
        return JSONResponse(await run_in_threadpool(_answer, encoder, texts, asked.encoding_format))

    async def list_models(request: Request) -> Response:
        model = {"id": NAME, "object": "model", "created": 0, "owned_by": "quoth"}
        return JSONResponse({"object": "list", "data": [model]})

    async def report_health(request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        if model is None:
            encoder.close()

    return Starlette(
        routes=[
            Route("/v1/embeddings", embed, methods=["POST"]),
            Route("/v1/models", list_models),
            Route("/healthz", report_health),
        ],
        lifespan=lifespan,
    )


def _answer(encoder: MiniLM, texts: list[str], encoding: str) -> dict[str, Any]:
    vectors = encoder.encode(texts)
    tokens = encoder.count_tokens(texts)
    rows = [
        {
            "object": "embedding",
            "index": at,
            "embedding": base64.b64encode(vector.astype("<f4").tobytes()).decode()
            if encoding == "base64"
            else vector.tolist(),
        }
        for at, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": rows, "model": NAME, "usage": usage}


def _refuse(status: int, message: str, param: str | None, code: str | None = None) -> Response:
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return JSONResponse({"error": error}, status_code=status)
