"""The whole of Quoth on one machine: the parts, the functions over them, and the book's events."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from functions.adapters.object_store import ObjectStore
from functions.book.links import generator_of
from functions.ingest.batches import ingest_batch
from functions.ingest.composing import compose_ingest
from functions.ingest.ingesting import Ingest
from functions.ingest.outcomes import Outcome
from functions.ingest.reconcile import reconcile
from functions.settings import Settings, read_settings
from quoth.embeddings.minilm import DIMENSIONS, NAME
from quoth.events.delivery import Delivery
from quoth.events.sync import FolderSync, Synced
from quoth.events.watch import watch_folder
from quoth.parts import Parts

POOL = 8
"""Database connections of each function here; on Lambda it is one a process."""
INGEST_SECONDS = 900.0
LOOK_SECONDS = 0.2

Report = Callable[[Outcome], None]


class NotABook(ValueError):
    """There is nothing to read in the folder. The message says what was looked for."""


@dataclass
class Ingested:
    """What became of the files that were looked at."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    def add(self, outcome: Outcome) -> None:
        self.outcomes[outcome.key] = outcome

    @property
    def failed(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes.values() if outcome.action == "failed"]

    def notes(self) -> list[str]:
        """A line for each file that is not wholly in the index, or was read with a warning."""
        lines = [f"skipped {path}: {reason}" for path, reason in sorted(self.skipped.items())]
        for key, outcome in sorted(self.outcomes.items()):
            if outcome.action in ("failed", "skipped"):
                lines.append(f"{outcome.action} {key}: {outcome.reason}")
            lines += [f"warning {key}: {warning}" for warning in outcome.warnings]
        return lines


@dataclass(frozen=True)
class Stack:
    """A running Quoth. `settings` are by function."""

    book: Path
    settings: Mapping[str, Settings]
    ingest: Ingest
    delivery: Delivery
    sync: FolderSync
    ingested: Ingested
    reports: list[Report]

    async def take_in(self, started: Callable[[int], None] | None = None) -> None:
        """Put the folder into the bucket and wait until all of its events are handled.

        `started` hears how many files were put or deleted. What the events cannot tell (files
        deleted while nothing ran) is repaired by the reconciler.
        """
        synced = await asyncio.to_thread(self.sync.run)
        self.note(synced)
        if started is not None:
            started(len(synced.put) + len(synced.deleted))
        while await self.delivery.waiting():
            await asyncio.sleep(LOOK_SECONDS)
        await reconcile(self.ingest, self.report)

    def note(self, synced: Synced) -> None:
        self.ingested.skipped.update(dict(synced.skipped))

    def report(self, outcome: Outcome) -> None:
        self.ingested.add(outcome)
        for report in self.reports:
            report(outcome)

    async def watch(self) -> None:
        """Follow the folder until cancelled."""
        await watch_folder(self.book, self.sync, self.note)


def function_settings(
    book: Path, parts: Parts, environment: Mapping[str, str]
) -> dict[str, Settings]:
    """Settings by function: each with its own database role, `selected` without the index."""
    keys = [path.relative_to(book).as_posix() for path in _markdown_of(book)]
    if not keys:
        raise NotABook(f"{book} holds no Markdown file (.md or .mdx).")
    generator, docs_root = generator_of(keys)
    given: dict[str, str] = {
        "QUOTH_GENERATOR": generator,
        "QUOTH_DOCS_ROOT": docs_root,
        **{name: value for name, value in environment.items() if name.startswith("QUOTH_")},
        "QUOTH_DATABASE_POOL_SIZE": str(POOL),
        "QUOTH_INGEST_SECONDS": str(INGEST_SECONDS),
    }
    if key := environment.get("OPENAI_API_KEY"):
        given.setdefault("QUOTH_OPENAI_API_KEY", key)
    if base := environment.get("OPENAI_BASE_URL"):
        given.setdefault("QUOTH_OPENAI_BASE_URL", base)
        given.setdefault("QUOTH_EMBEDDINGS_BASE_URL", base)
    if parts.embeddings_url:
        given |= {
            "QUOTH_EMBEDDINGS_BASE_URL": parts.embeddings_url,
            "QUOTH_EMBEDDING_MODEL": NAME,
            "QUOTH_EMBEDDING_DIMENSIONS": str(DIMENSIONS),
        }
    index = {
        "QUOTH_QDRANT_URL": parts.qdrant_url,
        "QUOTH_QDRANT_COLLECTION": _collection(given),
    }
    own = {
        "query": index,
        "selected": {},
        "ingest": {**index, "QUOTH_BUCKET": parts.emulator.bucket},
        "analytics": {},
    }
    return {
        name: read_settings(
            given | extra | {"QUOTH_DATABASE_URL": parts.postgres.dsn(f"quoth_{name}", "quoth")}
        )
        for name, extra in own.items()
    }


@asynccontextmanager
async def running_stack(book: Path, parts: Parts) -> AsyncIterator[Stack]:
    """The functions and the book's events over running parts, while the block runs."""
    settings = function_settings(book, parts, os.environ)
    store = ObjectStore(parts.emulator.bucket, parts.emulator.s3())
    ingest = compose_ingest(settings["ingest"], store)
    await ingest.prepare()
    reports: list[Report] = []
    ingested = Ingested()

    def report(outcome: Outcome) -> None:
        ingested.add(outcome)
        for each in reports:
            each(outcome)

    async def handle(event: dict[str, Any]) -> dict[str, list[dict[str, str]]]:
        return await ingest_batch(event, ingest, lambda: INGEST_SECONDS, report)

    delivery = Delivery(parts.emulator.sqs(), parts.emulator.queue_url, handle)
    sync = FolderSync(book, parts.emulator.bucket, parts.emulator.s3())
    stack = Stack(book, settings, ingest, delivery, sync, ingested, reports)
    running = asyncio.create_task(delivery.run())
    try:
        yield stack
    finally:
        delivery.stop()
        running.cancel()
        with suppress(asyncio.CancelledError, ExceptionGroup):
            await running


def _collection(given: Mapping[str, str]) -> str:
    """A collection for each embedding model: vectors of two models cannot stand in one."""
    model = given.get("QUOTH_EMBEDDING_MODEL", Settings().embedding_model)
    return "book-" + "".join(c if c.isalnum() else "-" for c in model.lower())


def _markdown_of(book: Path) -> list[Path]:
    return [
        path
        for suffix in ("*.md", "*.mdx")
        for path in book.rglob(suffix)
        if "node_modules" not in path.parts
    ]
