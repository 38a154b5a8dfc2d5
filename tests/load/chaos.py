"""`make chaos`: each part is killed and brought back while readers ask.

The last line is one JSON object; the exit code is 1 when a question got no honest end, a deferred
one no answer, or a row is missing or there twice.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from quoth.retrying import follow_deferred
from tests.integration.up_process import children_named
from tests.load.__main__ import WORKERS, open_asking
from tests.load.figures import sums
from tests.load.readers import Asking, read
from tests.load.system import System, running_system

READERS, PAUSE_S = 40, 8.0
AWAY_S, REST_S = 6.0, 12.0
"""How long a part is away, and how long all are there before the next one goes."""
RECOVERY_S = 120.0
Disturbance = Callable[[System], Awaitable[None]]


async def model_away(system: System) -> None:
    await _away(system, "model")


async def embeddings_away(system: System) -> None:
    await _away(system, "embeddings")


async def qdrant_away(system: System) -> None:
    await _away(system, "qdrant")


async def postgres_away(system: System) -> None:
    await asyncio.to_thread(system.stop_postgres)
    await asyncio.sleep(AWAY_S)
    await asyncio.to_thread(system.start_postgres)


async def queue_away(system: System) -> None:
    """The queue hangs, which is worse than being gone."""
    found = children_named("ministack")
    for pid in found:
        os.kill(pid, signal.SIGSTOP)
    await asyncio.sleep(AWAY_S)
    for pid in found:
        os.kill(pid, signal.SIGCONT)


async def everything_away(system: System) -> None:
    """Neither index, model nor database: what cannot be answered waits in the queue."""
    for name in ("qdrant", "model", "embeddings"):
        system.programs[name].kill()
    await asyncio.to_thread(system.stop_postgres)
    await asyncio.sleep(AWAY_S)
    await asyncio.to_thread(system.start_postgres)
    for name in ("qdrant", "model", "embeddings"):
        await asyncio.to_thread(system.programs[name].start)


async def worker_killed(system: System) -> None:
    """A function dies in the middle of its queries."""
    system.workers[0].kill()
    await asyncio.sleep(AWAY_S / 2)
    await asyncio.to_thread(system.workers[0].start)


DISTURBANCES: tuple[Disturbance, ...] = (
    model_away, embeddings_away, qdrant_away, postgres_away, queue_away, everything_away,
    worker_killed,
)  # fmt: skip


async def _away(system: System, name: str) -> None:
    system.programs[name].kill()
    await asyncio.sleep(AWAY_S)
    await asyncio.to_thread(system.programs[name].start)


async def disturb(system: System) -> dict[str, Any]:
    """Readers ask all the while; afterwards every deferred question must be answered."""
    asking = open_asking(system, 13, READERS)
    length = len(DISTURBANCES) * (AWAY_S + REST_S) + REST_S
    until = time.perf_counter() + length
    ended: dict[str, int] = {}
    async with asking.client, _retries(system):
        readers = [asyncio.create_task(read(asking, until, PAUSE_S)) for _ in range(READERS)]
        for disturbance in DISTURBANCES:
            await asyncio.sleep(REST_S)
            before = len(asking.heard)
            await disturbance(system)
            ended[disturbance.__name__] = len(asking.heard) - before
        await asyncio.gather(*readers)
        unanswered = await _wait_for_deferred(asking)
    return {**sums(asking, system), "unanswered": unanswered, "heard_while": ended}


async def _wait_for_deferred(asking: Asking) -> int:
    """How many deferred questions still have no answer when the time is up."""
    waiting = {each.ticket for each in asking.heard if each.outcome == "deferred"}
    until = time.perf_counter() + RECOVERY_S
    while waiting and time.perf_counter() < until:
        for ticket in list(waiting):
            try:
                reply = await asking.client.get(f"{asking.address()}/tickets/{ticket}")
            except httpx2.HTTPError:
                continue
            if reply.status_code == 200 and reply.json()["status"] == "done":
                waiting.discard(ticket)
        await asyncio.sleep(1)
    return len(waiting)


@asynccontextmanager
async def _retries(system: System) -> AsyncIterator[None]:
    """The schedules of the functions, while the block runs."""
    task = asyncio.create_task(follow_deferred(system.settings))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def main() -> None:
    with running_system(WORKERS, 1.2, 2.0) as system:
        figures = asyncio.run(disturb(system))
    print(json.dumps(figures))  # noqa: T201
    broken = [name for name in ("error", "lost", "duplicates", "unanswered") if figures[name]]
    if broken:
        sys.exit(f"broken: {', '.join(broken)}")


if __name__ == "__main__":
    main()
