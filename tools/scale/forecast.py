"""How long those in the queue will wait: `infra/migrations/010_waiting_times.sql`, in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
