"""The ingest function: SQS batches, and the reconciler's schedule."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Coroutine, Mapping
from functools import cache
from typing import Any, TypeVar

from functions.adapters.aws.change_queue import ChangeQueue
from functions.adapters.aws.kill_switch import KillSwitch
from functions.adapters.aws.secrets import secret
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.query_records import QueryRecords
from functions.ingest.batch import ingest_batch
from functions.ingest.compose import compose_ingest
from functions.ingest.ingest_document import Ingest
from functions.ingest.reconcile import reconcile
from functions.ingest.retry_delay import Backoff, delay_retries
from functions.lifecycle.failures import record_failures
from functions.runtime.logs import logger
from functions.runtime.settings import settings
from functions.runtime.snapshot import finish_start
from functions.runtime.trace import Trace, traced

T = TypeVar("T")

RESERVE_SECONDS = 3.0
"""Time reserved for the response to SQS."""


@cache
def _runner() -> asyncio.Runner:
    # One loop for the life of the process: connections are bound to it.
    return asyncio.Runner()


@cache
def _switch() -> KillSwitch:
    return KillSwitch(settings)


@cache
def _ingest() -> Ingest:
    return compose_ingest(settings())


@cache
def _changes() -> ChangeQueue:
    return ChangeQueue(settings().changes_url)


def handler(event: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Return the failed messages of an SQS batch, or the reconciler's counts.

    Switched off, all messages stay in the queue; the reconciler repairs those that expire.
    """
    if _switch().is_off():
        logger().warning("switched off")
        messages = [record.get("messageId", "") for record in event.get("Records", ())]
        return {"batchItemFailures": [{"itemIdentifier": message} for message in messages]}
    trace = Trace("ingest", str(getattr(context, "aws_request_id", "") or uuid.uuid4()))
    if "Records" not in event:
        return _runner().run(_traced(trace, _reconcile()))

    def seconds_left() -> float:
        return float(context.get_remaining_time_in_millis()) / 1000 - RESERVE_SECONDS

    return _runner().run(_traced(trace, _ingest_batch(event, seconds_left)))


async def _ingest_batch(
    event: Mapping[str, Any], seconds_left: Callable[[], float]
) -> dict[str, Any]:
    answer = await ingest_batch(event, _ingest(), seconds_left)
    if settings().changes_url:
        await delay_retries(event, answer, _changes(), Backoff())
    return answer


async def _traced(trace: Trace, work: Coroutine[Any, Any, T]) -> T:
    """Run `work` with the invocation's id in its log lines, and store its failures."""
    with traced(trace):
        try:
            return await work
        except Exception:
            logger().exception("batch failed")
            raise
        finally:
            await record_failures(trace, _failures)


@cache
def _failures() -> QueryRecords:
    return QueryRecords(Database(secret(settings(), "database_url")))


async def _reconcile() -> dict[str, Any]:
    outcomes = await reconcile(_ingest())
    counts: dict[str, int] = {}
    for outcome in outcomes:
        counts[outcome.action] = counts.get(outcome.action, 0) + 1
    logger().info("book reconciled", extra={"counts": counts})
    return {"looked_at": len(outcomes), "counts": counts}


finish_start()
