"""`make chaos`: each part is killed and brought back while readers ask.

The last line is one JSON object, whatever happens; the exit code is 1 when a question got no
honest end, a deferred one no answer, or a row is missing or there twice.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from tests.integration.up_process import children_named
from tests.load.__main__ import WORKERS, open_asking
from tests.load.figures import sums
from tests.load.readers import PATIENCE_S, Heard, counts, is_limited, read
from tests.load.settling import retries, settled
from tests.load.system import System, running_system

READERS, PAUSE_S = 40, 8.0
AWAY_S, REST_S = 6.0, 12.0
"""How long a part is away, and how long all are there before the next one goes."""
RECOVERY_S = 120.0
"""How long the answers that wait and the records on their way may take afterwards."""
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
    try:
        await asyncio.sleep(AWAY_S)
    finally:
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
    worker_killed, model_away, embeddings_away, qdrant_away, postgres_away, queue_away,
    everything_away,
)  # fmt: skip
"""The worker goes first: while the model is slow and trusted, questions are in its hands."""
LONGEST_S = len(DISTURBANCES) * (AWAY_S + REST_S) + REST_S + PATIENCE_S + RECOVERY_S + 120.0
"""Of a run, all waits at their bounds and two minutes for starting and stopping parts."""


async def _away(system: System, name: str) -> None:
    system.programs[name].kill()
    await asyncio.sleep(AWAY_S)
    await asyncio.to_thread(system.programs[name].start)


async def disturb(system: System) -> dict[str, Any]:
    """Readers ask all the while; afterwards every deferred question must be answered."""
    asking = open_asking(system, 13)
    heard_while: dict[str, dict[str, int]] = {}
    figures: dict[str, Any] = {"unanswered": -1, "failed": ""}
    try:
        async with asyncio.timeout(LONGEST_S), asking, retries(system):
            resting = asyncio.Event()
            readers = [
                asyncio.create_task(read(asking, resting.is_set, PAUSE_S)) for _ in range(READERS)
            ]
            for disturbance in DISTURBANCES:
                await asyncio.sleep(REST_S)
                before = len(asking.heard)
                await disturbance(system)
                heard_while[disturbance.__name__] = _outcomes(asking.heard[before:])
            await asyncio.sleep(REST_S)
            resting.set()
            await asyncio.gather(*readers)
            figures |= await settled(asking, system, RECOVERY_S)
    except Exception as error:  # whatever it was, the figures say how far it came
        figures["failed"] = f"{type(error).__name__}: {error}"
    again = Counter(trouble for each in asking.heard for trouble in each.troubles)
    return {
        **sums(asking, system),
        "quote_only": sum(is_limited(each) for each in asking.heard),
        **figures,
        "asked_again_for": dict(again),
        "heard_while": heard_while,
    }


def _outcomes(heard: Sequence[Heard]) -> dict[str, int]:
    found = counts(heard) | {"quote_only": sum(map(is_limited, heard))}
    return {name: count for name, count in found.items() if count}


def broken_promises(figures: dict[str, Any]) -> list[str]:
    """What the run did not hold, and what it did not put to the test."""
    none = ("error", "lost", "duplicates", "unheard", "unanswered", "failed")
    some = ("answered", "quote_only", "deferred", "tries_again")
    return [name for name in none if figures.get(name)] + [
        f"no {name}" for name in some if not figures.get(name)
    ]


def main() -> None:
    figures: dict[str, Any] = {}
    try:
        with running_system(WORKERS, 1.2, 2.0, wired=True) as system:
            figures = asyncio.run(disturb(system))
    except Exception as error:  # it did not start, or did not end
        figures["failed"] = f"{type(error).__name__}: {error}"
    print(json.dumps(figures))  # noqa: T201
    if broken := broken_promises(figures):
        sys.exit(f"broken: {', '.join(broken)}")


if __name__ == "__main__":
    main()
