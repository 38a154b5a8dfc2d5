"""The local models over HTTP: MiniLM behind the part of OpenAI's API that Quoth uses, so one
adapter serves both, and the reader at `POST /v1/readings`."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from functions.answer.reader import Passage
from quoth.embeddings.minilm import DIMENSIONS, NAME, MiniLM
from quoth.reader.onnx_reader import OnnxReader

MOST_TEXTS = 2048
MOST_PASSAGES = 256

Text = Annotated[str, StringConstraints(min_length=1)]


class EmbeddingsRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    model: str
    input: Text | Annotated[list[Text], Field(min_length=1, max_length=MOST_TEXTS)]
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None
    user: str | None = None


class PassageBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: Text
    units: tuple[tuple[int, int], ...]


class ReadingsRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    question: Text
    passages: Annotated[list[PassageBody], Field(max_length=MOST_PASSAGES)]


def create_app(model: MiniLM | None = None, reader: OnnxReader | None = None) -> Starlette:
    """The server. Loads the embedding model unless given one; without a reader, none reads.

    Raises ModelFilesMissing.
    """
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

    async def read(request: Request) -> Response:
        try:
            asked = ReadingsRequest.model_validate_json(await request.body())
        except ValidationError as error:
            return _refuse(400, f"Invalid body: {error.errors()[0]['msg']}.", None)
        if reader is None:
            return _refuse(404, "This server has no reader.", None)
        passages = [Passage(each.text, each.units) for each in asked.passages]
        readings = await run_in_threadpool(reader.read, asked.question, passages)
        return JSONResponse({"object": "list", "data": [asdict(each) for each in readings]})

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
            Route("/v1/readings", read, methods=["POST"]),
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
