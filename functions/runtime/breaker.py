"""A circuit breaker: stops calls to a service after repeated failures."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Breaker:
    """Opens after `failures_allowed` consecutive failures.

    After the pause it allows one trial call, and refuses others until that ends, or for another
    pause.
    """

    failures_allowed: int = 5
    pause_s: float = 30.0
    clock: Callable[[], float] = time.monotonic
    failures: int = 0
    open_until: float | None = None

    def allows(self) -> bool:
        """Whether to call now. True from an open breaker makes this the trial call."""
        if self.open_until is None:
            return True
        if self.clock() < self.open_until:
            return False
        self.open_until = self.clock() + self.pause_s
        return True

    def record(self, worked: bool) -> None:
        """Record the outcome of a call."""
        if worked:
            self.failures, self.open_until = 0, None
            return
        self.failures += 1
        if self.failures >= self.failures_allowed:
            self.open_until = self.clock() + self.pause_s

    def hold_for(self, seconds: float) -> None:
        """Open the breaker for so long, whatever the failures; 0 closes it."""
        if seconds > 0:
            self.open_until = self.clock() + seconds
        elif self.open_until is not None:
            self.failures, self.open_until = 0, None
