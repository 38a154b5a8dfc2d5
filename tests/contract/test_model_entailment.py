"""The model as a judge: does the evidence say the claim?"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from functions.adapters.openai.model import ModelWriter
from functions.answer.deadline import Deadline
from functions.answer.write.writer import Usage
from tests.openai_server.replies import Declined, Text, Verdicts
from tests.openai_server.service import API_KEY, OpenAIServer

MODEL = "gpt-4.1-mini-2025-04-14"


@pytest.fixture
def spent() -> list[Usage]:
    return []


@pytest.fixture
async def writer(openai_server: OpenAIServer, spent: list[Usage]) -> AsyncIterator[ModelWriter]:
    writer = ModelWriter(openai_server.base_url, API_KEY, MODEL, on_usage=spent.append)
    yield writer
    await writer.close()


def _soon() -> Deadline:
    return Deadline.after(10)


async def test_judges_pairs_in_their_order(
    openai_server: OpenAIServer, writer: ModelWriter, spent: list[Usage]
) -> None:
    openai_server.script(Verdicts([True, False, True]))
    pairs = [("The arm has seven joints.", "It has seven."), ("b", "c"), ("d", "e\nf")]
    assert await writer.entails(pairs, _soon()) == [True, False, True]
    (request,) = openai_server.requests
    rows = [json.loads(line) for line in request.data.splitlines()[1:-1]]
    assert [(row["claim"], row["evidence"]) for row in rows] == pairs
    assert [row["pair"] for row in rows] == [1, 2, 3]
    assert request.body["store"] is False
    assert len(spent) == 1


async def test_a_pair_left_out_or_judged_both_ways_is_not_supported(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    rows = [(2, True), (2, False), (3, True), (9, True)]
    verdicts = [{"pair": pair, "supported": supported} for pair, supported in rows]
    openai_server.script(Text(json.dumps({"verdicts": verdicts})), Declined())
    pairs = [("a", "b")] * 3
    assert await writer.entails(pairs, _soon()) == [False, False, True]
    assert await writer.entails(pairs, _soon()) == [False, False, False]


async def test_no_pairs_need_no_call(openai_server: OpenAIServer, writer: ModelWriter) -> None:
    assert await writer.entails([], _soon()) == []
    assert openai_server.requests == []
