"""The book in the database: leases, vectors, the swap of generations, proof of a selection."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import replace

import pytest

from functions.adapters.postgres.book_records import BookRecords
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.document_swap import (
    GenerationConflict,
    StoredBlock,
    StoredDocument,
)
from functions.adapters.postgres.query_records import QueryRecords
from functions.book.chunks.chunk import Chapter, ChunkPart, ChunkSentence, StoredChunk
from tests.postgres_fixtures import BookDatabase

WALKING = "A humanoid robot keeps its balance by moving its feet — the “zero moment point” decides."
GRASPING = "To grasp a cup, the hand closes until the force sensors report 2 N."
LIMIT = 5.0


def document_of(generation: int = 1, path: str = "docs/ch1.md") -> StoredDocument:
    return StoredDocument(
        document_id=str(uuid.uuid5(uuid.NAMESPACE_URL, path)),
        source_path=path,
        version="current",
        locale="en",
        title="Walking",
        chapter=Chapter("ch1", 1, "Walking"),
        url="/docs/ch1",
        policy="",
        content_hash=f"hash-{generation}",
        object_version="v1",
        generation=generation,
    )


def chunks_of(document: StoredDocument, *texts: str) -> list[StoredChunk]:
    return [
        StoredChunk(
            chunk_id=str(uuid.uuid4()),
            document_id=document.document_id,
            source_path=document.source_path,
            version=document.version,
            locale=document.locale,
            generation=document.generation,
            ordinal=ordinal,
            text=text,
            hash=f"chunk-{ordinal}",
            titles=(document.title, "Balance"),
            chapter=Chapter("ch1", 1, "Walking"),
            section="Balance",
            subsection="",
            place="Chapter 1, Section 1.1",
            url="/docs/ch1#balance",
            policy="",
            updated_at="2026-01-01T00:00:00Z",
            parts=(
                ChunkPart(ordinal, "paragraph", 0, len(text), 1, "", (ChunkSentence(text, 5, 6),)),
            ),
        )
        for ordinal, text in enumerate(texts)
    ]


def blocks_of(*texts: str) -> list[StoredBlock]:
    return [
        StoredBlock(index, "paragraph", text, 10 * index + 1, 10 * index + 4)
        for index, text in enumerate(texts)
    ]


@pytest.fixture
def book(routed_database: BookDatabase, connect: Callable[..., Database]) -> BookRecords:
    return BookRecords(connect(routed_database.dsn("quoth_ingest"), size=4))


@pytest.fixture
def queries(routed_database: BookDatabase, connect: Callable[..., Database]) -> QueryRecords:
    return QueryRecords(connect(routed_database.dsn("quoth_query")))


@pytest.fixture
def selections(routed_database: BookDatabase, connect: Callable[..., Database]) -> QueryRecords:
    return QueryRecords(connect(routed_database.dsn("quoth_selected")))


async def swap(
    book: BookRecords, document: StoredDocument, *texts: str, expected: int | None = None
) -> str:
    return await book.swap_document(
        document,
        chunks_of(document, *texts),
        blocks_of(*texts),
        document.generation - 1 if expected is None else expected,
        seconds=LIMIT,
    )


async def test_gives_a_lease_to_one_of_many_and_to_the_next_when_it_is_released(
    book: BookRecords,
) -> None:
    tokens = await asyncio.gather(*(book.take_lease("docs/a.md", 30, seconds=9) for _ in range(8)))
    held = [token for token in tokens if token is not None]
    assert len(held) == 1
    await book.release_lease("docs/a.md", str(uuid.uuid4()), seconds=LIMIT)
    assert await book.take_lease("docs/a.md", 30, seconds=LIMIT) is None
    await book.release_lease("docs/a.md", held[0], seconds=LIMIT)
    assert await book.take_lease("docs/a.md", 30, seconds=LIMIT) is not None


async def test_gives_a_lease_away_when_its_holder_died(book: BookRecords) -> None:
    assert await book.take_lease("docs/a.md", 0.05, seconds=LIMIT) is not None
    await asyncio.sleep(0.1)
    assert await book.take_lease("docs/a.md", 30, seconds=LIMIT) is not None


async def test_returns_the_vectors_it_was_given(book: BookRecords) -> None:
    vectors = {"one": [0.5, -1.0, 2.25], "two": [1.0, 0.0, 0.0]}
    await book.store_vectors("mini", vectors, seconds=LIMIT)
    await book.store_vectors("mini", vectors, seconds=LIMIT)
    assert await book.known_vectors("mini", ["one", "two", "three"], seconds=LIMIT) == vectors
    assert await book.known_vectors("other", ["one"], seconds=LIMIT) == {}
    assert await book.known_vectors("mini", [], seconds=LIMIT) == {}


async def test_swaps_generations_without_a_trace_of_the_old(
    book: BookRecords, queries: QueryRecords, routed_database: BookDatabase
) -> None:
    first = await swap(book, document_of(1), WALKING, "Old words about gears.")
    second = await swap(book, document_of(2), WALKING, GRASPING)
    assert int(second) == int(first) + 1
    found = [chunk for chunk, _ in await queries.search_chunks("gears or cup?", 9, seconds=LIMIT)]
    assert [chunk.text for chunk in found] == [GRASPING]
    assert routed_database.run(
        "SELECT DISTINCT generation FROM chunks UNION SELECT DISTINCT generation FROM blocks"
    ) == [(2,)]
    assert await book.document_by_id(document_of(1).document_id, seconds=LIMIT) == (document_of(2))


async def test_refuses_a_swap_that_saw_another_generation_and_changes_nothing(
    book: BookRecords, routed_database: BookDatabase
) -> None:
    await swap(book, document_of(1), WALKING)
    for generation, expected in ((3, 2), (1, 0)):
        with pytest.raises(GenerationConflict):
            await swap(book, document_of(generation), GRASPING, expected=expected)
    assert routed_database.run("SELECT body ->> 'text' FROM chunks") == [(WALKING,)]


async def test_lets_one_of_two_swaps_at_once_win(book: BookRecords) -> None:
    await swap(book, document_of(1), WALKING)
    results = await asyncio.gather(
        *(swap(book, document_of(2), GRASPING) for _ in range(2)), return_exceptions=True
    )
    assert sum(isinstance(result, GenerationConflict) for result in results) == 1


async def test_removes_a_document_and_takes_it_back(
    book: BookRecords, queries: QueryRecords, routed_database: BookDatabase
) -> None:
    document = document_of(1)
    await swap(book, document, WALKING)
    await book.remove_document(document.document_id, 1, seconds=LIMIT)
    assert await queries.search_chunks("balance", 9, seconds=LIMIT) == []
    assert await queries.verify_selection(None, None, WALKING, seconds=LIMIT) == []
    assert await book.list_documents(seconds=LIMIT) == []
    assert routed_database.run("SELECT count(*) FROM blocks") == [(0,)]
    gone = await book.document_by_id(document_of(1).document_id, seconds=LIMIT)
    assert gone is not None
    assert (gone.deleted, gone.generation) == (True, 2)
    await swap(book, document_of(3), WALKING)
    assert await book.list_documents(seconds=LIMIT) == [document_of(3)]


async def test_keeps_what_the_index_holds(book: BookRecords) -> None:
    before = await book.index_state(seconds=LIMIT)
    version = await book.set_index_state(
        embedding_model="mini",
        dimensions=384,
        collection="book-1",
        calibration={"slope": 2.5},
        seconds=LIMIT,
    )
    after = await book.index_state(seconds=LIMIT)
    assert int(after.content_version) == int(before.content_version) + 1
    assert after.content_version == version
    assert (after.embedding_model, after.dimensions, after.collection, after.calibration) == (
        ("mini", 384, "book-1", {"slope": 2.5})
    )


@pytest.mark.parametrize(
    ("source", "version"),
    [
        (None, None),
        ({"source_path": "docs/ch1.md"}, "current"),
        ({"permalink": "https://book.example/docs/ch1/?q=1#balance", "locale": "en"}, None),
        ({"url": "/docs/ch1"}, ""),
    ],
)
async def test_tells_where_a_selection_stands_however_it_was_copied(
    book: BookRecords,
    selections: QueryRecords,
    source: dict[str, str] | None,
    version: str | None,
) -> None:
    content_version = await swap(book, document_of(), "First words.", WALKING, GRASPING, "Last.")
    copied = (
        'by moving its feet - the "zero\nmoment point" decides.\n\nTo grasp a cup, the\u00a0hand'
    )
    (found,) = await selections.verify_selection(source, version, copied, seconds=LIMIT)
    assert found.source_path == "docs/ch1.md"
    assert (found.first_line, found.last_line) == (11, 24)
    assert found.document_id == document_of().document_id
    assert found.content_version == content_version


@pytest.mark.parametrize(
    ("source", "version", "selection"),
    [
        (None, None, WALKING.replace("feet", "arms")),
        ({"source_path": "docs/ch2.md"}, None, WALKING),
        ({"permalink": "/docs/ch2"}, None, WALKING),
        ({"source_path": "docs/ch1.md"}, "1.0", WALKING),
        ({"source_path": "docs/ch1.md", "locale": "fr"}, None, WALKING),
        (None, None, " \n"),
        (None, None, f"{GRASPING}{WALKING}"),
        (None, None, "\x00\ud800 %' OR 1=1 --"),
    ],
)
async def test_finds_no_place_for_what_the_book_does_not_say_there(
    book: BookRecords,
    selections: QueryRecords,
    source: dict[str, str] | None,
    version: str | None,
    selection: str,
) -> None:
    await swap(book, document_of(), WALKING, GRASPING)
    assert await selections.verify_selection(source, version, selection, seconds=LIMIT) == []


async def test_finds_chunks_by_any_word_and_the_better_match_first(
    book: BookRecords, queries: QueryRecords
) -> None:
    document = document_of()
    await swap(book, document, WALKING, GRASPING)
    ranked = await queries.search_chunks("How do force sensors help to grasp?", 5, seconds=LIMIT)
    assert ranked[0][0].text == GRASPING
    assert ranked[0][0] == replace(
        chunks_of(document, WALKING, GRASPING)[1], chunk_id=ranked[0][0].chunk_id
    )


@pytest.mark.parametrize("question", ["", "the of and", "' | ! & \\ :* <->", "\x00", "a\\'b c:d"])
async def test_searches_for_odd_questions_without_an_error(
    book: BookRecords, queries: QueryRecords, question: str
) -> None:
    await swap(book, document_of(), WALKING)
    assert await queries.search_chunks(question, 5, seconds=LIMIT) == []
