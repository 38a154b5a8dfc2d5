"""A book under test: its bucket, its database, its index, and an ingest over them."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

from functions.adapters.postgres.query_records import QueryRecords
from functions.ingest.embed import IndexCheck
from functions.ingest.ingest_document import Ingest
from functions.ingest.outcome import Outcome
from functions.ingest.prepare import BookLayout
from tests.openai_server.service import OpenAIServer
from tests.postgres_fixtures import BookDatabase

MODEL, DIMENSIONS = "text-embedding-3-small", 1536
KEY = "docs/01-walking/02-balance.md"
LAYOUT = BookLayout(chunk_words=60, passage_words=30)


def page(*paragraphs: str, title: str = "Balance") -> bytes:
    sections = (f"## Part {at}\n\n{text}\n" for at, text in enumerate(paragraphs, 1))
    return "\n".join([f"# {title}\n", *sections]).encode()


FIRST = page(
    "A humanoid keeps its balance by moving the centre of pressure.",
    "The ankle strategy corrects small pushes without a step.",
    "A capture step ends a fall that the ankles cannot stop.",
)
EDITED = FIRST.replace(b"small pushes", b"gentle pushes")


@dataclass
class Steps:
    """Counts the calls that leave the process, and ends it before one of them."""

    die_before: int = 0
    made: list[str] = field(default_factory=list)
    dead: bool = False


class ProcessDied(Exception):
    pass


class Mortal:
    """A part whose callers may die before any call of it."""

    def __init__(self, part: Any, steps: Steps) -> None:
        self._part, self._steps = part, steps

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        if not inspect.iscoroutinefunction(found):
            return found

        async def call(*given: Any, **named: Any) -> Any:
            self._steps.made.append(name)
            self._steps.dead |= len(self._steps.made) == self._steps.die_before
            if self._steps.dead:
                raise ProcessDied(name)
            return await found(*given, **named)

        return call


@dataclass
class Book:
    """A bucket, a database, an index, and an ingest over them."""

    ingest: Ingest
    client: Any
    database: BookDatabase
    queries: QueryRecords
    openai: OpenAIServer
    qdrant_url: str

    @property
    def bucket(self) -> str:
        return self.ingest.store.bucket

    def put(self, data: bytes, key: str = KEY) -> None:
        self.client.put_object(Bucket=self.bucket, Key=key, Body=data)

    def delete(self, key: str = KEY) -> None:
        self.client.delete_object(Bucket=self.bucket, Key=key)

    async def look(self, key: str = KEY) -> Outcome:
        return await self.ingest.ingest_key(key)

    def mortal(self, steps: Steps) -> Ingest:
        """The same ingest in a process that may die."""
        whole = self.ingest
        records, index = Mortal(whole.records, steps), Mortal(whole.index, steps)
        return Ingest(
            Mortal(whole.store, steps),  # type: ignore[arg-type]
            records,  # type: ignore[arg-type]
            index,  # type: ignore[arg-type]
            Mortal(whole._embeddings, steps),  # type: ignore[arg-type]
            IndexCheck(records, index, MODEL, DIMENSIONS),  # type: ignore[arg-type]
            LAYOUT,
        )

    def embedded_texts(self) -> list[str]:
        return [
            text
            for request in self.openai.requests
            if request.path == "/v1/embeddings"
            for text in request.body["input"]
        ]

    def end_leases(self) -> None:
        self.database.run("DELETE FROM leases")

    async def found_in_index(self, key: str = KEY) -> list[str]:
        """Chunk ids that a search could find now; fails when two generations could be."""
        chunks = [c async for c in self.ingest.index.list_chunks() if c.source_path == key]
        found = [chunk for chunk in chunks if chunk.active]
        assert len({chunk.generation for chunk in found}) <= 1
        return sorted(chunk.chunk_id for chunk in found)

    def text_in_database(self, key: str = KEY) -> str:
        rows = self.database.run(
            "SELECT chunks.body ->> 'text' FROM chunks JOIN documents ON document_id = documents.id"
            " WHERE source_path = %s AND deleted_at IS NULL ORDER BY ordinal",
            (key,),
        )
        return "\n".join(str(row[0]) for row in rows)

    async def assert_equals_bucket(self) -> None:
        """Database and index hold exactly the readable documents of the bucket."""
        wanted = {each.key for each in await self.ingest.store.list_keys()}
        live = self.database.run(
            "SELECT source_path, id::text, generation FROM documents WHERE deleted_at IS NULL"
        )
        assert {row[0] for row in live} == wanted
        indexed = [chunk async for chunk in self.ingest.index.list_chunks()]
        assert {chunk.document_id for chunk in indexed} == {row[1] for row in live}
        for key, document_id, generation in live:
            assert isinstance(key, str)
            own = [chunk for chunk in indexed if chunk.document_id == document_id]
            assert {(chunk.generation, chunk.active) for chunk in own} == {(generation, True)}
            rows = self.database.run("SELECT id FROM chunks WHERE document_id = %s", (document_id,))
            assert sorted(str(row[0]) for row in rows) == sorted(chunk.chunk_id for chunk in own)
            found = await self.ingest.store.read(key)
            assert found is not None
            for line in found.data.decode().splitlines():
                assert line.strip() in self.text_in_database(key)
