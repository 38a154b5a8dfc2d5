"""One address for all that is asked of OpenAI: MiniLM embeds, the test server does the rest.

The template has one base address for OpenAI, as there is one in the cloud. The test server checks
each request against OpenAI's own OpenAPI file; its embeddings have no meaning, so those come from
the model that the laptop uses.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

SECONDS = 60.0
_PASSED = ("authorization", "content-type", "accept")


@dataclass
class Absence:
    """While `on`, embeddings are answered with 503; `refused` counts them."""

    on: bool = False
    refused: int = 0


def create_front(embeddings_url: str, model_url: str, absence: Absence) -> Starlette:
    """Both addresses end in /v1."""
    client = httpx2.AsyncClient(timeout=SECONDS, trust_env=False)

    async def pass_on(request: Request) -> Response:
        called = request.path_params["call"]
        if absence.on and called == "embeddings":
            absence.refused += 1
            return JSONResponse({"error": {"message": "away"}}, status_code=503)
        base = embeddings_url if called == "embeddings" else model_url
        headers = {name: request.headers[name] for name in _PASSED if name in request.headers}
        try:
            reply = await client.request(
                request.method, f"{base}/{called}", content=await request.body(), headers=headers
            )
        except httpx2.HTTPError as error:
            return JSONResponse({"error": {"message": type(error).__name__}}, status_code=502)
        return Response(
            reply.content, reply.status_code, media_type=reply.headers.get("content-type")
        )

    @asynccontextmanager
    async def closing(_: Starlette) -> AsyncIterator[None]:
        async with client:
            yield

    routes = [Route("/v1/{call:path}", pass_on, methods=["GET", "POST"])]
    return Starlette(routes=routes, lifespan=closing)
