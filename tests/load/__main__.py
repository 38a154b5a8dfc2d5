"""`make load`: readers at a usual pace, at saturation, and more than the system takes.

The last line is one JSON object; the exit code is 1 when a promise was broken.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
import uuid
from typing import Any

import httpx2

from tests.load.figures import latencies, queueing, sums
from tests.load.readers import QUESTIONS, TIMEOUT_S, Asking, read
from tests.load.system import System, running_system

WORKERS = 2
CAP, TOTAL = 200, 500
SAMPLE_S = 0.25


def open_asking(system: System, seed: int, most: int) -> Asking:
    """Readers' way in: one connection each."""
    limits = httpx2.Limits(max_connections=most, max_keepalive_connections=most)
    client = httpx2.AsyncClient(timeout=TIMEOUT_S, limits=limits)
    return Asking([worker.url for worker in system.workers], client, random.Random(seed))


async def usual(system: System, readers: int, seconds: float, pause_s: float) -> dict[str, Any]:
    """Readers who ask, read, and ask again."""
    asking = open_asking(system, 3, readers)
    memory: list[float] = []

    async def watch() -> None:
        while True:
            await asyncio.sleep(seconds / 12)
            memory.append(sum(worker.memory_mb for worker in system.workers))

    watching = asyncio.create_task(watch())
    until = time.perf_counter() + seconds

    def over() -> bool:
        return time.perf_counter() >= until

    async with asking.client:
        await asyncio.gather(*(read(asking, over, pause_s) for _ in range(readers)))
    watching.cancel()
    third = max(1, len(memory) // 3)
    return {
        "readers": readers,
        **sums(asking, system),
        **latencies(asking, system),
        "memory_mb": [round(memory[third]), round(memory[-1])] if len(memory) > third else [],
    }


async def saturated(system: System, readers: int, seconds: float) -> dict[str, Any]:
    """As many answers a second as there are to be had, and whose processor time they take."""
    asking = open_asking(system, 5, readers)
    programs = {**system.programs, "workers": None}
    before = _cpu(system)
    until = time.perf_counter() + seconds
    began = time.perf_counter()

    async def ask_on() -> None:
        while time.perf_counter() < until:
            question = asking.draw.choice(QUESTIONS)
            body = {"question": question, "session_id": str(uuid.uuid4()), "fresh": True}
            await asking.ask("/query", body)

    async with asking.client:
        await asyncio.gather(*(ask_on() for _ in range(readers)))
    took = time.perf_counter() - began
    used = {name: _cpu(system)[name] - before[name] for name in programs}
    answered = len(asking.heard)
    return {
        "per_s": round(answered / took, 1),
        "cpu_ms_a_query": {n: round(1000 * s / max(1, answered), 1) for n, s in used.items()},
        "per_s_and_core": round(answered / max(0.01, sum(used.values())), 1),
    }


async def crowded(system: System, readers: int) -> dict[str, Any]:
    """More readers at once than the system takes."""
    asking = open_asking(system, 7, readers)
    system.sql("TRUNCATE admissions")
    most = 0

    async def watch() -> None:
        nonlocal most
        while True:
            rows = await asyncio.to_thread(
                system.sql,
                "SELECT count(*) FROM admissions WHERE status IN ('queued', 'granted', 'running')",
            )
            most = max(most, int(rows[0][0]))
            await asyncio.sleep(SAMPLE_S)

    async def ask_once() -> None:
        await asyncio.sleep(asking.draw.uniform(0, 3))
        question = asking.draw.choice(QUESTIONS)
        body = {"question": question, "session_id": str(uuid.uuid4()), "fresh": True}
        await asking.ask("/query", body)

    watching = asyncio.create_task(watch())
    async with asking.client:
        await asyncio.gather(*(ask_once() for _ in range(readers)))
    watching.cancel()
    outcomes = sums(asking, system)
    return {
        "readers": readers,
        **{name: outcomes[name] for name in ("sent", "answered", "queued", "full", "error")},
        **queueing(asking.heard, system, CAP),
        "max_in_system": most,
    }


def _cpu(system: System) -> dict[str, float]:
    used = {name: program.cpu_s for name, program in system.programs.items()}
    return used | {"workers": sum(worker.cpu_s for worker in system.workers)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--pause", type=float, default=20.0, help="seconds between questions")
    parser.add_argument("--crowd", type=int, default=750, help="0 leaves the crowd out")
    given = parser.parse_args()
    with running_system(WORKERS, 1.2, 2.0) as system:
        figures = asyncio.run(usual(system, given.readers, given.seconds, given.pause))
    print(json.dumps(figures))  # noqa: T201
    with running_system(WORKERS, 0.01, 0.02) as system:
        figures["saturated"] = asyncio.run(saturated(system, 16, 15.0))
    print(json.dumps(figures["saturated"]))  # noqa: T201
    if given.crowd:
        with running_system(WORKERS, 10.0, 14.0) as system:
            figures["crowd"] = asyncio.run(crowded(system, given.crowd))
    print(json.dumps(figures))  # noqa: T201
    broken = [
        name
        for name in ("error", "lost", "duplicates", "full", "limited", "places_lost")
        if figures[name]
    ]
    crowd = figures.get("crowd", {})
    if crowd and (crowd["max_running"] > CAP or crowd["max_in_system"] > TOTAL):
        broken.append("limits")
    if broken:
        sys.exit(f"broken: {', '.join(broken)}")


if __name__ == "__main__":
    main()
