"""The FastAPI app factory and its middleware, shared by all HTTP functions."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from functions.adapters.aws.kill_switch import KillSwitch
from functions.adapters.postgres.query_records import QueryRecords
from functions.answer.refusals import UNAVAILABLE
from functions.lifecycle.failures import record_failures
from functions.runtime.metrics import count_request
from functions.runtime.settings import Settings
from functions.runtime.trace import Trace, traced
from functions.web.cdn import BehindCdn
from functions.web.errors import ErrorBody, answer_failure, install_errors, refuse

MAX_BODY_BYTES = 1_000_000
"""Requests with a longer body are refused before all of it is read."""

SWITCHED_OFF_SECONDS = 300

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorBody} for status in (400, 401, 403, 404, 413, 422, 429, 500, 503)
}


@dataclass(frozen=True)
class FunctionInfo:
    """A function's name, and how to get its settings and its records when they are first needed."""

    name: str
    settings: Callable[[], Settings]
    records: Callable[[], QueryRecords]


def create_app(title: str, routers: list[APIRouter], info: FunctionInfo) -> FastAPI:
    """An app with uniform errors, request ids, a kill switch and a body limit, free of Lambda."""
    app = FastAPI(title=title, version="1", docs_url=None, redoc_url=None, responses=ERRORS)
    for router in routers:
        app.include_router(router)
    install_errors(app)
    app.add_middleware(BodyLimit)
    app.add_middleware(BehindCdn, info.settings)
    app.add_middleware(KillSwitchMiddleware, KillSwitch(info.settings))
    app.add_middleware(TracedRequest, info)  # outermost: refused requests get an id too
    return app


class TracedRequest:
    """Traces and counts each request, and stores its failures once the response is sent.

    The request's id is the gateway's, else a new one, and is returned in `x-request-id`.
    """

    def __init__(self, app: ASGIApp, info: FunctionInfo) -> None:
        self.app = app
        self._info = info

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        event = scope.get("aws.event") or {}
        request_id = event.get("requestContext", {}).get("requestId") or str(uuid.uuid4())
        scope.setdefault("state", {})["request_id"] = request_id
        started = time.perf_counter()
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message.setdefault("headers", []).append((b"x-request-id", request_id.encode()))
            await send(message)

        with traced(Trace(self._info.name, request_id)) as trace:
            try:
                await self.app(scope, receive, send_with_id)
            except Exception as error:
                # Handled here: the caller of the app would log it unmasked, with readers' words.
                failure = answer_failure(error, request_id)
                if not status:
                    await failure(scope, receive, send_with_id)
            route = getattr(scope.get("route"), "path", "none")
            count_request(route, status, (time.perf_counter() - started) * 1000)
            await record_failures(trace, self._info.records)


class KillSwitchMiddleware:
    """Refuses every request while the function is switched off."""

    def __init__(self, app: ASGIApp, switch: KillSwitch) -> None:
        self.app = app
        self._switch = switch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and await self._is_off():
            headers = [(b"retry-after", str(SWITCHED_OFF_SECONDS).encode())]
            await refuse(scope, send, 503, "unavailable", UNAVAILABLE, headers)
            return
        await self.app(scope, receive, send)

    async def _is_off(self) -> bool:
        if self._switch.is_stale:  # will block on SSM: not on the event loop
            return await asyncio.to_thread(self._switch.is_off)
        return self._switch.is_off()


class BodyLimit:
    """Refuses bodies over `MAX_BODY_BYTES`, with or without a Content-Length."""

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
            if len(body) > MAX_BODY_BYTES:
                await refuse(scope, send, 413, "too_large", "The request is too large.")
                return
        sent = False

        async def replay() -> Message:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self.app(scope, replay, send)
