"""Breakers: open after failures in a row, one try after a pause, closed by a success."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from functions.adapters.postgres.admission import Begun, Verdict
from functions.answer.context import Context
from functions.answer.deadline import Deadline
from functions.answer.judge import JudgeFailed
from functions.answer.reader import Passage, ReaderFailed, Reading
from functions.answer.rewriter import RewriterFailed, Rewritten
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import Draft, WriterFailed
from functions.lifecycle.begin_finish import begin_concurrently
from functions.lifecycle.circuit_breakers import (
    Breakers,
    GuardedReader,
    PartCalls,
    guard,
    guard_judge,
    guard_rewriter,
)
from functions.lifecycle.not_served import NotServed
from functions.lifecycle.offline import BUSY_S, LocalState
from functions.lifecycle.tickets import Ticket
from functions.runtime.breaker import Breaker

NOTHING = Context((), ())
SOON = Deadline.after(86_400)  # from when all tests are collected


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_opens_after_failures_in_a_row_and_lets_one_try_after_each_pause() -> None:
    clock = Clock()
    breaker = Breaker(3, 30.0, clock)
    for worked in (False, False, True, False, False):
        assert breaker.allows()
        breaker.record(worked)
    assert breaker.allows()
    breaker.record(False)
    assert not breaker.allows()
    clock.now = 30.0
    assert [breaker.allows() for _ in range(3)] == [True, False, False]
    breaker.record(False)
    clock.now = 59.9
    assert not breaker.allows()
    clock.now = 60.0
    assert breaker.allows()
    breaker.record(True)
    assert [breaker.allows() for _ in range(3)] == [True] * 3


def test_a_try_that_never_ends_gives_way_to_another() -> None:
    clock = Clock()
    breaker = Breaker(1, 10.0, clock)
    breaker.record(False)
    clock.now = 10.0
    assert breaker.allows()
    clock.now = 20.0
    assert breaker.allows()


def test_the_databases_word_counts_while_it_is_there_and_the_own_count_without_it() -> None:
    breakers = Breakers()
    calls = PartCalls(breakers, Begun("run", parts={"model": 12.0}))
    assert (calls.allows("model"), calls.allows("vectors")) == (False, True)
    for _ in range(5):
        calls.record("vectors", False)
    assert calls.outcomes == {"vectors": False}
    assert not calls.allows("vectors")  # not a second time in one query
    assert PartCalls(breakers, Begun("run")).allows("vectors")
    alone = PartCalls(breakers, Begun("run", admitted_locally=True))
    assert not alone.allows("vectors")
    breakers.observe(Begun("run"))
    assert alone.allows("vectors")
    breakers.observe(Begun("run", parts={"vectors": 12.0}))
    assert not alone.allows("vectors")
    breakers.observe(Begun("limited"))
    assert not alone.allows("vectors")


class Model:
    def __init__(self, works: bool) -> None:
        self.works = works
        self.asked = 0

    async def write(self, question: str, context: Context, deadline: Deadline) -> Draft:
        self.asked += 1
        if not self.works:
            raise WriterFailed
        return Draft("none", ())


@pytest.mark.parametrize("works", [True, False])
async def test_reports_how_the_model_did_and_leaves_it_alone_while_it_is_away(works: bool) -> None:
    model, calls = Model(works), PartCalls(Breakers(), Begun("run"))
    writer = guard(model, calls)
    if works:
        await writer.write("?", NOTHING, SOON)
    else:
        with pytest.raises(WriterFailed):
            await writer.write("?", NOTHING, SOON)
    assert calls.outcomes == {"model": works}
    away = PartCalls(Breakers(), Begun("run", parts={"model": 9.0}))
    with pytest.raises(WriterFailed):
        await guard(model, away).write("?", NOTHING, SOON)
    assert (model.asked, away.outcomes) == (1, {})


class SomeJudge:
    def __init__(self, works: bool) -> None:
        self.works = works
        self.asked = 0

    async def entails(self, pairs: Sequence[tuple[str, str]], deadline: Deadline) -> list[bool]:
        self.asked += 1
        if not self.works:
            raise JudgeFailed
        return [True for _ in pairs]


@pytest.mark.parametrize("works", [True, False])
async def test_a_judge_has_a_breaker_of_its_own(works: bool) -> None:
    judge, calls = SomeJudge(works), PartCalls(Breakers(), Begun("run", parts={"model": 9.0}))
    guarded = guard_judge(judge, calls)
    assert guarded is not None
    if works:
        assert await guarded.entails([("a", "b")], SOON) == [True]
    else:
        with pytest.raises(JudgeFailed):
            await guarded.entails([("a", "b")], SOON)
    assert calls.outcomes == {"judge": works}
    away = PartCalls(Breakers(), Begun("run", parts={"judge": 9.0}))
    guarded = guard_judge(judge, away)
    assert guarded is not None
    with pytest.raises(JudgeFailed):
        await guarded.entails([("a", "b")], SOON)
    assert (judge.asked, away.outcomes, away.allows("model")) == (1, {}, True)
    assert guard_judge(None, calls) is None


class SomeReader:
    def __init__(self, works: bool) -> None:
        self.works = works

    async def read(
        self, question: str, passages: Sequence[Passage], deadline: Deadline
    ) -> Sequence[Reading]:
        if not self.works:
            raise ReaderFailed
        return []


@pytest.mark.parametrize("works", [True, False])
async def test_a_reader_has_a_breaker_of_its_own(works: bool) -> None:
    reader, calls = SomeReader(works), PartCalls(Breakers(), Begun("run"))
    if works:
        assert await GuardedReader(reader, calls).read("?", [], SOON) == []
    else:
        with pytest.raises(ReaderFailed):
            await GuardedReader(reader, calls).read("?", [], SOON)
    assert calls.outcomes == {"reader": works}
    away = PartCalls(Breakers(), Begun("run", parts={"reader": 9.0}))
    with pytest.raises(ReaderFailed, match="open"):
        await GuardedReader(SomeReader(True), away).read("?", [], SOON)
    assert away.outcomes == {}


def test_quotes_need_no_guard() -> None:
    quotes = QuoteWriter()
    assert guard(quotes, PartCalls(Breakers())) is quotes


@pytest.mark.parametrize(
    ("begun", "vector"),
    [
        (Begun("run", parts={"embeddings": 5.0}), None),
        (Begun("queued"), None),
        (Begun("run"), [1.0]),
    ],
)
async def test_does_not_wait_for_embeddings_that_are_not_wanted_any_more(
    begun: Begun, vector: list[float] | None
) -> None:
    ended = []

    async def begin() -> Begun:
        await asyncio.sleep(0)
        return begun

    async def embed() -> list[float]:
        try:
            await asyncio.sleep(0.01 if vector else 3600)
        finally:
            ended.append(True)
        return [1.0]

    async def moderate() -> None:
        return None

    calls = PartCalls(Breakers())
    async with asyncio.timeout(5):
        got = await begin_concurrently(begin(), embed, moderate, calls)
    assert got == (begun, vector, None)
    assert ended == [True]
    assert calls.begun is begun


async def test_leaves_nothing_running_when_the_reader_is_refused() -> None:
    ended = []

    async def refuse() -> Begun:
        await asyncio.sleep(0)
        raise NotServed("too_many_questions")

    async def wait() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append(True)

    with pytest.raises(NotServed):
        await begin_concurrently(refuse(), wait, wait, PartCalls(Breakers()))
    assert ended == [True, True]


@pytest.mark.parametrize(("verdict", "called"), [("queued", []), ("run", ["embed", "moderate"])])
async def test_calls_nothing_for_who_will_wait_before_the_turn_has_come(
    verdict: Verdict, called: list[str]
) -> None:
    order: list[str] = []

    async def begin() -> Begun:
        await asyncio.sleep(0.01)
        order.append("begun")
        return Begun(verdict)

    async def embed() -> list[float]:
        order.append("embed")
        return [1.0]

    async def moderate() -> None:
        order.append("moderate")

    await begin_concurrently(begin(), embed, moderate, PartCalls(Breakers()), likely=False)
    assert order == ["begun", *called]


def test_expects_a_queue_after_somebody_was_queued() -> None:
    clock = [100.0]
    local_state = LocalState(now=lambda: clock[0])
    assert local_state.expects_admission(None)
    local_state.observe(Begun("queued"))
    assert not local_state.expects_admission(None)
    assert local_state.expects_admission("a ticket")
    local_state.observe(Begun("run"), Ticket("one"))
    assert not local_state.expects_admission(None)
    clock[0] += BUSY_S
    assert local_state.expects_admission(None)
    local_state.observe(Begun("full"))
    local_state.observe(Begun("run"))
    assert local_state.expects_admission(None)


class SomeRewriter:
    def __init__(self, works: bool) -> None:
        self.works = works

    async def rewrite(self, question: str, *_: object) -> Rewritten:
        if not self.works:
            raise RewriterFailed
        return Rewritten(question)


@pytest.mark.parametrize("works", [True, False])
async def test_a_rewriter_has_a_breaker_of_its_own(works: bool) -> None:
    calls = PartCalls(Breakers(), Begun("run", parts={"model": 9.0}))
    guarded = guard_rewriter(SomeRewriter(works), calls)
    assert guarded is not None
    if works:
        assert await guarded.rewrite("why?", "What?", (), SOON) == Rewritten("why?")
    else:
        with pytest.raises(RewriterFailed):
            await guarded.rewrite("why?", "What?", (), SOON)
    assert calls.outcomes == {"rewriter": works}
    away = guard_rewriter(
        SomeRewriter(True), PartCalls(Breakers(), Begun("run", parts={"rewriter": 9.0}))
    )
    assert away is not None
    with pytest.raises(RewriterFailed):
        await away.rewrite("why?", "What?", (), SOON)
    assert guard_rewriter(None, calls) is None
