"""The scheduled retry: the queue is emptied into the database, deferred queries are answered.

Each function does it for its own queue and its own modes, under its own rights.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Literal, Protocol

from pydantic import ValidationError

from functions.adapters.aws.outbox import Message, Outbox, OutboxUnavailable
from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
from functions.adapters.postgres.deferred_records import Deferral, Deferred, DeferredRecords
from functions.adapters.postgres.query_records import QueryRecord, QueryRecords
from functions.answer.deadline import Deadline
from functions.lifecycle.circuit_breakers import Part
from functions.lifecycle.failures import record_failures
from functions.lifecycle.not_served import NothingCanAnswer, NotServed
from functions.lifecycle.offline import LocalState
from functions.runtime.logs import logger
from functions.runtime.trace import Trace, current_trace, traced

RUN_SECONDS = 26.0
"""Less than the functions may run."""
CALL_SECONDS = 5.0
MIN_ANSWER_S = 8.0
SPARE_S = 3.0
CONCURRENCY = 5
CHECK_INTERVAL_S = 3600.0
"""The database may sleep: without a sign that something waits it is looked at this often only."""


class Answers(Protocol):
    """What answers deferred queries: of the book, or of selections."""

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
    """What a process knows of what waits. `checked_at` is on its monotonic clock."""

    waiting: int = 0
    checked_at: float | None = None

    def is_due(self, now: float) -> bool:
        return (
            self.waiting > 0 or self.checked_at is None or now - self.checked_at > CHECK_INTERVAL_S
        )


@dataclass
class RetryResult:
    """What a run did: messages stored, queries answered, given up, and still waiting."""

    stored: int = 0
    answered: int = 0
    given_up: int = 0
    waiting: int = 0


async def retry_deferred(answers: Answers, queue_state: QueueState, seconds: float) -> RetryResult:
    """Do what can be done in so many seconds. A part that is away ends the run: the next one goes
    on. Raises nothing of the parts."""
    done = RetryResult()
    deadline = Deadline.after(seconds)
    outbox, deferred = answers.local_state.outbox, answers.local_state.deferred
    try:
        messages = await outbox.waiting() if outbox else 0
        if deferred is None or not (messages or queue_state.is_due(time.monotonic())):
            return done
        # Asked first: a message that is taken out while the database is away counts as a failure.
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
    outbox: Outbox, records: QueryRecords, deferred: DeferredRecords, deadline: Deadline
) -> int:
    stored = 0
    while deadline.left() > CALL_SECONDS and (messages := await outbox.receive()):
        for message in messages:
            if await _store(message, records, deferred):
                await outbox.delete(message)
                stored += message.kind != "look"
    return stored


async def _store(message: Message, records: QueryRecords, deferred: DeferredRecords) -> bool:
    """Whether it is done with. One that is refused comes again, and in the end goes to the dead
    letters."""
    trace = current_trace()
    try:
        if trace is not None:  # what is logged from here on names the request that sent it
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
    away = asyncio.Event()

    async def work() -> None:
        while deadline.left() > MIN_ANSWER_S and not away.is_set():
            taken = await deferred.take(answers.calls, seconds=CALL_SECONDS)
            if taken is None:
                return
            ended = "hopeless" if taken.expired else await _try(answers, taken, deadline)
            if ended == "away":
                away.set()
            elif ended == "answered":
                done.answered += 1
            else:
                await answers.records.finish(answers.give_up(taken), seconds=CALL_SECONDS)
                done.given_up += 1

    # All of them end before an error is raised: none is left at work on a closed connection.
    for ended in await asyncio.gather(
        *(work() for _ in range(CONCURRENCY)), return_exceptions=True
    ):
        if isinstance(ended, BaseException):
            raise ended


async def _try(
    answers: Answers, taken: Deferred, deadline: Deadline
) -> Literal["answered", "away", "hopeless"]:
    try:
        await answers.answer_deferred(taken, deadline.left() - SPARE_S)
    except NothingCanAnswer:
        return "away"
    except NotServed as error:
        # The passage may have left the book meanwhile; a book that is not there yet may come.
        return "away" if error.is_temporary else "hopeless"
    except ValidationError:
        return "hopeless"
    return "answered"


def run_retry(
    function: str, build: Callable[[], Answers], queue_state: QueueState
) -> dict[str, int]:
    """One scheduled run, with connections of its own; what it did."""

    async def run() -> RetryResult:
        answers = build()
        with traced(Trace(function, str(uuid.uuid4()))) as trace:
            try:
                return await retry_deferred(answers, queue_state, RUN_SECONDS)
            finally:
                await record_failures(trace, lambda: answers.records)
                await answers.close()

    loop = asyncio.new_event_loop()  # not asyncio.run: it would take the loop of the HTTP side away
    try:
        return asdict(loop.run_until_complete(run()))
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
