"""The model as a judge: does the evidence say the claim?"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from functions.adapters.openai.model_judge import ModelJudge
from functions.answer.deadline import Deadline
from functions.answer.judge import JudgeFailed
from functions.answer.write import prompts
from functions.answer.write.writer import Usage
from tests.openai_server.replies import Declined, Dropped, Failure, Reply, Slow, Text, Verdicts
from tests.openai_server.service import API_KEY, OpenAIServer

MODEL = "gpt-4.1-mini-2025-04-14"


@pytest.fixture
def spent() -> list[Usage]:
    return []


@pytest.fixture
async def judge(openai_server: OpenAIServer, spent: list[Usage]) -> AsyncIterator[ModelJudge]:
    judge = ModelJudge(openai_server.base_url, API_KEY, MODEL, seconds=5, on_usage=spent.append)
    yield judge
    await judge.close()


def _soon() -> Deadline:
    return Deadline.after(10)


async def test_judges_pairs_in_their_order(
    openai_server: OpenAIServer, judge: ModelJudge, spent: list[Usage]
) -> None:
    openai_server.script(Verdicts([True, False, True]))
    pairs = [("The arm has seven joints.", "It has seven."), ("b", "c"), ("d", "e\nf")]
    assert await judge.entails(pairs, _soon()) == [True, False, True]
    (request,) = openai_server.requests
    rows = [json.loads(line) for line in request.data.splitlines()[1:-1]]
    assert [(row["claim"], row["evidence"]) for row in rows] == pairs
    assert [row["pair"] for row in rows] == [1, 2, 3]
    assert request.body["store"] is False
    assert len(spent) == 1


async def test_a_pair_left_out_or_judged_both_ways_is_not_supported(
    openai_server: OpenAIServer, judge: ModelJudge
) -> None:
    rows = [(2, True), (2, False), (3, True), (9, True)]
    verdicts = [{"pair": pair, "supported": supported} for pair, supported in rows]
    openai_server.script(Text(json.dumps({"verdicts": verdicts})), Declined())
    pairs = [("a", "b")] * 3
    assert await judge.entails(pairs, _soon()) == [False, False, True]
    assert await judge.entails(pairs, _soon()) == [False, False, False]


async def test_no_pairs_need_no_call(openai_server: OpenAIServer, judge: ModelJudge) -> None:
    assert await judge.entails([], _soon()) == []
    assert openai_server.requests == []


BROKEN = [
    Failure(500),
    Failure(401),
    Dropped(),
    Text("{"),
    Text("yes"),
    Text('{"verdicts": [true]}'),
]


@pytest.mark.parametrize("reply", BROKEN, ids=str)
async def test_a_judge_of_no_use_fails_after_at_most_two_attempts(
    openai_server: OpenAIServer, judge: ModelJudge, reply: Reply
) -> None:
    openai_server.answer_with(lambda request: reply)
    with pytest.raises(JudgeFailed):
        await judge.entails([("a", "b")], _soon())
    assert 1 <= len(openai_server.requests) <= 2


async def test_one_failure_costs_no_verdict(openai_server: OpenAIServer, judge: ModelJudge) -> None:
    openai_server.script(Failure(503), Verdicts([True]))
    assert await judge.entails([("a", "b")], _soon()) == [True]


@pytest.mark.parametrize(("own", "request_s"), [(0.3, 60.0), (60.0, 0.3), (60.0, 0.0)])
async def test_a_late_judge_fails_within_its_own_time_and_the_requests(
    openai_server: OpenAIServer, own: float, request_s: float
) -> None:
    openai_server.answer_with(lambda request: Slow(30.0, Verdicts([True])))
    judge = ModelJudge(openai_server.base_url, API_KEY, MODEL, seconds=own)
    async with asyncio.timeout(20):
        with pytest.raises(JudgeFailed):
            await judge.entails([("a", "b")], Deadline.after(request_s))
    await judge.close()


async def test_it_uses_chat_completions_where_responses_are_missing(
    openai_server: OpenAIServer, judge: ModelJudge
) -> None:
    openai_server.missing_paths = {"/v1/responses"}
    openai_server.script(Verdicts([True]))
    assert await judge.entails([("a", "b")], _soon()) == [True]


async def test_relevance_has_instructions_of_its_own(
    openai_server: OpenAIServer, judge: ModelJudge
) -> None:
    openai_server.script(Verdicts([True]), Verdicts([False]))
    assert await judge.entails([("a", "b")], _soon()) == [True]
    assert await judge.answers([("a", "b")], _soon()) == [False]
    told = [request.body["instructions"] for request in openai_server.requests]
    assert told == [prompts.ENTAILMENT_INSTRUCTIONS, prompts.RELEVANCE_INSTRUCTIONS]
