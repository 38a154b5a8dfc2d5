"""How soon a change comes again whose work failed.

The queue hides a message in hand for half an hour: AWS wants six times what the function may run,
so that a slow function never meets its own message. A function that crashed is waited for so long.
One that ended and reported a failure (the service of embeddings at its limit, the index away, no
time left) says so, and its messages come again after half a minute, then later each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from functions.adapters.aws.change_queue import ChangeQueue, ChangeQueueUnavailable
from functions.runtime.logs import logger


@dataclass(frozen=True, slots=True)
class Backoff:
    """Seconds until the second delivery, doubled for each one after, and the most there are."""

    first_s: int = 30
    max_s: int = 1800

    def delay_after(self, deliveries: int) -> int:
        """Seconds to wait after so many deliveries."""
        return int(min(self.first_s * 2 ** max(0, min(deliveries, 20) - 1), self.max_s))


def retry_delays(
    event: Mapping[str, Any], answer: Mapping[str, list[dict[str, str]]], pace: Backoff
) -> dict[str, int]:
    """Seconds by receipt handle, for the messages of an SQS batch that failed."""
    failed = {each["itemIdentifier"] for each in answer["batchItemFailures"]}
    return {
        record["receiptHandle"]: pace.delay_after(
            int(record.get("attributes", {}).get("ApproximateReceiveCount", "1"))
        )
        for record in event["Records"]
        if record.get("messageId", "") in failed and record.get("receiptHandle")
    }


async def delay_retries(
    event: Mapping[str, Any],
    answer: Mapping[str, list[dict[str, str]]],
    queue: ChangeQueue,
    pace: Backoff,
) -> None:
    """Tell the queue when to show what failed. A queue that does not listen shows it later."""
    waits = retry_delays(event, answer, pace)
    if not waits:
        return
    try:
        await queue.set_visibility(waits)
    except ChangeQueueUnavailable as error:
        logger().warning(
            "failed changes stay hidden", error=type(error).__name__, detail=str(error)
        )
