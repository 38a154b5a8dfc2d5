"""Who may ask while the database is away: the limits of one process, kept in its memory.

They are looser than the database's: a reader whose questions meet several processes is counted by
each of them alone. Nobody is queued, because there is nobody to tell who comes first.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from functions.adapters.postgres.query_records import BeginRequest, Begun

READER_LIMIT = 10
ADDRESS_LIMIT = 100
WINDOW_S = 60.0
RUNNING = 50
"""A quarter of what may run in all, for each process that takes several requests at once. On Lambda
a process takes one at a time, and the function's concurrency bounds the rest."""
LEASE_S = 40.0
FULL_RETRY_S = 30
MAX_WINDOWS = 10_000
"""Readers and addresses remembered; beyond that those with nothing in their window are dropped."""


@dataclass
class LocalLimits:
    """Windows of readers and addresses, and what runs, in seconds of `clock`."""

    clock: Callable[[], float] = time.monotonic
    running_cap: int = RUNNING
    windows: dict[str, list[float]] = field(default_factory=dict)
    running: dict[str, float] = field(default_factory=dict)

    def begin(self, request: BeginRequest, known: Begun, holds_ticket: bool) -> Begun:
        """What the query may do: run, limited or full. `known` is what the database said last of
        the book. Who holds a ticket was counted when it was given."""
        now = self.clock()
        reader = f"reader:{request.user_id or request.session_id}"
        limits = [(reader, READER_LIMIT)]
        if request.address:
            limits.append((f"address:{request.address}", ADDRESS_LIMIT))
        if not holds_ticket:
            waits = [self._wait(name, most, now) for name, most in limits]
            if max(waits) > 0:
                return Begun("limited", retry_after_s=int(max(waits)) + 1, admitted_locally=True)
        self.running = {id: until for id, until in self.running.items() if until > now}
        if len(self.running) >= self.running_cap:
            return Begun("full", retry_after_s=FULL_RETRY_S, admitted_locally=True)
        for name, _ in limits if not holds_ticket else ():
            self.windows.setdefault(name, []).append(now)
        self.running[request.query_id] = now + LEASE_S
        self._forget(now)
        return Begun(
            "run",
            query_id=request.query_id,
            content_version=known.content_version,
            calibration=known.calibration,
            embedding_model=known.embedding_model,
            dimensions=known.dimensions,
            budget=known.budget,
            admitted_locally=True,
        )

    def end(self, query_id: str) -> bool:
        """Free the slot of a query; whether it had one."""
        return self.running.pop(query_id, None) is not None

    def _wait(self, name: str, most: int, now: float) -> float:
        """Seconds until the next turn, 0 for now."""
        window = [at for at in self.windows.get(name, ()) if at > now - WINDOW_S]
        if window:
            self.windows[name] = window
        return window[-most] + WINDOW_S - now if len(window) >= most else 0.0

    def _forget(self, now: float) -> None:
        if len(self.windows) > MAX_WINDOWS:
            self.windows = {
                name: window for name, window in self.windows.items() if window[-1] > now - WINDOW_S
            }
