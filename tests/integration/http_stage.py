"""All functions behind one address over the real parts, as the gateway shows them to the world."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import Any
from unittest.mock import patch

from fastapi import Request
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

import functions.analytics.app
import functions.query.app
import functions.selected.app
from functions.analytics.auth.access import Access, Administrator
from quoth.local_server import served
from quoth.serve import ANALYTICS, FEEDBACK, QUERY, SELECTED, Gateway
from tests.integration.sample_stage import Stage

KEY = "a-key-of-thirty-two-characters-or-more"


async def let_in(access: Access, request: Request) -> Administrator:
    """A guard for the time in which an administrator is signed in."""
    return Administrator("an administrator")


@contextmanager
def without_limits(stage: Stage) -> Iterator[None]:
    """All requests come from one address here: while the block runs, it may send any number."""
    kept = stage.database.run("SELECT rate_limit, network_readers FROM limit_settings")[0]
    change = "UPDATE limit_settings SET rate_limit = %s, network_readers = %s"
    stage.database.run(change, (1_000_000, 1_000))
    try:
        yield
    finally:
        stage.database.run(change, kept)


@contextmanager
def served_functions(stage: Stage, **changes: Any) -> Iterator[str]:
    """The address while the block runs. What the functions connect is closed on their own loop."""
    built: list[Any] = []

    def noting(build: Callable[..., Any]) -> Callable[..., Any]:
        def build_and_note(settings: Any) -> Any:
            built.append(build(settings))
            return built[-1]

        return build_and_note

    def settings(name: str) -> Callable[[], Any]:
        given = {"session_key": KEY, "database_pool_size": 4} | changes
        return lambda: stage.settings(name, **given)

    @asynccontextmanager
    async def closing(app: Starlette) -> AsyncIterator[None]:
        yield
        for each in built:
            await _close(each)

    with ExitStack() as exits:
        for module, name in (
            (functions.query.app, "build_answers"),
            (functions.selected.app, "build_answers"),
            (functions.analytics.app, "build_database"),
        ):
            exits.enter_context(patch.object(module, name, noting(getattr(module, name))))
        exits.enter_context(patch.object(Access, "guard", let_in))
        analytics = functions.analytics.app.create(settings("analytics"))
        gateway = Gateway(
            dict.fromkeys(QUERY, functions.query.app.create(settings("query")))
            | dict.fromkeys(SELECTED, functions.selected.app.create(settings("selected")))
            | dict.fromkeys(ANALYTICS + FEEDBACK, analytics),
            Starlette(),
        )
        ends = Starlette(lifespan=closing)

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await (ends if scope["type"] == "lifespan" else gateway)(scope, receive, send)

        yield exits.enter_context(served(app))


async def _close(built: Any) -> None:
    if hasattr(built, "records"):
        await built.records._database.close()
        await built.embeddings.close()
        await built.writers.close()
        if getattr(built, "moderator", None) is not None:
            await built.moderator.close()
        if hasattr(built, "search"):
            await built.search.aclose()
    else:
        await built.close()
