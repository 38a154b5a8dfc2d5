"""The FastAPI factory every function with an HTTP side uses."""

from __future__ import annotations

import uuid
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from functions.logs import logger
from functions.web.errors import ErrorBody, install_errors

MOST_BODY = 1_000_000
"""Bytes of a request body; more is refused before it is read whole."""

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorBody} for status in (404, 413, 422, 429, 500, 503)
}


def create_app(title: str, routers: list[APIRouter]) -> FastAPI:
    """An app with one form of error, request ids and a limit on bodies. No Lambda in it."""
    app = FastAPI(title=title, version="1", docs_url=None, redoc_url=None, responses=ERRORS)
    for router in routers:
        app.include_router(router)
    install_errors(app)
    app.add_middleware(BodyLimit)
    app.add_middleware(RequestId)  # outermost: also what is refused has its id
    return app


class RequestId:
    """Gives each request the gateway's id, or a new one, and sends it back."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        event = scope.get("aws.event") or {}
        request_id = event.get("requestContext", {}).get("requestId") or str(uuid.uuid4())
        scope.setdefault("state", {})["request_id"] = request_id
        logger().thread_safe_append_keys(request_id=request_id)

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                message.setdefault("headers", []).append((b"x-request-id", request_id.encode()))
            await send(message)

        await self.app(scope, receive, send_with_id)


class BodyLimit:
    """Refuses bodies over `MOST_BODY` bytes, also those that do not say their length."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = b""
        more = True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > MOST_BODY:
                await _refuse(str(scope.get("state", {}).get("request_id", "")), send)
                return
        sent = False

        async def replay() -> Message:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self.app(scope, replay, send)


async def _refuse(request_id: str, send: Send) -> None:
    body = ErrorBody(
        code="too_large", message="The request is too large.", request_id=request_id
    ).model_dump_json()
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body.encode()})
