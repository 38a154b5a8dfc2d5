"""The book's events, from its folder to the ingest function."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from functions.adapters.aws.change_queue import ChangeQueue
from functions.ingest.batch import BatchAnswer, ingest_batch
from functions.ingest.ingest_document import Ingest
from functions.ingest.outcome import Outcome
from functions.ingest.reconcile import reconcile
from functions.ingest.retry_delay import Backoff, delay_retries
from functions.runtime.logs import logger
from quoth.events.emulator import Emulator
from quoth.events.resources import VISIBILITY_SECONDS
from quoth.events.sync import SETTLE_S, FolderSync, Synced, watch_folder

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageTypeDef

BATCH_SECONDS = VISIBILITY_SECONDS - 20.0
"""Less than the visibility time-out, or another worker would receive the message too."""

BACKOFF = Backoff(first_s=2, max_s=60)
"""Short, because an author at a laptop waits for a failed change."""

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
        """Return when each of these Markdown keys was ingested, or the queue is empty (messages in
        flight counted).
        """
        empty = 0
        while not self._settled.issuperset(keys) and empty < SETTLED_POLLS:
            await asyncio.sleep(IDLE_POLL_SECONDS)
            empty = empty + 1 if await self.delivery.waiting() == 0 else 0

    async def reconcile(self) -> tuple[Outcome, ...]:
        """Remove documents that were deleted while nothing ran; after the first sync only. Those
        that could not be read keep their last version."""
        return await reconcile(self.ingest, keep=self.first.unread)


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
    changes follow when `watch` is set. `on_outcome` is called for each document, `on_sync` after
    each look at the folder. Raises OtherEmbeddingModel and the errors of the parts before anything
    runs; afterwards a part that fails is tried again.
    """
    await ingest.prepare()
    sync = FolderSync(folder, emulator.bucket, emulator.s3(), settle_s=SETTLE_S)
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
        events.first = await _sync_first(sync)
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


async def _sync_first(sync: FolderSync) -> Synced:
    """The first synchronisation; files that were just saved are waited for."""
    first = await asyncio.to_thread(sync.run)
    if not first.unfinished:
        return first
    await asyncio.sleep(SETTLE_S)
    more = await asyncio.to_thread(sync.run)
    return replace(more, put=first.put + more.put, deleted=first.deleted + more.deleted)


Handle = Callable[[dict[str, Any]], Awaitable[dict[str, list[dict[str, str]]]]]

WORKERS = 2
BATCH = 5
POLL_SECONDS = 1
CRASH_SECONDS = 5
PAUSE_SECONDS = 1.0


class Delivery:
    """Delivers messages to `handle`, several batches at once.

    What the handler reports as failed stays in the queue, which delivers it again when its time is
    over or when the handler has told it to, and sends it to the dead letters in the end; the rest
    is deleted. A handler that raises fails its batch, which is redelivered after `crash_s` seconds.
    """

    def __init__(
        self,
        client: SQSClient,
        queue_url: str,
        handle: Handle,
        *,
        workers: int = WORKERS,
        crash_s: int = CRASH_SECONDS,
    ) -> None:
        self._client = client
        self._queue_url = queue_url
        self._handle = handle
        self._workers = workers
        self._crash_s = crash_s
        self._stopping = False

    async def run(self) -> None:
        """Deliver until `stop` is called (running batches are finished) or this is cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._workers):
                group.create_task(self._work())

    def stop(self) -> None:
        self._stopping = True

    async def waiting(self) -> int:
        """Messages in the queue, in-flight and delayed ones included."""
        answer = await asyncio.to_thread(
            self._client.get_queue_attributes, QueueUrl=self._queue_url, AttributeNames=["All"]
        )
        return sum(
            int(count)
            for name, count in answer["Attributes"].items()
            if name.startswith("ApproximateNumberOfMessages")
        )

    async def _work(self) -> None:
        while not self._stopping:
            try:
                messages = await asyncio.to_thread(self._receive)
                if messages:
                    await self._deliver(messages)
            except (BotoCoreError, ClientError, OSError):
                if self._stopping:
                    return
                logger().warning("the queue does not answer")
                await asyncio.sleep(PAUSE_SECONDS)

    def _receive(self) -> Sequence[MessageTypeDef]:
        answer = self._client.receive_message(
            QueueUrl=self._queue_url,
            MaxNumberOfMessages=BATCH,
            WaitTimeSeconds=POLL_SECONDS,
            MessageSystemAttributeNames=["All"],
        )
        return answer.get("Messages", [])

    async def _deliver(self, messages: Sequence[MessageTypeDef]) -> None:
        try:
            answer = await self._handle({"Records": [_record(message) for message in messages]})
            failed = {each["itemIdentifier"] for each in answer["batchItemFailures"]}
        except Exception:  # as on Lambda: the whole batch is redelivered, but sooner
            logger().exception("a batch could not be handled")
            await asyncio.to_thread(self._delay_retries, messages)
        else:
            await asyncio.to_thread(self._delete, messages, failed)

    def _delete(self, messages: Sequence[MessageTypeDef], failed: set[str]) -> None:
        for message in messages:
            if message.get("MessageId", "") not in failed:
                handle = message.get("ReceiptHandle", "")
                self._client.delete_message(QueueUrl=self._queue_url, ReceiptHandle=handle)

    def _delay_retries(self, messages: Sequence[MessageTypeDef]) -> None:
        for message in messages:
            self._client.change_message_visibility(
                QueueUrl=self._queue_url,
                ReceiptHandle=message.get("ReceiptHandle", ""),
                VisibilityTimeout=self._crash_s,
            )


def _record(message: MessageTypeDef) -> dict[str, Any]:
    """A message as Lambda hands it to a function."""
    return {
        "messageId": message.get("MessageId", ""),
        "receiptHandle": message.get("ReceiptHandle", ""),
        "body": message.get("Body", ""),
        "attributes": dict(message.get("Attributes", {})),
        "messageAttributes": {},
        "eventSource": "aws:sqs",
    }
