"""The functions and the book behind one address of this machine, and the schedule of retries."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from pathlib import Path
from threading import Thread
from typing import TypeVar
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from functions.analytics.app import create as create_analytics
from functions.analytics.auth.access import Link
from functions.lifecycle.retry import RUN_SECONDS, Answers, QueueState, retry_deferred
from functions.query.app import build_answers as build_book
from functions.query.app import create as create_query
from functions.runtime.logs import logger
from functions.runtime.settings import Settings
from functions.selected.app import build_answers as build_selections
from functions.selected.app import create as create_selected
from quoth.site.app import create_site

T = TypeVar("T")

HEALTH = "/health"
ANALYTICS = (HEALTH, "/analytics")
FEEDBACK = ("/feedback",)
QUERY = ("/query", "/search", "/suggestions", "/tickets", "/session")
SELECTED = ("/query-selected-text",)
WIDGET = "/_quoth"


LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
OTHER_HOST = (
    "This server does not answer under this name. Open it at http://127.0.0.1 or http://localhost, "
    "or allow the name with --origin.\n"
)


class OwnLoop:
    """Runs apps on an event loop in a thread of its own, as they are functions of their own on AWS:
    however long an answer computes there, the server's own loop goes on."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        Thread(target=self._loop.run_forever, daemon=True, name="answers").start()

    def app(self, inner: ASGIApp) -> ASGIApp:
        """An app that has its requests handled there."""

        async def outer(scope: Scope, receive: Receive, send: Send) -> None:
            server = asyncio.get_running_loop()
            await self.run(
                inner(
                    scope,
                    lambda: _on(server, receive()),
                    lambda message: _on(server, send(message)),
                )
            )

        return outer

    async def run(self, work: Awaitable[None]) -> None:
        """Wait until `work` is done there. Cancelled, it is cancelled there too."""
        await _on(self._loop, work)


async def _on(loop: asyncio.AbstractEventLoop, work: Awaitable[T]) -> T:
    async def awaited() -> T:
        return await work

    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(awaited(), loop))


class Gateway:
    """Sends each path to its function, as API Gateway does; everything else is the book.

    It answers only under the names of `hosts`: any site can have its own name lead to this
    machine, and its pages would then be of the same origin as the book (DNS rebinding).
    """

    def __init__(
        self, routes: Mapping[str, ASGIApp], book: ASGIApp, hosts: frozenset[str] = LOOPBACK
    ) -> None:
        self._routes = routes
        self._book = book
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await Starlette()(scope, receive, send)
            return
        if scope["type"] == "http" and _host_of(Headers(scope=scope)) not in self._hosts:
            await PlainTextResponse(OTHER_HOST, status_code=421)(scope, receive, send)
            return
        first = "/" + str(scope["path"]).lstrip("/").split("/", 1)[0]
        await self._routes.get(first, self._book)(scope, receive, send)


def _host_of(headers: Headers) -> str:
    """The name in the Host header, without its port; "" where there is none, or several."""
    given = headers.getlist("host")
    try:
        return (urlsplit(f"//{given[0]}").hostname or "") if len(given) == 1 else ""
    except ValueError:
        return ""


def create_gateway(
    book: Path, settings: Mapping[str, Settings], answers: OwnLoop, link: Link | None = None
) -> Gateway:
    """The whole application over a book's folder. `link` lets an administrator in, once.

    The functions run on the loop `answers`. Pages of the allowed origins may ask; the widget
    itself is any page's to load.
    """
    query = create_query(lambda: settings["query"])
    selected = create_selected(lambda: settings["selected"])
    analytics = create_analytics(lambda: settings["analytics"], link)
    site = create_site(book, settings["ingest"])
    routes: dict[str, ASGIApp] = dict.fromkeys(ANALYTICS, answers.app(analytics))
    routes[HEALTH] = analytics  # asks no part: it needs no connection of the other loop
    for paths, function in ((FEEDBACK, analytics), (QUERY, query), (SELECTED, selected)):
        there = answers.app(function)
        routes |= dict.fromkeys(paths, _for_other_sites(there, settings["query"]))
    routes[WIDGET] = CORSMiddleware(site, allow_origins=["*"])
    origins = map(urlsplit, settings["query"].allowed_origins.replace(",", " ").split())
    return Gateway(routes, site, LOOPBACK | {each.hostname or "" for each in origins} - {""})


def _for_other_sites(function: ASGIApp, settings: Settings) -> ASGIApp:
    """The function with the headers that API Gateway adds for the allowed origins."""
    return CORSMiddleware(
        function,
        allow_origins=[each.strip() for each in settings.allowed_origins.split(",")],
        allow_methods=["GET", "POST"],
        allow_headers=["authorization", "content-type", "idempotency-key"],
        expose_headers=["retry-after", "x-request-id"],
    )


EVERY_S = 2.0


async def follow_deferred(settings: Mapping[str, Settings], every_s: float = EVERY_S) -> None:
    """Retry for both functions until cancelled, each with its own settings and role."""
    every: list[tuple[Answers, QueueState]] = [
        (build_book(settings["query"]), QueueState()),
        (build_selections(settings["selected"]), QueueState()),
    ]
    try:
        while True:
            for answers, watch in every:
                try:
                    await retry_deferred(answers, watch, RUN_SECONDS)
                except Exception:  # as on Lambda: the next run begins anew
                    logger().exception("a retry failed")
            await asyncio.sleep(every_s)
    finally:
        for answers, _ in every:
            await answers.close()
