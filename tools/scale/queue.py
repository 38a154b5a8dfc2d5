"""The rules of admission as the database has them, for a simulation.

It follows `infra/migrations/006_admission.sql` and `010_waiting_times.sql`, a method for what each
function there decides. What it leaves out: functions that die (their leases), and readers who ask
more often than they may.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tools.scale.load import Limits

STEPS = 80


@dataclass(frozen=True, slots=True)
class Forecast:
    """`freed[n]` slots become free within `n` steps. Times in seconds; `runs` were running."""

    made_at: float
    runs: int
    usual: float
    steps: NDArray[np.float64]
    freed: NDArray[np.float64]

    def wait_at(self, place: int, now: float, cap: int) -> float:
        """Seconds until the query at this place has a slot."""
        age = now - self.made_at
        # What was to become free until now is gone to those who were before it.
        wanted = place - 0.1 + float(np.interp(age, self.steps, self.freed))
        beyond = max(0.0, wanted - float(self.freed[-1])) * self.usual / cap
        return max(0.0, float(np.interp(wanted, self.freed, self.steps)) - age + beyond)


def forecast_slots(
    now: float, ages: Sequence[float], took: Sequence[float], limits: Limits
) -> Forecast:
    """From how long those that run have run, and how long others took before them."""
    lengths = np.array(took or [limits.usual_seconds])
    step = max(float((lengths**2).mean() / lengths.mean()) / 20, 0.001)
    takes = _counted(np.rint(lengths / step)) / len(lengths)

    ends = np.zeros(STEPS)
    ends[0] = max(0, limits.running_cap - len(ages))
    begun, runs = np.unique(np.floor(np.array(ages) / step), return_counts=True)
    for age, count in zip((begun + 0.5) * step, runs, strict=True):
        left = lengths[lengths > age] - age
        left = left if left.size else np.zeros(1)
        ends += count * _counted(np.floor(left / step)) / len(left)
    for at in range(STEPS):
        # Whoever gets a slot frees it again; the quick within the step, and so who comes after.
        ends[at] = (ends[at] + ends[:at] @ takes[at:0:-1]) / (1 - min(takes[0], 0.95))
    return Forecast(
        made_at=now,
        runs=len(ages),
        usual=max(float(lengths.mean()), 0.01),
        steps=np.linspace(0.0, step * STEPS, STEPS + 1),
        freed=np.append(0.0, ends.cumsum()),
    )


def _counted(steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many fall into each step."""
    return np.bincount(steps.astype(int), minlength=STEPS)[:STEPS].astype(np.float64)


REMEMBERED = 100
SHORTEST_POLL, LONGEST_POLL = 0.5, 3.0
POLL_PER_ETA = 0.35


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the queue; times in seconds. `turn`: a slot may be taken under the lock."""

    position: int
    eta: int
    poll_after: float
    turn: bool = False


@dataclass(slots=True)
class _Waiting:
    seen_until: float
    passed_at: float = math.inf


@dataclass
class Queue:
    """Queries are known by their number, in the order they came. Times in seconds."""

    limits: Limits
    draw: random.Random = field(default_factory=lambda: random.Random(1))  # noqa: S311 - no secret
    _waiting: dict[int, _Waiting] = field(default_factory=dict)
    _granted: dict[int, float] = field(default_factory=dict)
    _running: dict[int, float] = field(default_factory=dict)
    _done: list[tuple[float, float]] = field(default_factory=list)
    _forecast: Forecast | None = None

    @property
    def length(self) -> int:
        return len(self._waiting)

    @property
    def running(self) -> int:
        return len(self._running)

    def admit(self, now: float, number: int) -> Place | bool:
        """Under the lock: whether the query runs, or its place; False when the system is full."""
        self._free_lapsed(now)
        inside = self._busy(now) + len(self._waiting)
        if inside >= self.limits.system_total:
            return False
        if inside < self.limits.running_cap:
            self._running[number] = now
            return True
        self._waiting[number] = _Waiting(now + self.limits.heartbeat)
        return self._place(now, number)

    def look(self, now: float, number: int) -> Place | None:
        """The place of a polling reader; polling keeps it. None when it has expired."""
        own = self._waiting.get(number)
        if own is None or own.seen_until < now:
            return None
        own.seen_until = now + self.limits.heartbeat
        return self._place(now, number)

    def grant(self, now: float, number: int) -> bool:
        """Under the lock: whether a slot is kept for the query."""
        self._free_lapsed(now)
        if self._busy(now) >= self.limits.running_cap:
            return False
        for passed in self._before(now, number):
            passed.passed_at = min(passed.passed_at, now)
        self._waiting.pop(number, None)
        self._granted[number] = now + self.limits.grant_lease
        return True

    def start(self, now: float, number: int) -> bool:
        """Whether the slot that was kept is still there; then the query runs."""
        if self._granted.pop(number, -math.inf) < now:
            return False
        self._running[number] = now
        return True

    def finish(self, now: float, number: int) -> None:
        started = self._running.pop(number)
        insort(self._done, (started, now - started))

    def _place(self, now: float, number: int) -> Place:
        before = self._before(now, number)
        position = len(before) + 1
        eta = self._wait_at(now, position)
        spread = 0.8 + 0.2 * self.draw.random()
        told = max(1, round(eta))
        # A fifth of the slots go to whoever polls first; no polling reader is passed for long.
        passed = told > 2 or any(
            each.passed_at < min(now - 1, each.seen_until - self.limits.heartbeat)
            for each in before
        )
        slack = 0 if passed else self.limits.running_cap // 5
        free = self.limits.running_cap - self._busy(now)
        return Place(
            position=position,
            eta=told,
            poll_after=max(min(POLL_PER_ETA * eta, LONGEST_POLL) * spread, SHORTEST_POLL),
            turn=free > 0 and position <= free + slack,
        )

    def _wait_at(self, now: float, position: int) -> float:
        made, cap, busy = self._forecast, self.limits.running_cap, self._busy(now)
        if made is None or now - made.made_at > 1 or abs(busy - made.runs) * 10 > cap:
            ages = [now - started for started in self._running.values()]
            ages += [0.0] * (busy - len(ages))
            # Of those younger than the oldest that runs, only the quick have ended.
            known = bisect_left(self._done, (min(self._running.values(), default=now),))
            took = [seconds for _, seconds in self._done[max(0, known - REMEMBERED) : known]]
            made = self._forecast = forecast_slots(now, ages, took, self.limits)
        return made.wait_at(position, now, cap)

    def _before(self, now: float, number: int) -> list[_Waiting]:
        return [
            each
            for other, each in self._waiting.items()
            if other < number and each.seen_until >= now
        ]

    def _busy(self, now: float) -> int:
        return len(self._running) + sum(until >= now for until in self._granted.values())

    def _free_lapsed(self, now: float) -> None:
        for number in [n for n, each in self._waiting.items() if each.seen_until < now]:
            del self._waiting[number]
        for number in [n for n, until in self._granted.items() if until < now]:
            del self._granted[number]
