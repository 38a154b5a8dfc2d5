"""What goes on while readers ask, and after they have gone: the retries of what waits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from quoth.serve import follow_deferred
from tests.load.connections import NoReply
from tests.load.figures import rows_missing
from tests.load.readers import Asking
from tests.load.system import System

STOP_S = 10.0


@asynccontextmanager
async def retries(system: System) -> AsyncIterator[None]:
    """The schedules of the functions, while the block runs."""
    task = asyncio.create_task(follow_deferred(system.settings))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task], timeout=STOP_S)


async def settled(asking: Asking, system: System, seconds: float) -> dict[str, float]:
    """How many deferred questions have no answer when all have one and every record has come, or
    when the time is up; and when that was."""
    waiting = {each.ticket for each in asking.heard if each.outcome == "deferred"}
    began = time.perf_counter()
    while (waiting or rows_missing(asking, system)) and time.perf_counter() - began < seconds:
        for ticket in list(waiting):
            try:
                reply = await asking.connections.get(f"{asking.address()}/tickets/{ticket}")
                is_done = reply.status_code == 200 and reply.json()["status"] == "done"
            except NoReply:
                continue
            if is_done:
                waiting.discard(ticket)
        await asyncio.sleep(1)
    return {"unanswered": len(waiting), "recovery_s": round(time.perf_counter() - began, 1)}
