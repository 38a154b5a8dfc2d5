"""What a reader gets when the model is down, slow, of no use, or too dear."""

from __future__ import annotations

import pytest

import functions.query.app
from functions.web.sentences import MODEL_DOWN
from tests.integration.conftest import Open
from tests.integration.events import Function
from tests.integration.sample_stage import Stage
from tests.integration.writers import USE, USE_WHOLE, ask, writes
from tests.openai_server.replies import Failure, Reply, Slow, Text
from tests.openai_server.service import OpenAIServer


def test_quotes_with_a_notice_when_the_model_fails_twice(
    writing_query: Function, openai_server: OpenAIServer
) -> None:
    openai_server.script(Failure(500), Failure(500))
    answer = ask(writing_query)
    assert answer["notices"] == [{"code": "model_down", "text": MODEL_DOWN}]
    assert MODEL_DOWN == "AI generation unavailable. Please try again."
    assert answer["status"] == "answered"
    assert answer["claims"][0]["text"].startswith(USE)
    assert {claim["verification"] for claim in answer["claims"]} == {"verbatim"}
    assert answer["metadata"]["limited_mode"] is True
    assert len(openai_server.requests) == 2


def test_one_failure_costs_the_reader_nothing(
    writing_query: Function, openai_server: OpenAIServer
) -> None:
    openai_server.script(Failure(500))
    openai_server.answer_with(writes((USE_WHOLE, USE)))
    answer = ask(writing_query)
    assert answer["notices"] == []
    assert answer["response"] == f"{USE_WHOLE} [1]"


def test_quotes_with_a_notice_when_the_model_takes_too_long(
    writing: Open, openai_server: OpenAIServer
) -> None:
    openai_server.script(Slow(12.0))
    answer = ask(writing(functions.query.app, "query", request_seconds=3.0))
    assert [notice["text"] for notice in answer["notices"]] == [MODEL_DOWN]
    assert answer["claims"][0]["text"].startswith(USE)


@pytest.mark.parametrize("reply", [Text("No JSON at all"), Failure(401, "invalid_api_key")])
def test_quotes_with_a_notice_when_the_model_is_of_no_use(
    writing_query: Function, openai_server: OpenAIServer, reply: Reply
) -> None:
    openai_server.answer_with(lambda request: reply)
    answer = ask(writing_query)
    assert [notice["text"] for notice in answer["notices"]] == [MODEL_DOWN]
    assert answer["claims"][0]["text"].startswith(USE)


def test_an_answer_given_without_the_model_is_not_given_again_when_it_is_back(
    writing_query: Function, openai_server: OpenAIServer
) -> None:
    question = "What for is the ZMP used?"
    openai_server.script(Failure(500), Failure(500))
    ask(writing_query, question, fresh=False)
    openai_server.answer_with(writes((USE_WHOLE, USE)))
    answer = ask(writing_query, question, fresh=False)
    assert (answer["notices"], answer["response"]) == ([], f"{USE_WHOLE} [1]")


def test_quotes_when_the_budget_is_spent_and_calls_no_model(
    writing_query: Function, openai_server: OpenAIServer, stage: Stage
) -> None:
    stage.database.run("UPDATE limit_settings SET daily_ceiling_usd = 0")
    try:
        answer = ask(writing_query)
    finally:
        stage.database.run("UPDATE limit_settings SET daily_ceiling_usd = NULL")
    assert [notice["code"] for notice in answer["notices"]] == ["budget_spent"]
    assert answer["claims"][0]["text"].startswith(USE)
    assert openai_server.requests == []
