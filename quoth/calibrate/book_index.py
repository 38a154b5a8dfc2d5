"""A book's chunks in an index of their own, from which a chapter can be taken away for a while."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from functions.adapters.qdrant.chunk_index import ChunkIndex, ChunkPoint
from functions.adapters.qdrant.chunk_search import ChunkSearch, SearchFilters, SearchResult
from functions.answer.context import Context
from functions.query.retrieval.rerank import context_of_result
from quoth.calibrate.local_index import Indexable, points_of
from quoth.qdrant.app import create_app
from quoth.serve_thread import served

TOP = 5
FOUND = 10
COLLECTION = "calibration"
WRITE_SECONDS = 120.0
SEARCH_SECONDS = 30.0

Vectors = list[list[float]]
Embed = Callable[[Sequence[str]], Awaitable[Vectors]]


@dataclass(frozen=True, slots=True)
class BookIndex:
    """The book, indexed beside the readers' index. `vectors` are of the questions asked so far."""

    index: ChunkIndex
    search: ChunkSearch
    embed: Embed
    points: Sequence[ChunkPoint]
    vectors: dict[str, list[float]]

    @property
    def chapters(self) -> list[str]:
        """The ids of the chapters, in the book's order."""
        return list(dict.fromkeys(point.chapter_id for point in self.points))

    async def learn(self, questions: Sequence[str]) -> None:
        """Embed questions that will be asked."""
        new = [each for each in dict.fromkeys(questions) if each not in self.vectors]
        if new:
            self.vectors.update(zip(new, await self.embed(new), strict=True))

    async def ask(self, question: str) -> Context:
        """What the query function would answer from."""
        await self.learn([question])
        found = await self.search.search(question, self.vectors[question], SearchFilters(), FOUND)
        return _context(question, found)

    async def ask_by_words(self, question: str) -> Context:
        """The same while embeddings are down."""
        return _context(
            question, await self.search.keyword_search(question, SearchFilters(), FOUND)
        )

    @asynccontextmanager
    async def without(self, chapter_id: str) -> AsyncIterator[None]:
        """The book without one chapter, while the block runs."""
        taken = [point for point in self.points if point.chapter_id == chapter_id]
        documents = {point.document_id for point in taken}
        for document in documents:
            await self.index.remove(document)
        # A document may belong to several chapters only in part: the rest goes back at once.
        await self.index.add(
            [
                point
                for point in self.points
                if point.document_id in documents and point.chapter_id != chapter_id
            ],
            active=True,
        )
        try:
            yield
        finally:
            await self.index.add(taken, active=True)


@asynccontextmanager
async def open_book_index(
    chunks: Sequence[Indexable], vectors: dict[str, list[float]], embed: Embed
) -> AsyncIterator[BookIndex]:
    """Index chunks in a temporary folder. `vectors` are of their passages, by passage."""
    points = points_of(chunks, vectors)
    with (
        tempfile.TemporaryDirectory(prefix="quoth-calibration-") as folder,
        served(create_app(Path(folder))) as url,
    ):
        index = ChunkIndex(url, None, COLLECTION, timeout_s=WRITE_SECONDS)
        search = ChunkSearch(url, None, COLLECTION, SEARCH_SECONDS)
        try:
            await index.ensure(len(points[0].vectors[0]))
            await index.add(points, active=True)
            yield BookIndex(index, search, embed, points, {})
        finally:
            await index.aclose()
            await search.aclose()


def _context(question: str, result: SearchResult) -> Context:
    return context_of_result(question, result, TOP)
