"""A preview over a real database: it says what then happens, and changes nothing."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path

import pytest
from click.testing import CliRunner

from functions.adapters.postgres.query_records import QueryRecord
from quoth.cli import main
from quoth.commands.preview import read_folder, read_store
from quoth.preview import Change, Preview, preview_change
from tests.integration.ingest_book import EDITED, FIRST, KEY, Book, page

pytest_plugins = ("tests.integration.ingest_fixtures",)

ENVIRONMENT = {"QUOTH_CHUNK_WORDS": "60", "QUOTH_PASSAGE_WORDS": "30"}
OTHER = "docs/01-walking/03-falling.md"
CITED = "The ankle strategy corrects small pushes without a step."


@pytest.fixture
async def folder(book: Book, tmp_path: Path) -> Path:
    """The book as it is in the index, as a folder."""
    files = {KEY: FIRST, OTHER: page("Nothing to cite.", title="Falling")}
    for key, data in files.items():
        book.put(data, key)
        assert (await book.look(key)).action == "created"
        path = tmp_path / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    record = QueryRecord(
        query_id=str(uuid.uuid4()),
        response_id=str(uuid.uuid4()),
        mode="book-wide",
        session_id="a-session",
        question="What corrects small pushes?",
        status="answered",
        body={"citations": [{"kind": "book", "quotes": [{"exact": CITED}]}]},
    )
    await book.queries.finish(record, seconds=5)
    return tmp_path


async def previewed(book: Book, folder: Path) -> Preview:
    read = await read_folder(folder, ENVIRONMENT)
    stored = read_store(book.database.dsn(), read.pages)
    return preview_change(stored.pages, read.pages, stored.known, stored.answered, read.text)


async def test_an_untouched_folder_changes_nothing(book: Book, folder: Path) -> None:
    found = await previewed(book, folder)
    assert (found.documents, found.sections, found.lost) == ((), (), ())
    assert found.cost.chunks == found.cost.computed == 0


async def test_the_forecast_is_what_the_ingest_then_does(book: Book, folder: Path) -> None:
    (folder / KEY).write_bytes(EDITED)
    (folder / OTHER).rename(folder / "docs/01-walking/04-falls.md")
    state = (
        "SELECT (SELECT array_agg(d.*::text ORDER BY id) FROM documents d), i.* FROM index_state i"
    )
    before = book.database.run(state)
    found = await previewed(book, folder)
    assert book.database.run(state) == before
    assert set(found.documents) == {
        Change("changed", KEY),
        Change("moved", "docs/01-walking/04-falls.md", came_from=OTHER),
    }
    assert [(each.verdict, each.titles[-1]) for each in found.sections] == [
        ("changed", "Part 2"),
        ("moved", "Part 1"),
    ]
    (lost,) = found.lost
    assert (lost.answered.question, lost.missing) == ("What corrects small pushes?", (CITED,))
    assert lost.is_unanswerable

    book.put(EDITED)
    book.put((folder / "docs/01-walking/04-falls.md").read_bytes(), "docs/01-walking/04-falls.md")
    outcomes = [await book.look(), await book.look("docs/01-walking/04-falls.md")]
    assert found.cost.computed == sum(outcome.embedded for outcome in outcomes) >= 1
    assert found.cost.reused == sum(outcome.reused for outcome in outcomes)
    assert found.cost.chunks == sum(outcome.chunks for outcome in outcomes)


async def test_what_is_withheld_is_gone_and_its_reason_is_told(
    book: Book, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / KEY).write_bytes(b"---\nai: exclude\n---\n" + FIRST)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    address = ["--database-url", book.database.dsn()]
    code, output = await command(str(folder), *address)
    assert code == 0, output
    lines = output.splitlines()
    assert lines[0] == "Documents: 0 new, 0 changed, 0 moved, 0 rebuilt, 1 gone"
    assert lines[1] == f"  - {KEY}"
    assert "Answers: 1 lose all they cite, 0 a part" in lines
    assert f"Left out: {KEY}: its author excluded it" in lines


async def test_a_wrong_folder_and_a_missing_store_are_named(tmp_path: Path) -> None:
    code, output = await command(str(tmp_path))
    assert code == 1
    assert "has no Markdown files" in output
    (tmp_path / "a.md").write_text("# A\n")
    code, output = await command(str(tmp_path), "--data", str(tmp_path / "data"))
    assert code == 1
    assert "no data of this book" in output


async def command(*given: str) -> tuple[int, str]:
    """`quoth preview …`: its exit code and what it said."""
    said = await asyncio.to_thread(CliRunner().invoke, main, ["preview", *given])
    if said.exception is not None and not isinstance(said.exception, SystemExit):
        raise said.exception
    return said.exit_code, said.output
