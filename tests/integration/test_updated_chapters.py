"""A change of a page, seen in the answers that cite it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest

import functions.query.app
from functions.query.answer_query import BookAnswers
from functions.runtime.settings import Settings
from tests.integration.events import opened
from tests.integration.ingest_book import DIMENSIONS, EDITED, FIRST, MODEL, Book

pytest_plugins = ("tests.integration.ingest_fixtures",)

_PASSES = {"bias": 30, "dense": 0, "best": 0, "coverage": 0, "union": 0, "focus": 0}
ALL_PASS = {"by_meaning": _PASSES, "by_words": _PASSES}
QUESTION = "Which strategy corrects pushes without a step?"


async def test_answers_say_that_the_chapter_they_cite_was_updated(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = functions.query.app.build_answers

    def without_model(settings: Settings) -> BookAnswers:
        answers = build(settings)
        return replace(answers, writers=replace(answers.writers, large=None))

    monkeypatch.setattr(functions.query.app, "build_answers", without_model)
    settings = Settings(
        database_url=book.database.dsn("quoth_query"),
        qdrant_url=book.qdrant_url,
        embeddings_base_url=book.openai.base_url,
        openai_api_key=book.openai.api_key,
        embedding_model=MODEL,
        embedding_dimensions=DIMENSIONS,
    )

    def ask() -> dict[str, object]:
        with opened(functions.query.app, settings) as function:
            return function.post("/query", {"question": QUESTION, "session_id": "a"}).answer

    book.put(FIRST)
    await book.look()
    await book.ingest.records.set_index_state(
        embedding_model=MODEL,
        dimensions=DIMENSIONS,
        collection=book.ingest.index.collection,
        calibration=ALL_PASS,  # the test server's vectors know nothing of meaning
        seconds=5,
    )
    first = await asyncio.to_thread(ask)
    assert first["status"] == "answered"
    assert first["notices"] == []
    before = datetime.now(UTC)
    book.put(EDITED)
    await book.look()
    second = await asyncio.to_thread(ask)
    assert "gentle pushes" in str(second["response"])
    (notice,) = second["notices"]  # type: ignore[misc]
    assert notice["code"] == "content_updated"
    days = {f"{moment:%B} {moment.day}, {moment.year}" for moment in (before, datetime.now(UTC))}
    assert any(f"updated on {day}." in notice["text"] for day in days)
