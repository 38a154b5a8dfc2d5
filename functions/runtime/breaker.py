"""Stops calling a part that failed again and again, so that nobody waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Breaker:
    """Opens after so many failures in a row. When the pause is over one call may try the part; the
    others wait for how that ends, for at most another pause."""

    failures_allowed: int = 5
    pause_s: float = 30.0
    clock: Callable[[], float] = time.monotonic
    failures: int = 0
    open_until: float | None = None

    def allows(self) -> bool:
        """Whether to call now. True of an open breaker makes the caller the one who tries."""
        if self.open_until is None:
            return True
        if self.clock() < self.open_until:
            return False
        self.open_until = self.clock() + self.pause_s
        return True

    def record(self, worked: bool) -> None:
        """Tell how a call ended."""
        if worked:
            self.failures, self.open_until = 0, None
            return
        self.failures += 1
        if self.failures >= self.failures_allowed:
            self.open_until = self.clock() + self.pause_s

    def hold_for(self, seconds: float) -> None:
        """Keep calls away for so long, on another's word; 0 lets them through again."""
        if seconds > 0:
            self.open_until = self.clock() + seconds
        elif self.open_until is not None:
            self.failures, self.open_until = 0, None
