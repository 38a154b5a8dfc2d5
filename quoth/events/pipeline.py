"""The whole way of a change on one laptop: folder, bucket, event, queue, ingest."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from functions.adapters.aws.change_queue import ChangeQueue
from functions.ingest.batch import BatchAnswer, ingest_batch
from functions.ingest.ingest_document import Ingest
from functions.ingest.outcome import Outcome
from functions.ingest.reconcile import reconcile
from functions.ingest.retry_delay import Backoff, delay_retries
from quoth.events.delivery import Delivery
from quoth.events.emulator import Emulator
from quoth.events.provision import VISIBILITY_SECONDS
from quoth.events.sync import FolderSync, Synced
from quoth.events.watch import watch_folder

BATCH_SECONDS = VISIBILITY_SECONDS - 20.0
"""Less than a message in hand stays hidden, or another worker would get it too."""

BACKOFF = Backoff(first_s=2, max_s=60)
"""An author at a laptop waits for what failed."""

IDLE_POLL_SECONDS = 0.2
SETTLED_POLLS = 3


@dataclass
class BookEvents:
    """A book's folder that is being kept in the index. `first` is what the first sync changed."""

    first: Synced
    ingest: Ingest
    delivery: Delivery
    _settled: set[str] = field(default_factory=set)

    def note(self, outcome: Outcome) -> None:
        if outcome.is_settled:
            self._settled.add(outcome.key)

    async def wait_until_ingested(self, keys: tuple[str, ...]) -> None:
        """Return when each of these Markdown keys was looked at with success, or given up.

        Given up means: no message is left in the queue, those on their way counted.
        """
        empty = 0
        while not self._settled.issuperset(keys) and empty < SETTLED_POLLS:
            await asyncio.sleep(IDLE_POLL_SECONDS)
            empty = empty + 1 if await self.delivery.waiting() == 0 else 0

    async def reconcile(self) -> tuple[Outcome, ...]:
        """Take out what left the folder while nobody watched; after the first sync only."""
        return await reconcile(self.ingest)


@asynccontextmanager
async def running_events(
    folder: Path,
    emulator: Emulator,
    ingest: Ingest,
    *,
    on_outcome: Callable[[Outcome], None] = lambda _: None,
    on_sync: Callable[[Synced], None] = lambda _: None,
    watch: bool = True,
) -> AsyncIterator[BookEvents]:
    """Keep the index equal to a folder while the block runs.

    The folder is put into the emulator's bucket, its events are delivered to `ingest`, and later
    changes follow when `watch` is set. `on_outcome` hears of each document, `on_sync` of each
    change of the bucket. Raises OtherEmbeddingModel and the errors of the parts before anything
    runs; afterwards a part that fails is tried again.
    """
    await ingest.prepare()
    sync = FolderSync(folder, emulator.bucket, emulator.s3())
    changes = ChangeQueue(emulator.queue_url, emulator.sqs())

    async def handle(event: dict[str, Any]) -> BatchAnswer:
        until = time.monotonic() + BATCH_SECONDS
        answer = await ingest_batch(event, ingest, lambda: until - time.monotonic(), heard)
        await delay_retries(event, answer, changes, BACKOFF)
        return answer

    def heard(outcome: Outcome) -> None:
        events.note(outcome)
        on_outcome(outcome)

    delivery = Delivery(emulator.sqs(), emulator.queue_url, handle)
    events = BookEvents(Synced(), ingest, delivery)
    stop = asyncio.Event()
    tasks = [asyncio.create_task(delivery.run())]
    try:
        events.first = await asyncio.to_thread(sync.run)
        on_sync(events.first)
        if watch:
            tasks.append(asyncio.create_task(watch_folder(folder, sync, on_sync, stop)))
        yield events
    finally:
        stop.set()
        delivery.stop()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
