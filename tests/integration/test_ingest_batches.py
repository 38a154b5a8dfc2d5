"""Batches of the queue: what is dropped, what is done, what comes again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest

from functions.ingest import handler
from functions.ingest.batch import ingest_batch
from functions.ingest.outcome import Outcome
from functions.runtime.settings import settings
from tests.integration.ingest_book import (
    EDITED,
    FIRST,
    KEY,
    Book,
)
from tools.build.gateway_events import object_changed

pytest_plugins = ("tests.integration.ingest_fixtures",)


async def test_a_batch_drops_what_it_cannot_read_and_returns_what_failed(book: Book) -> None:
    book.put(FIRST)
    busy = "docs/busy.md"
    notification = {
        "Records": [
            {
                "eventSource": "aws:s3",
                "s3": {"bucket": {"name": book.bucket}, "object": {"key": "docs/a+b%2B%C3%BC.md"}},
            }
        ]
    }
    book.put(FIRST, "docs/a b+ü.md")
    bodies = {
        "good": json.dumps(object_changed(book.bucket, KEY)),
        "again": json.dumps(object_changed(book.bucket, KEY)),
        "notification": json.dumps(notification),
        "busy": json.dumps(object_changed(book.bucket, busy)),
        "foreign": json.dumps(object_changed("another-bucket", KEY)),
        "truncated": json.dumps(object_changed(book.bucket, KEY))[:60],
        "picture": json.dumps(object_changed(book.bucket, "docs/a.png")),
        "list": "[1, 2]",
        "empty": "",
        "tags": json.dumps(object_changed(book.bucket, KEY) | {"detail-type": "Object Tags Added"}),
        "nameless": json.dumps({"detail-type": "Object Created", "detail": {"object": None}}),
    }
    event = {"Records": [{"messageId": name, "body": body} for name, body in bodies.items()]}
    heard: list[Outcome] = []
    book.ingest.ingest_key = _failing(book.ingest.ingest_key, busy)  # type: ignore[method-assign]
    answer = await ingest_batch(event, book.ingest, lambda: 60.0, heard.append)
    assert answer == {"batchItemFailures": [{"itemIdentifier": "busy"}]}
    assert {outcome.key: outcome.action for outcome in heard} == {
        KEY: "created",
        "docs/a b+ü.md": "created",
        busy: "failed",
    }
    assert await ingest_batch(event, book.ingest, lambda: 1.0) == {
        "batchItemFailures": [
            {"itemIdentifier": name} for name in ("good", "again", "notification", "busy")
        ]
    }


def _failing(
    look: Callable[..., Awaitable[Outcome]], key: str
) -> Callable[..., Awaitable[Outcome]]:
    async def maybe(asked: str, seconds: float | None = None) -> Outcome:
        if asked == key:
            raise RuntimeError("a defect")
        return await look(asked, seconds)

    return maybe


async def test_the_function_answers_a_batch_of_the_queue_and_a_schedule(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = book.ingest.index
    given = {
        "BUCKET": book.bucket,
        "DATABASE_URL": book.database.dsn("quoth_ingest"),
        "QDRANT_URL": book.qdrant_url,
        "QDRANT_COLLECTION": index.collection,
        "OPENAI_API_KEY": book.openai.api_key,
        "EMBEDDINGS_BASE_URL": book.openai.base_url,
    }
    for name, value in given.items():
        monkeypatch.setenv(f"QUOTH_{name}", value)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    for cached in CACHED:
        cached.cache_clear()
    book.put(FIRST)
    book.put(EDITED, "docs/unheard.md")
    event = {"Records": [{"messageId": "1", "body": json.dumps(object_changed(book.bucket, KEY))}]}
    try:
        answer = await asyncio.to_thread(handler.handler, event, Context())
        assert answer == {"batchItemFailures": []}
        assert "small pushes" in book.text_in_database()
        answer = await asyncio.to_thread(handler.handler, {"source": "aws.scheduler"}, Context())
        assert answer == {"looked_at": 1, "counts": {"created": 1}}
        await book.assert_equals_bucket()
    finally:
        await asyncio.to_thread(_end_function)


CACHED = (settings, handler._runner, handler._ingest, handler._failures)


class Context:
    def get_remaining_time_in_millis(self) -> int:
        return 60_000


def _end_function() -> None:
    async def close() -> None:
        await handler._ingest().aclose()
        await handler._failures().close()

    handler._runner().run(close())
    handler._runner().close()
    for cached in CACHED:
        cached.cache_clear()
