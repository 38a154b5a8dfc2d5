"""The whole book indexed again while readers go on asking."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from uuid import uuid4

import pytest

from functions.adapters.openai.embeddings import EmbeddingsUnavailable
from functions.adapters.qdrant.aliases import IndexAliases
from functions.adapters.qdrant.chunk_index import ChunkIndex
from functions.adapters.qdrant.chunk_search import ChunkSearch, SearchFilters
from functions.answer.deadline import Deadline
from functions.ingest.embed import IndexCheck
from functions.ingest.ingest_document import Ingest
from functions.ingest.prepare import BookLayout
from functions.ingest.rebuild import Rebuild, new_collection
from functions.query.retrieval.retrieve import SearchRequest, retrieve_chunks
from tests.integration.cheap_parts import HashedEmbeddings
from tests.integration.ingest_book import LAYOUT, Book, page

pytest_plugins = ("tests.integration.ingest_fixtures",)

KEYS = [f"docs/page-{n}.md" for n in range(6)]
SECONDS = 60.0
"""A machine that is busy with other work is no reason to search by words."""
LARGER = replace(LAYOUT, chunk_words=200, passage_words=60)


@dataclass
class Readers:
    """Ask without a pause, as readers do, and note what they got: texts, or a failure."""

    book: Book
    name: str
    vector: list[float]
    answers: list[set[str]] = field(default_factory=list)
    notices: set[str] = field(default_factory=set)
    failures: list[BaseException] = field(default_factory=list)

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(self._ask()) for _ in range(3)]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self) -> None:
        search = ChunkSearch(self.book.qdrant_url, None, self.name, timeout_s=SECONDS)
        try:
            while True:
                try:
                    asked = SearchRequest(
                        "Which robot is on this page?", self.vector, SearchFilters(), 5,
                        Deadline.after(SECONDS), SECONDS,
                    )  # fmt: skip
                    found = await retrieve_chunks(asked, search, self.book.queries)
                except Exception as error:
                    self.failures.append(error)
                    return
                chunks = [each.chunk for each in found.context.sources if each.chunk]
                self.answers.append({chunk.text for chunk in chunks})
                self.notices |= {notice.code for notice in found.notices}
                await asyncio.sleep(0.01)
        finally:
            with suppress(Exception):
                await search.aclose()


@dataclass
class Renewed:
    """The book under a name of its own, with everything that a rebuild needs."""

    book: Book
    name: str
    ingest: Ingest
    aliases: IndexAliases

    def rebuild(self, model: str, dimensions: int, layout: BookLayout) -> Rebuild:
        whole, url = self.book.ingest, self.book.qdrant_url
        embeddings = HashedEmbeddings(dimensions)
        index = ChunkIndex(url, None, self.name)
        check = IndexCheck(whole.records, index, model, dimensions)
        ingest = Ingest(whole.store, whole.records, index, embeddings, check, layout)  # type: ignore[arg-type]
        fresh = ChunkIndex(url, None, new_collection(self.name))
        return Rebuild(ingest, fresh, self.aliases, grace_s=0.3)

    async def assert_equals_bucket(self, rebuild: Rebuild) -> None:
        """Under the new settings, and with nothing of the old ones left."""
        self.book.ingest = rebuild.ingest
        await self.book.assert_equals_bucket()
        collections = await self.aliases.collections(self.name)
        assert collections == [rebuild.index.collection]
        check = rebuild.ingest.check
        state = await self.book.ingest.records.index_state(seconds=5)
        assert state.collection == rebuild.index.collection
        assert (state.embedding_model, state.dimensions) == (check.model, check.dimensions)


@pytest.fixture
async def renewed(book: Book) -> AsyncIterator[Renewed]:
    name = f"book-{uuid4().hex}"
    whole = book.ingest
    index = ChunkIndex(book.qdrant_url, None, name)
    check = IndexCheck(whole.records, index, "hashed-a", 16)
    ingest = Ingest(whole.store, whole.records, index, HashedEmbeddings(16), check, LAYOUT)  # type: ignore[arg-type]
    aliases = IndexAliases(book.qdrant_url, None)
    for number, key in enumerate(KEYS):
        book.put(page(*(f"Robot {number} is in part {n} of the page." for n in range(4))), key)
        assert (await ingest.ingest_key(key)).action == "created"
    yield Renewed(book, name, ingest, aliases)
    for collection in await aliases.collections(name):
        await aliases.delete(collection)
    await aliases.aclose()
    await index.aclose()


@pytest.mark.parametrize(
    ("model", "dimensions", "layout"),
    [("hashed-a", 16, LARGER), ("hashed-b", 16, LAYOUT), ("hashed-c", 24, LARGER)],
    ids=["new chunking", "new model", "new model, dimensions and chunking"],
)
async def test_readers_never_fail_and_never_see_an_empty_index(
    renewed: Renewed, model: str, dimensions: int, layout: BookLayout
) -> None:
    book = renewed.book
    readers = Readers(book, renewed.name, [0.5] * 16)
    for _ in range(2):  # from a plain collection to an alias, then from an alias to another
        rebuild = renewed.rebuild(model, dimensions, layout)
        async with readers.asking():
            rebuilt = await rebuild.run()
            await asyncio.sleep(0.2)
        assert rebuilt.counts.documents == len(KEYS)
        assert readers.failures == []
        assert len(readers.answers) > 20
        assert all(readers.answers), "a reader saw an empty index"
        await renewed.assert_equals_bucket(rebuild)
        readers.answers.clear()
    words_alone = {"keyword_search"} if dimensions != 16 else set()
    assert readers.notices == words_alone


async def test_what_changes_during_the_rebuild_is_in_the_new_index(renewed: Renewed) -> None:
    book = renewed.book
    rebuild = renewed.rebuild("hashed-a", 16, LARGER)
    told: list[str] = []

    def meanwhile(key: str) -> None:
        told.append(key)
        if len(told) == 3:
            book.put(page("An edited robot."), KEYS[0])
            book.delete(KEYS[1])
            book.put(page("A robot that is new."), "docs/new.md")
            changes.append(asyncio.create_task(edit()))

    async def edit() -> None:
        for key in (KEYS[0], KEYS[1]):  # no event came yet of the new page
            await renewed.ingest.ingest_key(key)

    changes: list[asyncio.Task[None]] = []
    rebuilt = await rebuild.run(meanwhile)
    await asyncio.gather(*changes)
    assert "created" in {outcome.action for outcome in rebuilt.repaired}
    await renewed.assert_equals_bucket(rebuild)
    assert "An edited robot." in book.text_in_database(KEYS[0])


async def test_a_page_that_cannot_be_read_now_keeps_its_last_text(renewed: Renewed) -> None:
    renewed.book.put(b"not \x00 readable", KEYS[2])
    assert (await renewed.ingest.ingest_key(KEYS[2])).action == "skipped"
    rebuild = renewed.rebuild("hashed-b", 24, LAYOUT)
    await rebuild.run()
    renewed.book.ingest = rebuild.ingest
    assert len(await renewed.book.found_in_index(KEYS[2])) == 4


async def test_a_rebuild_that_ends_early_changes_nothing_and_may_be_run_again(
    renewed: Renewed,
) -> None:
    rebuild = renewed.rebuild("hashed-b", 16, LAYOUT)
    calls = 0

    class Failing(HashedEmbeddings):
        async def embed(self, texts: object, timeout_s: float) -> list[list[float]]:
            nonlocal calls
            calls += 1
            if calls == 3:
                raise EmbeddingsUnavailable("the service went away")
            return await super().embed(texts, timeout_s)  # type: ignore[arg-type]

    rebuild.ingest._embeddings = Failing(16)  # type: ignore[assignment]
    with pytest.raises(EmbeddingsUnavailable):
        await rebuild.run()
    assert await renewed.aliases.collection_of(renewed.name) == renewed.name
    renewed.book.ingest = renewed.ingest
    await renewed.book.assert_equals_bucket()
    again = renewed.rebuild("hashed-b", 16, LAYOUT)
    rebuilt = await again.run()
    assert rebuilt.counts.reused > 0
    await renewed.assert_equals_bucket(again)
