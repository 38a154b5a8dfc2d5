"""From the bucket to the database and the index, over real parts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from functions.ingest.embed import IndexCheck, OtherEmbeddingModel
from functions.ingest.ingest_document import Ingest
from tests.integration.ingest_book import (
    DIMENSIONS,
    EDITED,
    FIRST,
    KEY,
    LAYOUT,
    MODEL,
    Book,
    page,
)

pytest_plugins = ("tests.integration.ingest_fixtures",)


async def test_a_new_file_is_in_the_database_and_the_index(book: Book) -> None:
    book.put(b'{"label": "Chapter 1: Walking"}', "docs/01-walking/_category_.json")
    book.put(FIRST)
    outcome = await book.look()
    assert (outcome.action, outcome.reason) == ("created", "")
    assert outcome.embedded == len(book.embedded_texts()) > 0
    assert outcome.chunks == len(await book.found_in_index())
    (chunk, _), *_ = await book.queries.search_chunks("capture step", 1, seconds=5)
    assert chunk.titles == ("Balance", "Part 3")
    assert (chunk.source_path, chunk.section) == (KEY, "Part 3")
    assert chunk.url == "/walking/balance#part-3"
    assert "Walking" in chunk.chapter.title
    assert chunk.updated_at.endswith("+00:00")
    state = await book.ingest.records.index_state(seconds=5)
    assert (state.embedding_model, state.dimensions) == (MODEL, DIMENSIONS)


async def test_a_selection_is_found_in_what_was_stored(book: Book) -> None:
    book.put(b"# Title\n\nSome **bold** words and `code()` stand\nin *one* paragraph.\n")
    await book.look()
    selection = "bold words and code() stand in one paragraph."
    (place,) = await book.queries.verify_selection(None, "", selection, seconds=5)
    assert (place.source_path, place.first_line) == (KEY, 3)


async def test_one_edited_paragraph_costs_at_most_two_embeddings(book: Book) -> None:
    book.put(FIRST)
    first = await book.look()
    book.put(EDITED)
    second = await book.look()
    assert second.action == "updated"
    assert 1 <= second.embedded <= 2
    assert second.embedded + second.reused == first.embedded
    assert "gentle pushes" in book.text_in_database()
    assert "small pushes" not in book.text_in_database()
    await book.assert_equals_bucket()


async def test_text_that_another_file_has_is_not_embedded_again(book: Book) -> None:
    book.put(FIRST)
    await book.look()
    book.put(FIRST, "docs/01-walking/03-copy.md")
    outcome = await book.look("docs/01-walking/03-copy.md")
    assert (outcome.action, outcome.embedded) == ("created", 0)
    assert outcome.reused > 0
    await book.assert_equals_bucket()


async def test_the_same_event_twice_changes_and_costs_nothing(book: Book) -> None:
    book.put(FIRST)
    await book.look()
    before = book.database.run("SELECT generation, updated_at FROM documents")
    version = (await book.ingest.records.index_state(seconds=5)).content_version
    texts = len(book.embedded_texts())
    again = await book.look()
    assert (again.action, again.embedded, again.reused) == ("unchanged", 0, 0)
    assert book.database.run("SELECT generation, updated_at FROM documents") == before
    assert (await book.ingest.records.index_state(seconds=5)).content_version == version
    assert len(book.embedded_texts()) == texts


async def test_a_deleted_file_is_gone_and_comes_back_without_an_embedding(book: Book) -> None:
    book.put(FIRST)
    await book.look()
    book.delete()
    assert (await book.look()).action == "removed"
    assert await book.found_in_index() == []
    assert await book.queries.search_chunks("capture step", 5, seconds=5) == []
    await book.assert_equals_bucket()
    assert (await book.look()).action == "unchanged"
    book.put(FIRST)
    back = await book.look()
    assert (back.action, back.embedded) == ("created", 0)
    await book.assert_equals_bucket()


async def test_an_old_event_after_the_new_one_keeps_the_new_text(book: Book) -> None:
    book.put(FIRST)
    book.put(EDITED)
    assert (await book.look()).action == "created"  # the event of the second version came first
    assert (await book.look()).action == "unchanged"  # and now that of the first
    assert "gentle pushes" in book.text_in_database()
    book.delete()
    book.put(FIRST)
    assert (await book.look()).action == "updated"  # "deleted", late
    await book.assert_equals_bucket()


async def test_an_unreadable_version_keeps_the_last_good_one_and_the_rest(book: Book) -> None:
    book.put(FIRST)
    book.put(page("Other."), "docs/other.md")
    await book.look()
    await book.look("docs/other.md")
    book.put(b"text \x00 with a NUL")
    outcome = await book.look()
    assert outcome.action == "skipped"
    assert "NUL" in outcome.reason
    assert "last good version" in outcome.reason
    assert "small pushes" in book.text_in_database()
    assert await book.found_in_index()
    assert await book.found_in_index("docs/other.md")
    book.put(b"\xff\xfe never readable", "docs/new.md")
    assert (await book.look("docs/new.md")).action == "skipped"
    book.delete()
    assert (await book.look()).action == "removed"


async def test_a_file_that_is_too_large_is_skipped_with_its_size(book: Book) -> None:
    book.put(b"word " * 1_100_000)
    outcome = await book.look()
    assert (outcome.action, outcome.embedded) == ("skipped", 0)
    assert "5,500,000 bytes" in outcome.reason


@pytest.mark.parametrize("front", ["ai: exclude", "draft: true", "unlisted: true"])
async def test_what_its_author_withholds_is_taken_out(book: Book, front: str) -> None:
    book.put(FIRST)
    await book.look()
    book.put(f"---\n{front}\n---\n".encode() + FIRST)
    outcome = await book.look()
    assert outcome.action == "removed"
    assert outcome.reason
    assert await book.found_in_index() == []
    assert book.text_in_database() == ""
    assert (await book.look()).action == "skipped"


@pytest.mark.parametrize("key", ["README.md", "docs/_part.mdx", "docs/_parts/a.md", "docs/a.png"])
async def test_files_that_are_no_page_of_the_book_are_skipped(book: Book, key: str) -> None:
    book.put(FIRST, key)
    outcome = await book.look(key)
    assert outcome.action == "skipped"
    assert outcome.reason
    assert await book.found_in_index(key) == []


async def test_another_embedding_model_is_refused_with_the_remedy(book: Book) -> None:
    book.put(FIRST)
    await book.look()
    whole = book.ingest
    other = Ingest(
        whole.store,
        whole.records,
        whole.index,
        whole._embeddings,
        IndexCheck(whole.records, whole.index, "all-MiniLM-L6-v2", 384),
        LAYOUT,
    )
    with pytest.raises(OtherEmbeddingModel, match="QUOTH_EMBEDDING_MODEL"):
        await other.prepare()
    book.put(EDITED)
    outcome = await other.ingest_key(KEY)
    assert outcome.action == "failed"
    assert "text-embedding-3-small (1536 dimensions)" in outcome.reason
    assert "small pushes" in book.text_in_database()


async def test_another_layout_indexes_again_without_an_embedding(book: Book) -> None:
    book.put(FIRST)
    await book.look()
    book.ingest.layout = replace(LAYOUT, base_url="/book/")
    outcome = await book.look()
    assert (outcome.action, outcome.embedded) == ("updated", 0)
    rows = book.database.run("SELECT url FROM documents")
    assert rows == [("/book/walking/balance",)]
