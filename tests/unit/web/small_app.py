"""A small app from the factory, and calling it without a server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import httpx2
from fastapi import APIRouter, FastAPI, HTTPException, Request
from pydantic import BaseModel

from functions.adapters.postgres.query_records import QueryRecords
from functions.runtime.settings import MissingSettings, Settings
from functions.web.app import FunctionInfo, create_app
from functions.web.caller import caller_of
from functions.web.errors import ApiError, request_id_of


class Body(BaseModel):
    number: int
    words: list[str] = []


def no_records() -> QueryRecords:
    raise MissingSettings("there is no database here")


def small_app(settings: Callable[[], Settings] | None = None) -> FastAPI:
    router = APIRouter()

    @router.post("/take")
    async def take(body: Body) -> Body:
        return body

    @router.post("/size")
    async def size(request: Request) -> int:
        return len(await request.body())

    @router.get("/fail")
    async def fail() -> None:
        raise RuntimeError("password=swordfish in /srv/quoth/secrets.py")

    @router.get("/known")
    async def known() -> None:
        raise ApiError(503, "full", "Try later.", {"Retry-After": "7"})

    @router.get("/teapot")
    async def teapot() -> None:
        raise HTTPException(418, "Short and stout.")

    @router.get("/caller")
    async def caller(request: Request) -> dict[str, Any]:
        found = caller_of(request, (settings or Settings)())
        return {
            "network": found.network and found.network.name,
            "key": found.idempotency_key,
            "request_id": request_id_of(request),
        }

    return create_app("small", [router], FunctionInfo("small", settings or Settings, no_records))


async def call(
    method: str,
    path: str,
    *,
    json: Any = None,
    content: bytes | AsyncIterator[bytes] | None = None,
    headers: Mapping[str, str] | None = None,
    event: Mapping[str, Any] | None = None,
) -> httpx2.Response:
    """One request. `event` is the gateway's, as Mangum hands it on."""
    app = small_app()

    async def with_event(scope: Any, receive: Any, send: Any) -> None:
        await app({**scope, "aws.event": event} if event else scope, receive, send)

    transport = httpx2.ASGITransport(with_event, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://quoth.test") as client:
        if json is not None:
            return await client.request(method, path, json=json, headers=headers)
        return await client.request(method, path, content=content, headers=headers)
