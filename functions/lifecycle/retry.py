"""The scheduled retry: stores queued messages in the database and answers deferred queries.

Each function does it for its own queue and modes, with its own database role.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Literal, Protocol

from pydantic import ValidationError

from functions.adapters.aws.outbox import Message, OutboxUnavailable
from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
from functions.adapters.postgres.deferred_records import Deferral, Deferred, DeferredRecords
from functions.adapters.postgres.query_records import QueryRecord, QueryRecords
from functions.answer.deadline import Deadline
from functions.lifecycle.circuit_breakers import Part
from functions.lifecycle.failures import record_failures
from functions.lifecycle.not_served import NothingCanAnswer, NotServed
from functions.lifecycle.offline import LocalState, Queue
from functions.runtime.logs import logger
from functions.runtime.trace import Trace, current_trace, traced

RUN_SECONDS = 26.0
"""Less than the functions' time-out."""
CALL_SECONDS = 5.0
MIN_ANSWER_S = 8.0
RESERVE_S = 3.0
CONCURRENCY = 5
CHECK_INTERVAL_S = 3600.0
"""The interval of checks without a message: each one wakes a database that scales to zero."""


class Answers(Protocol):
    """An `AnswerService` as the retry uses it."""

    @property
    def records(self) -> QueryRecords: ...
    @property
    def local_state(self) -> LocalState: ...
    @property
    def calls(self) -> tuple[Part, ...]: ...
    async def answer_deferred(self, deferred: Deferred, seconds: float) -> None: ...
    def give_up(self, deferred: Deferred) -> QueryRecord: ...
    async def close(self) -> None: ...


@dataclass
class QueueState:
    """What a process knows of the waiting queries. `checked_at` is a monotonic time."""

    waiting: int = 0
    checked_at: float | None = None

    def is_due(self, now: float) -> bool:
        return (
            self.waiting > 0 or self.checked_at is None or now - self.checked_at > CHECK_INTERVAL_S
        )


@dataclass
class RetryResult:
    """Counts of a run: messages stored; queries answered, given up and still waiting."""

    stored: int = 0
    answered: int = 0
    given_up: int = 0
    waiting: int = 0


async def retry_deferred(answers: Answers, queue_state: QueueState, seconds: float) -> RetryResult:
    """Retry for up to `seconds`. An unavailable service ends the run early; its exceptions are
    logged, not raised."""
    done = RetryResult()
    deadline = Deadline.after(seconds)
    outbox, deferred = answers.local_state.outbox, answers.local_state.deferred
    try:
        messages = await outbox.waiting() if outbox else 0
        if deferred is None or not (messages or queue_state.is_due(time.monotonic())):
            return done
        # Check the database first: receiving a message that cannot be stored counts as a failure.
        await deferred.count(seconds=CALL_SECONDS)
        if outbox and messages:
            done.stored = await _store_messages(outbox, answers.records, deferred, deadline)
        await _answer_waiting(answers, deferred, deadline, done)
        queue_state.waiting = done.waiting = await deferred.count(seconds=CALL_SECONDS)
        queue_state.checked_at = time.monotonic()
    except (DatabaseUnavailable, DatabaseRejected, OutboxUnavailable) as error:
        queue_state.waiting = max(queue_state.waiting, 1)
        logger().warning("retry stopped", error=type(error).__name__)
    if done.stored or done.answered or done.given_up:
        logger().info("deferred work done", **asdict(done))
    return done


async def _store_messages(
    outbox: Queue, records: QueryRecords, deferred: DeferredRecords, deadline: Deadline
) -> int:
    stored = 0
    while deadline.left() > CALL_SECONDS and (messages := await outbox.receive()):
        for message in messages:
            if await _store(message, records, deferred):
                await outbox.delete(message)
                stored += message.kind != "look"
    return stored


async def _store(message: Message, records: QueryRecords, deferred: DeferredRecords) -> bool:
    """Store a message. Returns whether to delete it: a rejected one is redelivered, and ends in the
    dead-letter queue."""
    trace = current_trace()
    try:
        if trace is not None:  # log lines name the request that sent the message
            trace.correlation_id = message.request_id
        if message.kind == "record":
            await records.finish(QueryRecord(**message.body), seconds=CALL_SECONDS)
        elif message.kind == "deferral":
            await deferred.defer(Deferral(**message.body), seconds=CALL_SECONDS)
        return message.kind is not None
    except (DatabaseRejected, TypeError) as error:
        logger().error("message not stored", kind=message.kind, error=type(error).__name__)
        return False
    finally:
        if trace is not None:
            trace.correlation_id = ""


async def _answer_waiting(
    answers: Answers,
    deferred: DeferredRecords,
    deadline: Deadline,
    done: RetryResult,
) -> None:
    unavailable = asyncio.Event()

    async def work() -> None:
        while deadline.left() > MIN_ANSWER_S and not unavailable.is_set():
            taken = await deferred.take(answers.calls, seconds=CALL_SECONDS)
            if taken is None:
                return
            outcome = "failed" if taken.expired else await _try(answers, taken, deadline)
            if outcome == "unavailable":
                unavailable.set()
            elif outcome == "answered":
                done.answered += 1
            else:
                await answers.records.finish(answers.give_up(taken), seconds=CALL_SECONDS)
                done.given_up += 1

    # Wait for all workers before raising: none may go on with a closed connection.
    workers = (work() for _ in range(CONCURRENCY))
    for result in await asyncio.gather(*workers, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result


async def _try(
    answers: Answers, taken: Deferred, deadline: Deadline
) -> Literal["answered", "unavailable", "failed"]:
    try:
        await answers.answer_deferred(taken, deadline.left() - RESERVE_S)
    except NothingCanAnswer:
        return "unavailable"
    except NotServed as error:
        # Temporary: the book may not be indexed yet. Final: its passage may have been removed.
        return "unavailable" if error.is_temporary else "failed"
    except ValidationError:
        return "failed"
    return "answered"


def run_retry(
    function: str, build: Callable[[], Answers], queue_state: QueueState
) -> dict[str, int]:
    """Run the retry once, with connections of its own. Returns the counts."""

    async def run() -> RetryResult:
        answers = build()
        with traced(Trace(function, str(uuid.uuid4()))) as trace:
            try:
                return await retry_deferred(answers, queue_state, RUN_SECONDS)
            finally:
                await record_failures(trace, lambda: answers.records)
                await answers.close()

    loop = asyncio.new_event_loop()  # asyncio.run would unset the event loop that Mangum uses
    try:
        return asdict(loop.run_until_complete(run()))
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
