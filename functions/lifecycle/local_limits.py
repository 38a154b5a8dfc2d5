"""In-memory rate limits, used while the database is unavailable.

They are looser than the database's: each process counts only the questions it receives. Nobody is
queued, because processes share no order.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from functions.adapters.postgres.admission import BeginRequest, Begun

READER_LIMIT = 10
ADDRESS_LIMIT = 100
WINDOW_S = 60.0
RUNNING = 50
"""Concurrent questions per process: a quarter of the database's limit. A Lambda process serves one
request at a time; there the function's concurrency is the limit."""
LEASE_S = 40.0
FULL_RETRY_S = 30
MAX_WINDOWS = 10_000
"""Readers and addresses kept; beyond that, those whose window has expired are dropped."""


@dataclass
class LocalLimits:
    """Sliding windows per reader and per address, and the running queries.

    Times are in seconds of `clock`; `running` holds the end of each query's lease.
    """

    clock: Callable[[], float] = time.monotonic
    running_cap: int = RUNNING
    windows: dict[str, list[float]] = field(default_factory=dict)
    running: dict[str, float] = field(default_factory=dict)

    def begin(self, request: BeginRequest, known: Begun, holds_ticket: bool) -> Begun:
        """Admit a query: run, limited or full.

        `known` is the last `Begun` of the database, for the book's fields. A query with a ticket
        was counted when the ticket was issued.
        """
        now = self.clock()
        reader = f"reader:{request.user_id or request.session_id}"
        limits = [(reader, READER_LIMIT)]
        if request.address:
            limits.append((f"address:{request.address}", ADDRESS_LIMIT))
        if not holds_ticket:
            wait_s = max(self._wait(name, limit, now) for name, limit in limits)
            if wait_s > 0:
                return Begun("limited", retry_after_s=int(wait_s) + 1, admitted_locally=True)
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
        """Free the query's slot. Returns whether it had one."""
        return self.running.pop(query_id, None) is not None

    def _wait(self, name: str, limit: int, now: float) -> float:
        """Seconds until the next question is allowed; 0 for now."""
        window = [at for at in self.windows.get(name, ()) if at > now - WINDOW_S]
        if window:
            self.windows[name] = window
        return window[-limit] + WINDOW_S - now if len(window) >= limit else 0.0

    def _forget(self, now: float) -> None:
        if len(self.windows) > MAX_WINDOWS:
            self.windows = {
                name: window for name, window in self.windows.items() if window[-1] > now - WINDOW_S
            }
