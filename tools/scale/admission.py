"""A simulation of admission: readers who ask, poll and leave, and the one lock of the database."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from tools.scale.load import Asked, Outcomes
from tools.scale.queue import Place, Queue


@dataclass(frozen=True, slots=True)
class _Reader:
    asked: Asked
    number: int
    queued_at: float = 0.0
    told: int | None = None


@dataclass
class Admission:
    """What happens when, with events in place of time. Times in seconds from the start.

    `lock` is how long a call holds the one lock, `trip` how long a call takes to the database and
    back without it.
    """

    queue: Queue
    lock: float
    trip: float
    outcomes: Outcomes = field(default_factory=Outcomes)
    _events: list[tuple[float, int, Callable[[float], None]]] = field(default_factory=list)
    _order: itertools.count[int] = field(default_factory=itertools.count)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)
    _lock_free: float = 0.0

    def run(self, asked: Sequence[Asked]) -> Outcomes:
        """Simulate all questions, and return their outcomes."""
        for each in asked:
            admit = partial(self._admit, asked=each)
            self._after(each.at + self.trip / 2, partial(self._locked, event=admit))
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

    def _admit(self, now: float, asked: Asked) -> None:
        number = next(self._numbers)
        place = self.queue.admit(now, number)
        if place is True:
            self._run(now, _Reader(asked, number))
        elif place is False:
            self.outcomes.full += 1
        else:
            self.outcomes.queued += 1
            self.outcomes.longest_queue = max(self.outcomes.longest_queue, self.queue.length)
            self._poll_later(now, _Reader(asked, number, now, place.eta), place)

    def _run(self, now: float, reader: _Reader) -> None:
        self.outcomes.waits.append(now - reader.asked.at)
        self.outcomes.starts.append((reader.number, now))
        if reader.told is not None:
            self.outcomes.late_by.append(now - reader.queued_at - reader.told)
        self.outcomes.most_running = max(self.outcomes.most_running, self.queue.running)
        # Half a round trip to be told, and half to report the end.
        done = partial(self._finish, reader=reader)
        self._after(now + self.trip + reader.asked.takes, done)

    def _finish(self, now: float, reader: _Reader) -> None:
        self.queue.finish(now, reader.number)
        self.outcomes.answered += 1

    def _poll_later(self, now: float, reader: _Reader, place: Place) -> None:
        self._after(now + self.trip + place.poll_after, partial(self._poll, reader=reader))

    def _poll(self, now: float, reader: _Reader) -> None:
        if now - reader.asked.at > reader.asked.patience:
            self.outcomes.left += 1
            return  # a closed tab stops polling; its place expires
        place = self.queue.look(now, reader.number)
        if place is None:
            self.outcomes.expired += 1
        elif place.turn:
            self._locked(now, partial(self._grant, reader=reader, place=place))
        else:
            self._poll_later(now, reader, place)

    def _grant(self, now: float, reader: _Reader, place: Place) -> None:
        if self.queue.grant(now, reader.number):
            # The reader is told, and sends the question again with its ticket.
            self._after(now + self.trip, partial(self._start, reader=reader))
        else:
            self._poll_later(now, reader, place)

    def _start(self, now: float, reader: _Reader) -> None:
        if self.queue.start(now, reader.number):
            self._run(now, reader)
        else:
            self.outcomes.expired += 1
