"""The questions of a simulated run, asked of the real functions in a real database."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Sequence

from functions.adapters.postgres.admission import BeginRequest, Begun
from functions.adapters.postgres.query_records import QueryRecord, QueryRecords
from tools.scale.load import Asked, Outcomes

SECONDS = 20.0


async def run_for_real(records: QueryRecords, asked: Sequence[Asked]) -> Outcomes:
    """Each question is a task: begin, poll while queued, "answer" by waiting, finish."""
    outcomes = Outcomes()
    began = time.perf_counter()

    async def reader(each: Asked) -> None:
        await asyncio.sleep(each.at - (time.perf_counter() - began))
        arrived = time.perf_counter()
        begun = await records.begin(_request(), seconds=SECONDS)
        outcomes.calls.append(time.perf_counter() - arrived)
        if begun.verdict == "full":
            outcomes.full += 1
            return
        if begun.verdict == "queued":
            outcomes.queued += 1
            taken = await _wait_for_slot(records, begun)
            if taken is None:
                outcomes.expired += 1
                return
            begun = taken
        outcomes.waits.append(time.perf_counter() - arrived)
        running[0] += 1
        outcomes.most_running = max(outcomes.most_running, running[0])
        await asyncio.sleep(each.takes)
        running[0] -= 1
        finishing = time.perf_counter()
        await records.finish(_record(begun.query_id), seconds=SECONDS)
        outcomes.calls.append(time.perf_counter() - finishing)
        outcomes.answered += 1

    running = [0]
    await asyncio.gather(*(reader(each) for each in asked))
    outcomes.seconds = time.perf_counter() - began
    return outcomes


async def _wait_for_slot(records: QueryRecords, begun: Begun) -> Begun | None:
    ticket = begun.ticket or ""
    pause = begun.poll_after_ms
    while True:
        await asyncio.sleep(pause / 1000)
        state = await records.ticket(ticket, seconds=SECONDS)
        if state.verdict == "queued":
            pause = state.poll_after_ms
            continue
        if state.verdict != "run":
            return None
        taken = await records.begin(_request(ticket), seconds=SECONDS)
        return taken if taken.verdict == "run" else None


def _request(ticket: str | None = None) -> BeginRequest:
    # Each question is another reader's: the limit per reader is not what is looked at here.
    return BeginRequest(str(uuid.uuid4()), "book-wide", str(uuid.uuid4()), ticket=ticket)


def _record(query_id: str) -> QueryRecord:
    return QueryRecord(
        query_id=query_id,
        response_id=str(uuid.uuid4()),
        mode="book-wide",
        session_id=query_id,
        question="What is a gait?",
        status="answered",
    )
