"""The analytics function's app as tests ask it, with its connections closed at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from unittest.mock import patch

import httpx2

import functions.analytics.app
from functions.adapters.postgres.database import Database
from functions.analytics.auth.access import OneTimeLink
from functions.analytics.feedback import build_database
from functions.runtime.settings import Settings
from quoth.local_server import served


@asynccontextmanager
async def analytics_client(
    settings: Settings, link: OneTimeLink | None = None, base_url: str = "http://api"
) -> AsyncIterator[httpx2.AsyncClient]:
    """Somebody who asks the app without a server."""
    with _noted() as databases:
        transport = httpx2.ASGITransport(app=functions.analytics.app.create(lambda: settings, link))
        try:
            async with httpx2.AsyncClient(transport=transport, base_url=base_url) as client:
                yield client
        finally:  # also when the test skips or fails
            await _close(databases)


@contextmanager
def served_analytics(settings: Settings, link: OneTimeLink | None = None) -> Iterator[str]:
    """The address of the app on a server."""
    with _noted() as databases:
        try:
            with served(functions.analytics.app.create(lambda: settings, link)) as url:
                yield url
        finally:  # also when the test skips or fails
            with ThreadPoolExecutor(1) as aside:  # there may be a loop in this thread
                aside.submit(asyncio.run, _close(databases)).result()


@contextmanager
def _noted() -> Iterator[list[Database]]:
    """The databases that apps connect meanwhile: in the cloud they last as long as the process."""
    made: list[Database] = []

    def build(settings: Settings) -> Database:
        made.append(build_database(settings))
        return made[-1]

    with patch.object(functions.analytics.app, "build_database", build):
        yield made


async def _close(databases: Sequence[Database]) -> None:
    for database in databases:
        await database.close()
