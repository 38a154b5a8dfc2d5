"""Sets visibility timeouts of messages in the queue of the book's changes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

CONNECT_SECONDS = 1
READ_SECONDS = 2
ATTEMPTS = 1
"""Little time is left after a batch, and a failure costs only a delay."""
BATCH = 10


class ChangeQueueUnavailable(Exception):
    """The queue did not answer, or refused some of the timeouts."""


class ChangeQueue:
    """One SQS queue. Credentials come from the AWS environment; `client` is for a local stack."""

    def __init__(self, url: str, client: SQSClient | None = None) -> None:
        self._url = url
        self._client = client

    async def set_visibility(self, delays: Mapping[str, int]) -> None:
        """Set the visibility timeouts of received messages: seconds by receipt handle. Raises
        ChangeQueueUnavailable."""
        await asyncio.to_thread(self._set_visibility, delays)

    def _connected(self) -> SQSClient:
        if self._client is None:
            # Imported here: it comes with the Lambda runtime and is not needed to start.
            import boto3
            from botocore.config import Config

            self._client = boto3.client(
                "sqs",
                config=Config(
                    connect_timeout=CONNECT_SECONDS,
                    read_timeout=READ_SECONDS,
                    retries={"total_max_attempts": ATTEMPTS, "mode": "standard"},
                ),
            )
        return self._client

    def _set_visibility(self, delays: Mapping[str, int]) -> None:
        from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

        refused: list[str] = []
        handles = list(delays)
        try:
            for at in range(0, len(handles), BATCH):
                answer = self._connected().change_message_visibility_batch(
                    QueueUrl=self._url,
                    Entries=[
                        {"Id": str(n), "ReceiptHandle": each, "VisibilityTimeout": delays[each]}
                        for n, each in enumerate(handles[at : at + BATCH])
                    ],
                )
                refused += [each.get("Code", "") for each in answer.get("Failed", [])]
        except (BotoCoreError, ClientError, HTTPClientError, OSError) as error:
            raise ChangeQueueUnavailable(f"the queue of changes: {error}") from error
        if refused:
            raise ChangeQueueUnavailable(f"the queue of changes refused: {', '.join(refused)}")
