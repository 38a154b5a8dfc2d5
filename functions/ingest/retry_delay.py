"""Retry backoff for failed messages.

The queue's visibility timeout is half an hour: AWS recommends six times the function's timeout, so
that a slow function does not receive its own message again. After a crash, a message is retried
then. For a reported failure (a rate limit of the embeddings, the index unavailable, no time left)
the function sets a shorter timeout: half a minute, doubled with each delivery.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from functions.adapters.aws.change_queue import ChangeQueue, ChangeQueueUnavailable
from functions.runtime.logs import logger


@dataclass(frozen=True, slots=True)
class Backoff:
    """Seconds until the second delivery, doubled for each later one up to a maximum."""

    first_s: int = 30
    max_s: int = 1800

    def delay_after(self, deliveries: int) -> int:
        """Seconds until the next delivery after so many deliveries."""
        return int(min(self.first_s * 2 ** max(0, min(deliveries, 20) - 1), self.max_s))


def retry_delays(
    event: Mapping[str, Any], answer: Mapping[str, list[dict[str, str]]], backoff: Backoff
) -> dict[str, int]:
    """The failed messages of an SQS batch: seconds by receipt handle."""
    failed = {each["itemIdentifier"] for each in answer["batchItemFailures"]}
    return {
        record["receiptHandle"]: backoff.delay_after(
            int(record.get("attributes", {}).get("ApproximateReceiveCount", "1"))
        )
        for record in event["Records"]
        if record.get("messageId", "") in failed and record.get("receiptHandle")
    }


async def delay_retries(
    event: Mapping[str, Any],
    answer: Mapping[str, list[dict[str, str]]],
    queue: ChangeQueue,
    backoff: Backoff,
) -> None:
    """Set the visibility timeouts of failed messages. If the queue refuses, its own applies."""
    delays = retry_delays(event, answer, backoff)
    if not delays:
        return
    try:
        await queue.set_visibility(delays)
    except ChangeQueueUnavailable as error:
        logger().warning(
            "failed changes stay hidden", error=type(error).__name__, detail=str(error)
        )
