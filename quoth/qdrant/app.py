"""A small local server for the Qdrant endpoints Quoth uses, on Qdrant's own engine.

It never builds an approximate index: for the size of a book an exact search is faster than the
network, and it finds the same passages every time.
"""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from quoth.qdrant import endpoints as do
from quoth.qdrant.endpoints import (
    Lanes,
    Work,
    answer_defect,
    answer_http_exception,
    reading,
    writing,
)
from quoth.qdrant.errors import Refused
from quoth.qdrant.store import Store

QDRANT_VERSION = "1.20.0"
"""The server whose REST interface is spoken."""


def create_app(data_dir: Path, keys: Keys | None = None) -> Starlette:
    """The server over one data directory; `app.state.store.close()` when no server ends it.

    Without `keys` everybody may do everything.

    Raises `StoreInUse` when another process has the directory.
    """
    app = Starlette(
        routes=_routes(),
        lifespan=_lifespan,
        exception_handlers={HTTPException: answer_http_exception, Exception: answer_defect},
    )
    app.state.store = Store(data_dir)
    app.state.lanes = Lanes()
    app.state.keys = keys or Keys()
    return app


def _routes() -> list[BaseRoute]:
    one = "/collections/{name}"
    return [
        Route("/", _version),
        Route("/healthz", _healthy),
        Route("/livez", _healthy),
        Route("/readyz", _healthy),
        _read("/aliases", "GET", do.list_aliases),
        _read("/collections", "GET", do.list_collections),
        _write("/collections/aliases", "POST", do.change_aliases),
        _read(one, "GET", do.describe_collection),
        _write(one, "PUT", do.create_collection),
        _write(one, "DELETE", do.delete_collection),
        _read(f"{one}/exists", "GET", do.collection_exists),
        _read(f"{one}/aliases", "GET", do.list_aliases_of_collection),
        _write(f"{one}/index", "PUT", do.index_field),
        _write(f"{one}/points", "PUT", do.upsert_points),
        _read(f"{one}/points", "POST", do.retrieve_points),
        _write(f"{one}/points/delete", "POST", do.delete_points),
        _write(f"{one}/points/payload", "POST", do.set_payload),
        _write(f"{one}/points/batch", "POST", do.change_points),
        _read(f"{one}/points/scroll", "POST", do.scroll_points),
        _read(f"{one}/points/count", "POST", do.count_points),
        _read(f"{one}/points/query", "POST", do.query_points),
        _read(f"{one}/points/query/batch", "POST", do.query_points_in_batch),
    ]


def _read(path: str, method: str, work: Work) -> Route:
    return Route(path, reading(work), methods=[method])


def _write(path: str, method: str, work: Work) -> Route:
    return Route(path, writing(work), methods=[method])


async def _version(request: Request) -> Response:
    about = {
        "title": "qdrant - vector search engine",
        "version": QDRANT_VERSION,
        "commit": "quoth local server on qdrant-edge",
    }
    return JSONResponse(about)


async def _healthy(request: Request) -> Response:
    return PlainTextResponse("healthz check passed")


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    yield
    app.state.store.close()


API_KEY = "QDRANT__SERVICE__API_KEY"
READ_ONLY_API_KEY = "QDRANT__SERVICE__READ_ONLY_API_KEY"
"""The variables of Qdrant's own server."""


@dataclass(frozen=True, slots=True)
class Keys:
    """Without any, everybody may do everything, as with Qdrant's own server."""

    full: str = ""
    read_only: str = ""

    def check(self, headers: Mapping[str, str], *, writes: bool) -> None:
        """Refuse a request without a key that may do it: 401, or 403 for a write."""
        if not self.full and not self.read_only:
            return
        given = headers.get("api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        if not given:
            raise Refused(401, "Must provide an API key or an Authorization bearer token")
        if _same(given, self.full):
            return
        if not _same(given, self.read_only):
            raise Refused(401, "Invalid API key or JWT")
        if writes:
            raise Refused(403, "Forbidden: Global manage access is required")


def read_keys(environment: Mapping[str, str]) -> Keys:
    return Keys(environment.get(API_KEY, ""), environment.get(READ_ONLY_API_KEY, ""))


def _same(given: str, key: str) -> bool:
    return bool(key) and hmac.compare_digest(given.encode(), key.encode())
