"""`python -m tools.scale`: admission, simulated at a hundred times the load it was made for."""

from __future__ import annotations

import argparse

from tools.scale.admission import Admission
from tools.scale.load import Limits, Outcomes, draw_questions, quantile
from tools.scale.queue import Queue

READERS = 200
"""SC-004: so many readers at once must be answered in time."""
ASKS_A_MINUTE = 1.0
MEDIAN, P95 = 1.29, 2.31
"""Seconds of an answer, measured with a model behind (docs/reference/performance.md)."""
SECONDS = 300.0


def scenarios(lock: float) -> list[tuple[str, Limits, float, float]]:
    """Name, limits, times the load, and how long a call holds the lock."""
    one, twice = Limits(), Limits(running_cap=400, system_total=1000)
    hundred = Limits(running_cap=1000, system_total=2500)
    return [
        ("as it is", one, 1, lock),
        ("as it is", one, 10, lock),
        ("as it is", one, 30, lock),
        ("as it is", one, 40, lock),
        ("cap 400, total 1,000", twice, 40, lock),
        ("as it is", one, 100, lock),
        ("cap 1,000, total 2,500", hundred, 100, lock),
        ("the same, a lock that takes twice as long", hundred, 100, 2 * lock),
        ("the same, and two halves with a lock each: one half", hundred, 50, 2 * lock),
    ]


def simulate(limits: Limits, times: float, lock: float, trip: float, patience: float) -> Outcomes:
    """Questions at `times` the load of READERS, for SECONDS."""
    per_second = times * READERS * ASKS_A_MINUTE / 60
    asked = draw_questions(per_second, SECONDS, MEDIAN, P95, patience)
    return Admission(Queue(limits), lock, trip).run(asked)


def line_of(name: str, times: float, told: Outcomes) -> str:
    """A row of the table, in Markdown."""
    rate = told.asked / told.seconds
    return (
        f"| {name} | {times:.0f} × | {rate:.0f} | {told.share(told.answered):.1%} |"
        f" {told.share(told.full):.1%} | {told.wait(0.5):.2f} | {told.wait(0.95):.1f} |"
        f" {told.overtaken:.1f} | {told.off:.2f} |"
        f" {told.most_running} | {told.lock_busy / told.seconds:.0%} |"
        f" {1000 * quantile(told.lock_waits, 0.95):.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="tools.scale", description=__doc__)
    parser.add_argument("--lock-ms", type=float, default=2.0, help="how long a call holds the lock")
    parser.add_argument("--trip-ms", type=float, default=10.0, help="round trip to the database")
    parser.add_argument("--patience", type=float, default=60.0, help="mean seconds, or inf")
    given = parser.parse_args()
    lock, trip = given.lock_ms / 1000, given.trip_ms / 1000
    print(
        "| limits | load | questions a second | answered | turned away | wait, s | 95 %, s |"
        " overtaken, s | estimate off, s | most at once | lock busy | 95 % wait for it, ms |"
    )
    print("|" + 12 * "---|")
    for name, limits, times, held in scenarios(lock):
        print(line_of(name, times, simulate(limits, times, held, trip, given.patience)))


if __name__ == "__main__":
    main()
