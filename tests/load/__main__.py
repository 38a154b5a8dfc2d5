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

from psycopg import AsyncConnection

from tests.load.connections import Connections
from tests.load.figures import answered, latencies, queueing, sums
from tests.load.readers import PATIENCE_S, QUESTIONS, TIMEOUT_S, Asking, is_limited, read
from tests.load.settling import retries, settled
from tests.load.system import System, running_system

WORKERS = 2
SAMPLE_S = 0.25
WARM, WARM_S = 80, 10.0
"""Questions before the crowd comes, and the seconds they come in."""
SETTLE_S = 30.0
"""For records that took the way over the queue."""
USUAL, AT_ONCE = (1.2, 2.0), (0.01, 0.02)
ALONE = "limits unavailable"
"""Said when the database did not answer in time: such a query was let in without the queue."""
SLOW = (7.5, 11.0)
"""Median and p95 of the model's replies, in s. For the crowd it is slow: 200 slots then end some 35
questions a second, as a quarter is refused without the model. Two processors that carry everything
answer 40 to 56, and those who ask for their place take a part of that; with a faster model it would
be the processors that readers wait for, and not the slots. With a slower one, replies would come
after the first try's time-out, 17 s, and the model would soon be left alone."""
IN_SYSTEM = "SELECT count(*) FROM admissions WHERE status IN ('queued', 'granted', 'running')"
LONGEST_S = 2 * PATIENCE_S + 180.0
"""Of all parts after the first one, at the bounds of every wait."""
OVERTAKEN_S, ESTIMATE_S, SLOT_USE = 5.0, 1.0, 0.95
QUOTED = 0.05
"""The most of the crowd's answers that may be quotes alone."""


def open_asking(system: System, seed: int) -> Asking:
    """Readers' way in."""
    addresses = [worker.url for worker in system.workers]
    return Asking(addresses, Connections(TIMEOUT_S), random.Random(seed))


async def usual(system: System, readers: int, seconds: float, pause_s: float) -> dict[str, Any]:
    """Readers who ask, read, and ask again."""
    asking = open_asking(system, 3)
    memory: list[float] = []

    async def watch() -> None:
        while True:
            await asyncio.sleep(seconds / 12)
            memory.append(sum(worker.memory_mb for worker in system.workers))

    watching = asyncio.create_task(watch())
    until = time.perf_counter() + seconds

    def over() -> bool:
        return time.perf_counter() >= until

    async with asking:
        await asyncio.gather(*(read(asking, over, pause_s) for _ in range(readers)))
        watching.cancel()
        await settled(asking, system, SETTLE_S)
    third = max(1, len(memory) // 3)
    return {
        "readers": readers,
        **sums(asking, system),
        **latencies(asking, system),
        "memory_mb": [round(memory[third]), round(memory[-1])] if len(memory) > third else [],
    }


async def saturated(system: System, readers: int, seconds: float) -> dict[str, Any]:
    """As many answers a second as there are to be had, and whose processor time they take."""
    asking = open_asking(system, 5)
    programs = {**system.programs, "workers": None}
    before = _cpu(system)
    until = time.perf_counter() + seconds
    began = time.perf_counter()

    async def ask_on() -> None:
        while time.perf_counter() < until:
            question = asking.draw.choice(QUESTIONS)
            body = {"question": question, "session_id": str(uuid.uuid4()), "fresh": True}
            await asking.ask("/query", body)

    async with asking:
        await asyncio.gather(*(ask_on() for _ in range(readers)))
    took = time.perf_counter() - began
    used = {name: _cpu(system)[name] - before[name] for name in programs}
    answered = len(asking.heard)
    return {
        "per_s": round(answered / took, 1),
        "cpu_ms_a_query": {n: round(1000 * s / max(1, answered), 1) for n, s in used.items()},
        "per_s_and_core": round(answered / max(0.01, sum(used.values())), 1),
    }


async def crowded(
    system: System, readers: int, within_s: float, cap: int, total: int
) -> dict[str, Any]:
    """More readers at once than the system takes, which knows the model's pace already."""
    asking = open_asking(system, 7)
    system.sql("TRUNCATE admissions")
    system.change_limits(running_cap=cap, system_total=total)
    earlier = open_asking(system, 11)
    async with earlier:
        await asyncio.gather(*(ask_once(earlier, WARM_S) for _ in range(min(WARM, cap))))
    alone = system.logged(ALONE)
    before = frozenset(answered(system))
    most = 0

    async def watch() -> None:
        nonlocal most
        async with await AsyncConnection.connect(system.dsn, autocommit=True) as connection:
            while True:
                rows = await (await connection.execute(IN_SYSTEM)).fetchall()
                most = max(most, int(rows[0][0]))
                await asyncio.sleep(SAMPLE_S)

    watching = asyncio.create_task(watch())
    async with asking:
        await asyncio.gather(*(ask_once(asking, within_s) for _ in range(readers)))
        watching.cancel()
        await settled(asking, system, SETTLE_S)
    outcomes = sums(asking, system, before)
    return {
        "readers": readers,
        "cap": cap,
        "total": total,
        **outcomes,
        "quote_only": sum(map(is_limited, asking.heard)),
        **queueing(asking.heard, system, cap),
        "max_in_system": most,
        "begun_alone": system.logged(ALONE) - alone,
    }


async def ask_once(asking: Asking, within_s: float) -> None:
    await asyncio.sleep(asking.draw.uniform(0, within_s))
    question = asking.draw.choice(QUESTIONS)
    body = {"question": question, "session_id": str(uuid.uuid4()), "fresh": True}
    await asking.ask("/query", body)


def _cpu(system: System) -> dict[str, float]:
    used = {name: program.cpu_s for name, program in system.programs.items()}
    return used | {"workers": sum(worker.cpu_s for worker in system.workers)}


async def measure(system: System, given: argparse.Namespace, figures: dict[str, Any]) -> None:
    """All parts, one after another, into `figures`: what was measured is told in any case."""
    async with asyncio.timeout(given.seconds + LONGEST_S), retries(system):
        figures |= await usual(system, given.readers, given.seconds, given.pause)
        print(json.dumps(figures))  # noqa: T201
        system.slow_model(*AT_ONCE)
        figures["saturated"] = await saturated(system, 16, 15.0)
        print(json.dumps(figures["saturated"]))  # noqa: T201
        if given.crowd:
            system.slow_model(*SLOW)
            system.remember_questions()
            figures["crowd"] = await crowded(
                system, given.crowd, given.within, given.cap, given.total
            )


def broken_promises(figures: dict[str, Any]) -> list[str]:
    """What the run did not hold."""
    none = ("error", "lost", "duplicates", "full", "limited", "places_lost", "failed")
    broken = [name for name in none if figures.get(name)]
    if crowd := figures.get("crowd"):
        kept = {
            "max_running": crowd["max_running"] <= crowd["cap"],
            "max_in_system": crowd["max_in_system"] <= crowd["total"],
            "overtaken_s": crowd["overtaken_s"] <= OVERTAKEN_S,
            "estimate_error_p50_s": crowd["estimate_error_p50_s"] < ESTIMATE_S,
            "slot_use": crowd["slot_use"] >= SLOT_USE,
            # Whoever found no place was told so, and everybody else was answered.
            "full": crowd["full"] > 0,
            # Quotes come at once: they would put no queue to the test.
            "quote_only": crowd["quote_only"] <= QUOTED * crowd["answered"],
            **{name: not crowd[name] for name in none if name not in ("full", "failed")},
        }
        broken += [f"crowd {name}" for name, is_kept in kept.items() if not is_kept]
    return broken


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--pause", type=float, default=20.0, help="seconds between questions")
    parser.add_argument("--crowd", type=int, default=750, help="0 leaves the crowd out")
    parser.add_argument("--within", type=float, default=10.0, help="seconds the crowd comes in")
    parser.add_argument("--cap", type=int, default=200, help="of the crowd, running at once")
    parser.add_argument("--total", type=int, default=500, help="of the crowd, with those waiting")
    given = parser.parse_args()
    figures: dict[str, Any] = {}
    try:
        with running_system(WORKERS, *USUAL) as system:
            asyncio.run(measure(system, given, figures))
    except Exception as error:  # it did not start, or did not end
        figures["failed"] = f"{type(error).__name__}: {error}"
    print(json.dumps(figures))  # noqa: T201
    if broken := broken_promises(figures):
        sys.exit(f"broken: {', '.join(broken)}")


if __name__ == "__main__":
    main()
