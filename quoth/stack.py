"""All of Quoth on one machine: the embedded parts, the functions, and the book's events."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from functions.adapters.aws.object_store import ObjectStore
from functions.ingest.compose import compose_ingest
from functions.ingest.outcome import Outcome
from functions.runtime.settings import Settings, read_settings
from quoth.book_files import markdown_files
from quoth.book_layout import layout_settings
from quoth.events.emulator import Emulator
from quoth.events.pipeline import BookEvents, running_events
from quoth.events.sync import Synced
from quoth.json_lines import BadRow
from quoth.models import embedded_settings, embeds_here, model_settings
from quoth.parts import Parts

POOL = 8
"""Database connections per function; on Lambda there is one per process."""
INGEST_SECONDS = 90.0

Report = Callable[[Outcome], None]


class NotABook(ValueError):
    """The folder has no Markdown files, or settings that cannot be read. The message says which."""


@dataclass
class Ingested:
    """Outcomes of ingest by file."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    def add(self, outcome: Outcome) -> None:
        self.outcomes[outcome.key] = outcome

    @property
    def failed(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes.values() if outcome.action == "failed"]

    def notes(self) -> list[str]:
        """One line for each file that was skipped, failed or had a warning."""
        lines = [f"skipped {path}: {reason}" for path, reason in sorted(self.skipped.items())]
        for key, outcome in sorted(self.outcomes.items()):
            if outcome.action in ("failed", "skipped"):
                lines.append(f"{outcome.action} {key}: {outcome.reason}")
            lines += [f"warning {key}: {warning}" for warning in outcome.warnings]
        return lines


@dataclass(frozen=True)
class Stack:
    """A running stack. `settings` are by function; `reports` are called with every outcome."""

    book: Path
    settings: Mapping[str, Settings]
    emulator: Emulator
    events: BookEvents
    ingested: Ingested
    reports: list[Report]

    async def ingest_all(self, started: Callable[[int], None]) -> None:
        """Wait until the changes of the first synchronisation are in the index.

        `started` is called with their number. Files deleted while the stack was stopped cause no
        event; the reconciler removes them.
        """
        first = self.events.first
        changed = tuple(
            key for key in (*first.put, *first.deleted) if Path(key).suffix in (".md", ".mdx")
        )
        started(len(changed))
        await self.events.wait_until_ingested(changed)
        await self.events.reconcile()


def function_settings(
    book: Path, parts: Parts, environment: Mapping[str, str]
) -> dict[str, Settings]:
    """Settings by function. Each has its own database role; `selected` has no index.

    Raises NotABook and NoModelNamed.
    """
    keys = list(markdown_files(book))
    if not keys:
        raise NotABook(f"{book} has no Markdown files (.md or .mdx).")
    given: dict[str, str] = {
        **_layout_settings(book, keys),
        **model_settings(environment),
        "QUOTH_DATABASE_POOL_SIZE": str(POOL),
        "QUOTH_INGEST_SECONDS": str(INGEST_SECONDS),
    }
    if parts.session_key:
        given.setdefault("QUOTH_SESSION_KEY", parts.session_key)
    given.setdefault("QUOTH_READER_URL", parts.models_url)
    if embeds_here(environment):
        given |= embedded_settings(parts.models_url)
    index = {
        "QUOTH_QDRANT_URL": parts.qdrant_url,
        "QUOTH_QDRANT_COLLECTION": _collection(given),
    }
    waiting = {
        function: {
            "QUOTH_OUTBOX_URL": parts.outbox_url(function),
            "QUOTH_TICKET_KEY": parts.ticket_key,
        }
        for function in ("query", "selected")
    }
    own = {
        "query": {**index, **waiting["query"]},
        "selected": waiting["selected"],
        "ingest": {**index, "QUOTH_BUCKET": parts.emulator.bucket},
        "analytics": {},
    }
    return {
        name: read_settings(
            given | extra | {"QUOTH_DATABASE_URL": parts.postgres.dsn(f"quoth_{name}", "quoth")}
        )
        for name, extra in own.items()
    }


def _layout_settings(book: Path, keys: list[str]) -> dict[str, str]:
    try:
        return layout_settings(book, keys)
    except BadRow as error:
        raise NotABook(str(error)) from error


@asynccontextmanager
async def running_stack(
    book: Path, parts: Parts, origins: Sequence[str] = ()
) -> AsyncIterator[Stack]:
    """Run the functions and the book's events over running parts for the duration of the block.

    Pages of `origins` may ask, and those that QUOTH_ALLOWED_ORIGINS names.
    """
    allowed = ",".join((*origins, os.environ.get("QUOTH_ALLOWED_ORIGINS", "")))
    environment = {**os.environ, "QUOTH_ALLOWED_ORIGINS": allowed.strip(",")}
    settings = function_settings(book, parts, environment)
    store = ObjectStore(parts.emulator.bucket, parts.emulator.s3())
    ingest = compose_ingest(settings["ingest"], store)
    reports: list[Report] = []
    ingested = Ingested()

    def on_outcome(outcome: Outcome) -> None:
        ingested.add(outcome)
        for report in reports:
            report(outcome)

    def on_sync(synced: Synced) -> None:
        ingested.skipped = dict(synced.skipped)

    async with running_events(
        book, parts.emulator, ingest, on_outcome=on_outcome, on_sync=on_sync
    ) as events:
        yield Stack(book, settings, parts.emulator, events, ingested, reports)


def _collection(given: Mapping[str, str]) -> str:
    """A collection per embedding model: embeddings of different models are not comparable."""
    model = given.get("QUOTH_EMBEDDING_MODEL", Settings().embedding_model)
    return "book-" + "".join(c if c.isalnum() else "-" for c in model.lower())
