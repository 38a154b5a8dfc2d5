"""The ingest function: batches of the queue, and the reconciler's schedule."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import Any

from functions.ingest.batches import ingest_batch
from functions.ingest.composing import compose_ingest
from functions.ingest.ingesting import Ingest
from functions.ingest.reconcile import reconcile
from functions.logs import logger
from functions.settings import settings

RESERVE_SECONDS = 3.0
"""What is kept back of the function's time to answer the queue."""


@cache
def _runner() -> asyncio.Runner:
    # One loop for the life of the process: the connections belong to it.
    return asyncio.Runner()


@cache
def _ingest() -> Ingest:
    return compose_ingest(settings())


def handler(event: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Answer an SQS batch with its failed messages, or a schedule with what was repaired."""
    if "Records" not in event:
        return _runner().run(_reconcile())

    def seconds_left() -> float:
        return float(context.get_remaining_time_in_millis()) / 1000 - RESERVE_SECONDS

    return _runner().run(ingest_batch(event, _ingest(), seconds_left))


async def _reconcile() -> dict[str, Any]:
    outcomes = await reconcile(_ingest())
    counts: dict[str, int] = {}
    for outcome in outcomes:
        counts[outcome.action] = counts.get(outcome.action, 0) + 1
    logger().info("the book was reconciled", extra={"counts": counts})
    return {"looked_at": len(outcomes), "counts": counts}
