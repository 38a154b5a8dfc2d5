"""Figures every evaluation shares. Shares are 0 to 1."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The chance that a positive scores above a negative; ties count half. 0.5 when one side
    is empty."""
    if not positive or not negative:
        return 0.5
    ranked = sorted([(score, 1) for score in positive] + [(score, 0) for score in negative])
    rank_sum = 0.0
    at = 0
    while at < len(ranked):
        end = at
        while end < len(ranked) and ranked[end][0] == ranked[at][0]:
            end += 1
        rank_sum += (at + end + 1) / 2 * sum(label for _, label in ranked[at:end])
        at = end
    n, m = len(positive), len(negative)
    return round((rank_sum - n * (n + 1) / 2) / (n * m), 4)


def share(count: int, total: int) -> float:
    """count / total, rounded; 0 when there is nothing to share."""
    return round(count / total, 4) if total else 0.0


def percentile(values: Sequence[float], at: float) -> float:
    """The value below which the share `at` of the values lies (nearest rank)."""
    if not values:
        return 0.0
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(at * len(ranked)))]


@dataclass
class Timer:
    """Times the block it is entered for: processor time of this thread, and elapsed time."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    _started: tuple[float, float] = (0.0, 0.0)

    def __enter__(self) -> None:
        self._started = (time.thread_time(), time.perf_counter())

    def __exit__(self, *_: object) -> None:
        cpu, wall = self._started
        self.cpu.append((time.thread_time() - cpu) * 1000)
        self.wall.append((time.perf_counter() - wall) * 1000)

    def figures(self) -> dict[str, Any]:
        """Milliseconds of processor time, and the 95th percentile of elapsed time."""
        return {
            "ms_p50": round(percentile(self.cpu, 0.5), 2),
            "ms_p95": round(percentile(self.cpu, 0.95), 2),
            "wall_ms_p95": round(percentile(self.wall, 0.95), 2),
        }
