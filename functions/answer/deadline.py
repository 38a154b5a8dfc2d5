"""How much time a request has left. Every outside call takes its time-out from here."""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the monotonic clock, in seconds."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        return cls(time.monotonic() + seconds)

    def left(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self.at - time.monotonic())

    def within(self, seconds: float) -> float:
        """The smaller of `seconds` and what is left: a time-out for one call."""
        return min(seconds, self.left())
