"""Stands in for Lambda's event source mapping: takes batches of the queue to the ingest handler."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from functions.runtime.logs import logger

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageTypeDef

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
    is deleted. A handler that raises fails its batch, which comes again after `crash_s` seconds.
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
        """Deliver until `stop` is called (batches in hand are finished) or this is cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._workers):
                group.create_task(self._work())

    def stop(self) -> None:
        self._stopping = True

    async def waiting(self) -> int:
        """Messages in the queue, those in hand and those held back included."""
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
        except Exception:  # as on Lambda: the whole batch comes again, but sooner
            logger().exception("a batch could not be handled")
            await asyncio.to_thread(self._show_again, messages)
        else:
            await asyncio.to_thread(self._delete, messages, failed)

    def _delete(self, messages: Sequence[MessageTypeDef], failed: set[str]) -> None:
        for message in messages:
            if message.get("MessageId", "") not in failed:
                handle = message.get("ReceiptHandle", "")
                self._client.delete_message(QueueUrl=self._queue_url, ReceiptHandle=handle)

    def _show_again(self, messages: Sequence[MessageTypeDef]) -> None:
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
