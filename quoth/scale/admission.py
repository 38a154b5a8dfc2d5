"""A simulation of admission as the database does it: one lock, slots, a queue of polling readers.

It follows `infra/migrations/006_admission.sql`, with events in place of time. What it leaves out:
functions that die (their leases), readers who ask more often than they may, the forecast of slots
(`infra/migrations/010_waiting_times.sql`), and that nobody is passed for long (`slack_before`).
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from quoth.scale.load import Asked, Limits
from quoth.scale.outcomes import Outcomes

REMEMBERED = 50
SHORTEST_POLL, LONGEST_POLL = 0.5, 3.0
POLL_PER_ETA = 0.35


@dataclass(slots=True)
class _Reader:
    asked: Asked
    number: int
    seen_until: float = 0.0
    left: bool = False


@dataclass
class Admission:
    """The state of the queue. Times in seconds from the start.

    `lock` is how long a call holds the one lock, `trip` how long a call takes to the database and
    back without it.
    """

    limits: Limits
    lock: float
    trip: float
    seed: int = 1
    outcomes: Outcomes = field(default_factory=Outcomes)
    _events: list[tuple[float, int, Callable[[float], None]]] = field(default_factory=list)
    _order: itertools.count[int] = field(default_factory=itertools.count)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)
    _queue: dict[int, _Reader] = field(default_factory=dict)
    _granted: dict[int, float] = field(default_factory=dict)
    _running: int = 0
    _lock_free: float = 0.0
    _recent: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def __post_init__(self) -> None:
        self._draw = random.Random(self.seed)  # noqa: S311 - the same numbers each time

    def run(self, asked: Sequence[Asked]) -> Outcomes:
        """Let all of them ask, and return what became of them."""
        for each in asked:
            self._after(each.at, partial(self._arrive, asked=each))
        while self._events:
            now, _, event = heapq.heappop(self._events)
            event(now)
        self.outcomes.seconds = max((each.at for each in asked), default=0.0)
        return self.outcomes

    def _after(self, moment: float, event: Callable[[float], None]) -> None:
        heapq.heappush(self._events, (moment, next(self._order), event))

    def _locked(self, now: float, event: Callable[[float], None]) -> None:
        """Call the event when the lock is had; the lock is held for its time."""
        begins = max(now, self._lock_free)
        self._lock_free = begins + self.lock
        self.outcomes.lock_busy += self.lock
        self.outcomes.lock_waits.append(begins - now)
        self._after(begins + self.lock, event)

    def _arrive(self, now: float, asked: Asked) -> None:
        self._locked(now + self.trip / 2, lambda at: self._admit(at, asked))

    def _admit(self, now: float, asked: Asked) -> None:
        self._sweep(now)
        inside = self._busy + len(self._queue)
        if inside >= self.limits.system_total:
            self.outcomes.full += 1
            return
        if inside < self.limits.running_cap:
            self._start(now, asked)
            return
        reader = _Reader(asked, next(self._numbers), now + self.limits.heartbeat)
        self._queue[reader.number] = reader
        self.outcomes.queued += 1
        self.outcomes.longest_queue = max(self.outcomes.longest_queue, len(self._queue))
        self._poll_later(now, reader)

    @property
    def _busy(self) -> int:
        return self._running + len(self._granted)

    def _sweep(self, now: float) -> None:
        """Free what lapsed, as `count_system` does."""
        for number, reader in list(self._queue.items()):
            if reader.seen_until < now:
                del self._queue[number]
        for number, until in list(self._granted.items()):
            if until < now:
                del self._granted[number]

    def _start(self, now: float, asked: Asked) -> None:
        self._running += 1
        self.outcomes.waits.append(now - asked.at)
        self.outcomes.most_running = max(self.outcomes.most_running, self._running)
        # Half a trip to hear of it, and half a trip to say that it is done.
        self._after(now + self.trip + asked.takes, lambda at: self._finish(at, asked))

    def _finish(self, now: float, asked: Asked) -> None:
        self._running -= 1
        self._recent.append(asked.takes)
        self.outcomes.answered += 1

    def _place(self, now: float, reader: _Reader) -> int:
        return 1 + sum(
            1
            for number, other in self._queue.items()
            if number < reader.number and other.seen_until >= now
        )

    def _poll_later(self, now: float, reader: _Reader) -> None:
        # The database's own estimate is better in a burst; here it only spaces the polls.
        usual = sum(self._recent) / len(self._recent) if self._recent else self.limits.usual_seconds
        eta = self._place(now, reader) * usual / self.limits.running_cap
        pause = min(max(POLL_PER_ETA * eta, SHORTEST_POLL), LONGEST_POLL)
        pause *= 0.8 + 0.4 * self._draw.random()
        self._after(now + pause + self.trip / 2, lambda at: self._poll(at, reader))

    def _poll(self, now: float, reader: _Reader) -> None:
        if now - reader.asked.at > reader.asked.patience:
            self.outcomes.left += 1
            return  # a closed tab says nothing; its place lapses
        if reader.number not in self._queue or reader.seen_until < now:
            self.outcomes.expired += 1
            return
        reader.seen_until = now + self.limits.heartbeat
        cap, busy = self.limits.running_cap, self._busy
        if busy < cap and self._place(now, reader) <= cap - busy + cap // 5:
            self._locked(now, lambda at: self._grant(at, reader))
        else:
            self._poll_later(now, reader)

    def _grant(self, now: float, reader: _Reader) -> None:
        self._sweep(now)
        if reader.number not in self._queue or self._busy >= self.limits.running_cap:
            self._poll_later(now, reader)
            return
        del self._queue[reader.number]
        self._granted[reader.number] = now + self.limits.grant_lease
        # The reader hears of it and sends the question again with its ticket.
        self._after(now + self.trip, lambda at: self._use_grant(at, reader))

    def _use_grant(self, now: float, reader: _Reader) -> None:
        if self._granted.pop(reader.number, 0.0) < now:
            self.outcomes.expired += 1
            return
        self._start(now, reader.asked)
