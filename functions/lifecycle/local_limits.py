"""In-memory rate limits, used while the database is unavailable.

They are looser than the database's: each process counts only the questions it receives. Nobody is
queued, because processes share no order.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from functions.adapters.postgres.admission import BeginRequest, Begun, LimitOf

READER_LIMIT = 10
NETWORK_READERS = 10
WINDOW_S = 60.0
SESSION_S = 3600.0
"""A reader who has not asked for so long is new again."""
RUNNING = 50
"""Concurrent questions per process: a quarter of the database's limit. A Lambda process serves one
request at a time; there the function's concurrency is the limit."""
LEASE_S = 40.0
FULL_RETRY_S = 30
MAX_WINDOWS = 10_000
"""Readers and networks kept; beyond that, those whose window has expired are dropped."""


@dataclass
class LocalLimits:
    """Sliding windows per reader and per network, and the running queries.

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
        limits = [] if holds_ticket else self._limits(request, now)
        for name, limit_of, most in limits:
            wait_s = self._wait(name, most, now)
            if wait_s > 0:
                return Begun(
                    "limited",
                    retry_after_s=int(wait_s) + 1,
                    limit_of=limit_of,
                    most=most,
                    admitted_locally=True,
                )
        self.running = {id: until for id, until in self.running.items() if until > now}
        if len(self.running) >= self.running_cap:
            return Begun("full", retry_after_s=FULL_RETRY_S, admitted_locally=True)
        for name, _, _ in limits:
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

    def _limits(self, request: BeginRequest, now: float) -> list[tuple[str, LimitOf, int]]:
        """The windows that count a question, as the database has them."""
        reader = f"reader:{request.user_id or request.session_id}"
        limits: list[tuple[str, LimitOf, int]] = [(reader, "reader", READER_LIMIT)]
        if request.network and not request.user_id:
            readers = request.network_readers or NETWORK_READERS
            limits.append((f"network:{request.network}", "network", readers * READER_LIMIT))
            if self.windows.get(reader, [-math.inf])[-1] <= now - SESSION_S:
                limits.append((f"new:{request.network}", "new_readers", readers))
        return limits

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
