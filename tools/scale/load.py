"""Who asks when, and how long each answer takes: drawn once, for a simulation and a real run."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

Z95 = 1.6448536


@dataclass(frozen=True, slots=True)
class Limits:
    """As in the table `limit_settings`; times in seconds."""

    running_cap: int = 200
    system_total: int = 500
    grant_lease: float = 5.0
    heartbeat: float = 10.0
    usual_seconds: float = 4.0


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: when it comes, how long its answer takes, how long its reader waits."""

    at: float
    takes: float
    patience: float


def draw_questions(
    per_second: float,
    seconds: float,
    median: float,
    p95: float,
    patience: float = math.inf,
    seed: int = 1,
) -> list[Asked]:
    """Questions at a constant mean rate that come independently of each other.

    Times of answers are log-normal, from their median and 95th percentile; `patience` is the mean
    of an exponential time after which a reader who still waits is gone.
    """
    draw = random.Random(seed)  # noqa: S311 - a simulation wants the same numbers each time
    spread = math.log(p95 / median) / Z95 if p95 > median else 0.0
    asked: list[Asked] = []
    at = 0.0
    while (at := at + draw.expovariate(per_second)) < seconds:
        takes = draw.lognormvariate(math.log(median), spread)
        waits = math.inf if math.isinf(patience) else draw.expovariate(1 / patience)
        asked.append(Asked(at, takes, waits))
    return asked
