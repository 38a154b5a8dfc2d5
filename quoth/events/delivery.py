"""Stands in for Lambda's event source mapping: takes batches of the queue to the ingest handler."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from functions.logs import logger

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageTypeDef

Handle = Callable[[dict[str, Any]], Awaitable[dict[str, list[dict[str, str]]]]]

WORKERS = 2
BATCH = 5
POLL_SECONDS = 1
RETRY_SECONDS = 2
LONGEST_RETRY_SECONDS = 60
PAUSE_SECONDS = 1.0


class Delivery:
    """Delivers messages to `handle`, several batches at once.

    What the handler reports as failed is delivered again, later each time, and goes to the
    dead-letter queue in the end; the rest is deleted. A handler that raises fails its batch.
    """

    def __init__(
        self,
        client: SQSClient,
        queue_url: str,
        handle: Handle,
        *,
        workers: int = WORKERS,
        retry_s: int = RETRY_SECONDS,
    ) -> None:
        self._client = client
        self._queue_url = queue_url
        self._handle = handle
        self._workers = workers
        self._retry_s = retry_s
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
        except Exception:  # as on Lambda: the whole batch comes again
            logger().exception("a batch could not be handled")
            failed = {message.get("MessageId", "") for message in messages}
        await asyncio.to_thread(self._settle, messages, failed)

    def _settle(self, messages: Sequence[MessageTypeDef], failed: set[str]) -> None:
        for message in messages:
            handle = message.get("ReceiptHandle", "")
            if message.get("MessageId", "") not in failed:
                self._client.delete_message(QueueUrl=self._queue_url, ReceiptHandle=handle)
                continue
            received = int(message.get("Attributes", {}).get("ApproximateReceiveCount", "1"))
            wait = min(self._retry_s * 2 ** min(received - 1, 10), LONGEST_RETRY_SECONDS)
            self._client.change_message_visibility(
                QueueUrl=self._queue_url, ReceiptHandle=handle, VisibilityTimeout=wait
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
