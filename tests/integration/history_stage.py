"""A book whose every outside call is seen: it can be ended before any of them, and is checked
after each.

The database and the index are real ones; the index answers within the process.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import httpx2
import psycopg
from qdrant_client import AsyncQdrantClient
from qdrant_client.http import models

from functions.adapters.postgres.book_records import BookRecords
from functions.adapters.postgres.database import Database
from functions.adapters.qdrant.chunk_index import ChunkIndex
from functions.adapters.qdrant.chunk_search import ChunkSearch
from functions.ingest.embed import IndexCheck
from functions.ingest.ingest_document import Ingest
from functions.ingest.prepare import BookLayout
from quoth.qdrant.app import create_app
from tests.integration.cheap_parts import HashedEmbeddings, MemoryBucket
from tests.postgres_fixtures import BookDatabase

URL = "http://index.test"
MODEL, DIMENSIONS = "hashed", 8
LAYOUT = BookLayout(chunk_words=30, passage_words=15)


class ProcessDied(BaseException):
    """No part of ingest may catch it, as none can catch the end of its process."""


Seen = Callable[[], Awaitable[None]]


@dataclass
class Calls:
    """Counts the calls that leave the process, ends it before one of them (0: never), and lets
    `seen` look at the book after each. `meanwhile` is done before that call instead, if given."""

    seen: Seen
    stop_before: int = 0
    meanwhile: Seen | None = None
    made: list[str] = field(default_factory=list)
    dead: bool = False

    async def make(self, name: str, call: Callable[[], Awaitable[Any]]) -> Any:
        self.made.append(name)
        if len(self.made) == self.stop_before:
            if self.meanwhile is None:
                self.dead = True
            else:
                await self.meanwhile()
        if self.dead:
            raise ProcessDied(name)
        answer = await call()
        await self.seen()
        return answer


class Watched:
    """A part whose calls are counted and seen."""

    def __init__(self, part: Any, process: Process) -> None:
        self._part, self._process = part, process

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        if not inspect.iscoroutinefunction(found):
            return found

        async def call(*given: Any, **named: Any) -> Any:
            return await self._process.calls.make(name, lambda: found(*given, **named))

        return call


class WatchedIndex(httpx.AsyncBaseTransport):
    """The way to the index. What one request changes in several steps is changed one at a time:
    between two of them others may read, and the process may end."""

    def __init__(self, app: Any, process: Process) -> None:
        self._inside = httpx.ASGITransport(app)
        self._process = process

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/points/batch"):
            return await self._send(request)
        for operation in json.loads(await request.aread())["operations"]:
            body = {"operations": [operation]}
            response = await self._send(httpx.Request(request.method, request.url, json=body))
            if response.is_error:
                break
        return response

    async def _send(self, request: httpx.Request) -> httpx.Response:
        async def send() -> httpx.Response:
            response = await self._inside.handle_async_request(request)
            await response.aread()
            return response

        answer: httpx.Response = await self._process.calls.make(
            f"{request.method} {request.url.path}", send
        )
        return answer


class Process:
    """One running ingest function. It serves the whole history; `calls` is of one delivery."""

    def __init__(self, stage: HistoryStage) -> None:
        self._stage = stage
        self.calls = Calls(_nothing)
        self.index = ChunkIndex(URL, None, "book")
        self.index._client = AsyncQdrantClient(
            url=URL,
            port=None,
            check_compatibility=False,
            transport=WatchedIndex(stage.app, self),
        )
        self._embeddings: Any = Watched(HashedEmbeddings(DIMENSIONS), self)
        self._records: Any = Watched(stage.records, self)

    def ingest(self) -> Ingest:
        """As a process has it that was just started."""
        store: Any = Watched(self._stage.bucket, self)
        check = IndexCheck(self._records, self.index, MODEL, DIMENSIONS)
        check._is_ready = True  # `clear` made the collection; looking again costs more than a look
        return Ingest(store, self._records, self.index, self._embeddings, check, LAYOUT)


@dataclass(frozen=True)
class Point:
    """A chunk in the index."""

    document_id: str
    chunk_id: str
    generation: int
    active: bool


@dataclass(frozen=True)
class Row:
    """A document in the database; no chunks once it is deleted."""

    document_id: str
    generation: int
    deleted: bool
    chunk_ids: tuple[str, ...]


class HistoryStage:
    """The parts, empty again for each history."""

    def __init__(self, database: BookDatabase, folder: Path) -> None:
        self.app = create_app(folder)
        self.admin = psycopg.connect(database.dsn(), autocommit=True)
        self.records = BookRecords(Database(database.dsn("quoth_ingest"), size=2))
        self.bucket = MemoryBucket()
        self.processes = (Process(self), Process(self))
        self.search = ChunkSearch(
            URL, None, "book", 5.0, httpx2.AsyncClient(transport=httpx2.ASGITransport(self.app))
        )

    async def begin(self) -> None:
        await self.processes[0].index.ensure(DIMENSIONS)

    async def clear(self) -> None:
        """An empty bucket, database and index."""
        self.bucket = MemoryBucket()
        self.admin.execute("DELETE FROM documents; DELETE FROM leases; DELETE FROM passage_vectors")
        for process in self.processes:
            process.calls = Calls(_nothing)
        for document_id in {point.document_id for point in self.points()}:
            await self.processes[0].index.remove(document_id)

    async def close(self) -> None:
        await self.search.aclose()
        for process in self.processes:
            await process.index.aclose()
        await self.records._database.close()
        self.admin.close()
        self.app.state.store.close()

    def time_passes(self) -> None:
        """Until the leases of a process that died are over."""
        self.admin.execute("DELETE FROM leases")

    def points(self) -> list[Point]:
        """All that the index holds, read past its interface."""
        if (collection := self.app.state.store.find("book")) is None:
            return []
        asked = models.ScrollRequest(
            limit=10_000, with_payload=["document_id", "chunk_id", "generation", "active"]
        )
        found, _ = collection.scroll(asked)
        return [Point(**record.payload) for record in found]

    def rows(self) -> dict[str, Row]:
        """All that the database holds of documents, by id."""
        found = self.admin.execute(
            "SELECT documents.id::text, documents.generation, deleted_at IS NOT NULL,"
            " coalesce(array_agg(chunks.id ORDER BY ordinal) FILTER (WHERE chunks.id IS NOT NULL),"
            " '{}') FROM documents LEFT JOIN chunks ON document_id = documents.id GROUP BY 1, 2, 3"
        )
        return {row[0]: Row(row[0], row[1], row[2], tuple(row[3])) for row in found}


async def _nothing() -> None:
    pass
