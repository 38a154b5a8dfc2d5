"""Several ways of doing the same for a question, measured in turns."""

from __future__ import annotations

import gc
import inspect
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from quoth.statistics import percentile

Way = Callable[[str], Any]
"""Does it for a question; may be a coroutine function."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What one question takes, in ms: of the clock, of this process's processor time, and of the
    server's. Processor times are the median of rounds, None where the system does not tell."""

    median_ms: float
    p95_ms: float
    cpu_ms: float
    server_cpu_ms: float | None


async def take_turns(
    ways: Mapping[str, Way], rounds: Sequence[Sequence[str]], server: int
) -> dict[str, Taken]:
    """Each round asks its own questions in every way, one after another, so that nobody gains by
    having answered a question before; the first round is not counted.

    `server` is the id of the server's process.
    """
    clocks: dict[str, list[float]] = {name: [] for name in ways}
    own: dict[str, list[float]] = {name: [] for name in ways}
    others: dict[str, list[float]] = {name: [] for name in ways}
    for number, questions in enumerate(rounds):
        for name, way in ways.items():
            gc.collect()  # nobody pays for what another left behind
            clock: list[float] = []
            before, begun = processor_ms(server), time.process_time()
            for question in questions:
                at = time.perf_counter()
                done = way(question)
                if inspect.isawaitable(done):
                    await done
                clock.append((time.perf_counter() - at) * 1000)
            taken = (time.process_time() - begun) * 1000 / len(questions)
            after = processor_ms(server)
            if number:
                clocks[name] += clock
                own[name].append(taken)
                if before is not None and after is not None:
                    others[name].append((after - before) / len(questions))
    return {
        name: Taken(
            median(clocks[name]),
            percentile(clocks[name], 0.95),
            median(own[name]),
            median(others[name]) if others[name] else None,
        )
        for name in ways
    }


def processor_ms(process: int) -> float | None:
    """The processor time that a process has used; Linux alone tells of another's."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")
