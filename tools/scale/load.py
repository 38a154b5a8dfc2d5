"""Who asks when, how long each answer takes, and the outcome of a run, simulated or real."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

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


@dataclass
class Outcomes:
    """Counts, and times in seconds.

    `waits` are from the question to the start of its answer; `starts` are a question's number, in
    the order they came, and when it began; `late_by` is how much later than first told one in the
    queue began. `calls` are of the database's functions, in a real run.
    """

    answered: int = 0
    queued: int = 0
    full: int = 0
    left: int = 0
    expired: int = 0
    most_running: int = 0
    longest_queue: int = 0
    lock_busy: float = 0.0
    seconds: float = 0.0
    waits: list[float] = field(default_factory=list)
    starts: list[tuple[int, float]] = field(default_factory=list)
    late_by: list[float] = field(default_factory=list)
    lock_waits: list[float] = field(default_factory=list)
    calls: list[float] = field(default_factory=list)

    @property
    def asked(self) -> int:
        return self.answered + self.full + self.left + self.expired

    def share(self, count: int) -> float:
        """Of all that were asked."""
        return count / self.asked if self.asked else 0.0

    def wait(self, share: float) -> float:
        """The quantile of the waits."""
        return quantile(self.waits, share)

    @property
    def overtaken(self) -> float:
        """How long before another the first of those behind it began, at the longest."""
        longest, earliest = 0.0, math.inf
        for _, started in sorted(self.starts, reverse=True):
            longest = max(longest, started - earliest)
            earliest = min(earliest, started)
        return longest

    @property
    def off(self) -> float:
        """By how much the estimates were wrong, in the middle."""
        return quantile([abs(each) for each in self.late_by], 0.5)


def quantile(values: list[float], share: float) -> float:
    """The value below which `share` of them lie; 0 of none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
