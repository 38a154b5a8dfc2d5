"""Limits in memory: exact within one process, whatever the order of questions."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from functions.adapters.postgres.admission import BeginRequest, Begun
from functions.lifecycle.local_limits import (
    LEASE_S,
    NETWORK_READERS,
    READER_LIMIT,
    SESSION_S,
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
    limits: LocalLimits,
    session: str = "s",
    network: str | None = None,
    *,
    ticket: bool = False,
    **more: Any,
) -> Begun:
    request = BeginRequest(f"q{next(numbers)}", "book-wide", session, network=network, **more)
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


def test_a_network_brings_so_many_new_readers_a_minute_and_as_many_questions_as_they_may_ask() -> (
    None
):
    clock = Clock()
    limits = LocalLimits(clock, running_cap=10_000)
    verdicts = [ask(limits, f"s{n}", "192.0.2.1").verdict for n in range(NETWORK_READERS + 1)]
    assert verdicts == ["run"] * NETWORK_READERS + ["limited"]
    told = ask(limits, "another", "192.0.2.1")
    assert (told.limit_of, told.most) == ("new_readers", NETWORK_READERS)
    assert ask(limits, "another", "192.0.2.2").verdict == "run"
    # Who has begun asks on, also in the next minutes; somebody else may begin then.
    clock.now += WINDOW_S
    for _ in range(READER_LIMIT):
        for n in range(NETWORK_READERS):
            assert ask(limits, f"s{n}", "192.0.2.1").verdict == "run"
    told = ask(limits, "s-last", "192.0.2.1")
    assert (told.limit_of, told.most) == ("network", NETWORK_READERS * READER_LIMIT)
    # A reader refused for the network has lost no turn.
    assert [ask(limits, "s-last").verdict for _ in range(READER_LIMIT)] == ["run"] * READER_LIMIT
    clock.now += SESSION_S
    verdicts = [ask(limits, f"s{n}", "192.0.2.1").verdict for n in range(NETWORK_READERS + 1)]
    assert verdicts == ["run"] * NETWORK_READERS + ["limited"]


def test_an_institution_brings_as_many_as_it_was_given() -> None:
    limits = LocalLimits(Clock(), running_cap=10_000)
    verdicts = [
        ask(limits, f"s{n}", "192.0.2.0/24", network_readers=300).verdict for n in range(301)
    ]
    assert verdicts == ["run"] * 300 + ["limited"]


def test_a_user_of_the_site_is_one_reader_in_any_session_and_network() -> None:
    limits = LocalLimits(Clock(), running_cap=10_000)
    for n in range(NETWORK_READERS):
        ask(limits, f"s{n}", "192.0.2.1")
    verdicts = [
        ask(limits, f"t{n}", f"192.0.2.{n % 2 + 1}", user_id="lea").verdict for n in range(11)
    ]
    assert verdicts == ["run"] * READER_LIMIT + ["limited"]


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
