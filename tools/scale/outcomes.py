"""What became of the questions of a run, simulated or real."""

from __future__ import annotations

import math
from dataclasses import dataclass, field


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
