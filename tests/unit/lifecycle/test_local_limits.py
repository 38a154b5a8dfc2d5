"""Limits in memory: exact within one process, whatever the order of questions."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from functions.adapters.postgres.admission import BeginRequest, Begun
from functions.lifecycle.local_limits import (
    ADDRESS_LIMIT,
    LEASE_S,
    READER_LIMIT,
    WINDOW_S,
    LocalLimits,
)

KNOWN = Begun("run", content_version="7", budget="quotes", calibration={"slope": 1})
numbers = itertools.count()


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def ask(
    limits: LocalLimits, session: str = "s", address: str | None = None, *, ticket: bool = False
) -> Begun:
    request = BeginRequest(f"q{next(numbers)}", "book-wide", session, address=address)
    return limits.begin(request, KNOWN, ticket)


@given(st.lists(st.floats(0, 20), max_size=80))
def test_a_reader_never_gets_more_than_ten_in_any_minute(
    pauses: list[float],
) -> None:
    clock = Clock()
    limits = LocalLimits(clock, running_cap=10_000)
    accepted: list[float] = []
    for pause in pauses:
        clock.now += pause
        begun = ask(limits)
        if begun.verdict == "run":
            accepted.append(clock.now)
        else:
            assert begun.verdict == "limited"
            assert 1 <= begun.retry_after_s <= WINDOW_S + 1
    for first, eleventh in zip(accepted, accepted[READER_LIMIT:], strict=False):
        assert eleventh - first >= WINDOW_S


def test_who_waits_as_long_as_told_may_ask() -> None:
    clock = Clock()
    limits = LocalLimits(clock)
    verdicts = [ask(limits).verdict for _ in range(READER_LIMIT)]
    told = ask(limits)
    clock.now += told.retry_after_s
    assert [*verdicts, told.verdict] == ["run"] * READER_LIMIT + ["limited"]
    assert ask(limits).verdict == "run"


def test_an_address_gets_more_than_a_reader_and_not_everything() -> None:
    limits = LocalLimits(Clock(), running_cap=10_000)
    verdicts = [ask(limits, f"s{n}", "192.0.2.1").verdict for n in range(ADDRESS_LIMIT + 1)]
    assert verdicts == ["run"] * ADDRESS_LIMIT + ["limited"]
    assert ask(limits, "another", "192.0.2.2").verdict == "run"
    # A reader refused for the address has lost no turn.
    assert [ask(limits, "s-last", None).verdict for _ in range(READER_LIMIT)] == (
        ["run"] * READER_LIMIT
    )


def test_runs_no_more_than_its_share_and_frees_what_ended_or_died() -> None:
    clock = Clock()
    limits = LocalLimits(clock, running_cap=2)
    first, second, third = (ask(limits, f"s{n}") for n in range(3))
    assert (first.verdict, second.verdict, third.verdict) == ("run", "run", "full")
    assert limits.end(first.query_id)
    assert not limits.end(first.query_id)
    assert ask(limits, "s3").verdict == "run"
    assert ask(limits, "s4").verdict == "full"
    clock.now += LEASE_S
    assert ask(limits, "s4").verdict == "run"


def test_a_ticket_that_was_given_is_not_counted_again() -> None:
    limits = LocalLimits(Clock(), running_cap=100)
    for _ in range(READER_LIMIT):
        ask(limits)
    assert ask(limits).verdict == "limited"
    assert ask(limits, ticket=True).verdict == "run"


def test_goes_on_with_what_the_database_said_last_of_the_book() -> None:
    begun = ask(LocalLimits(Clock()))
    assert begun.admitted_locally
    assert (begun.content_version, begun.budget, begun.calibration) == ("7", "quotes", {"slope": 1})
    assert (begun.cached, begun.reader, begun.repeated) == (None, "", False)


def test_forgets_readers_who_are_gone() -> None:
    clock = Clock()
    limits = LocalLimits(clock, running_cap=100_000)
    for n in range(12_000):
        clock.now += 0.05
        ask(limits, f"s{n}")
    assert len(limits.windows) <= 10_000
