"""The functions and the book behind one address of this machine, and the schedule of retries."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from functions.analytics.app import create as create_analytics
from functions.analytics.auth.access import OneTimeLink
from functions.lifecycle.retry import RUN_SECONDS, Answers, QueueState, retry_deferred
from functions.query.app import build_answers as build_book
from functions.query.app import create as create_query
from functions.runtime.logs import logger
from functions.runtime.settings import Settings
from functions.selected.app import build_answers as build_selections
from functions.selected.app import create as create_selected
from quoth.site.app import create_site

ANALYTICS = ("/feedback", "/health", "/analytics")
QUERY = ("/query", "/search", "/suggestions", "/tickets", "/session")
SELECTED = ("/query-selected-text",)


class Gateway:
    """Sends each path to its function, as API Gateway does; everything else is the book."""

    def __init__(self, routes: Mapping[str, ASGIApp], book: ASGIApp) -> None:
        self._routes = routes
        self._book = book

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await Starlette()(scope, receive, send)
            return
        first = "/" + str(scope["path"]).lstrip("/").split("/", 1)[0]
        await self._routes.get(first, self._book)(scope, receive, send)


def create_gateway(
    book: Path, settings: Mapping[str, Settings], link: OneTimeLink | None = None
) -> Gateway:
    """The whole application over a book's folder. `link` lets an administrator in, once."""
    query = create_query(lambda: settings["query"])
    selected = create_selected(lambda: settings["selected"])
    analytics = create_analytics(lambda: settings["analytics"], link)
    routes: dict[str, ASGIApp] = {
        **dict.fromkeys(ANALYTICS, analytics),
        **dict.fromkeys(QUERY, query),
        **dict.fromkeys(SELECTED, selected),
    }
    return Gateway(routes, create_site(book, settings["ingest"]))


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
