"""The model writer against a server that refuses what OpenAI refuses, and can be told to fail."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator

import pytest

from functions.adapters.openai.model import (
    ModelRejected,
    ModelTimedOut,
    ModelUnavailable,
    ModelWriter,
)
from functions.answer.context import Context, Sentence, Source
from functions.answer.deadline import Deadline
from functions.answer.write import prompts
from functions.answer.write.writer import DraftClaim, Usage
from tests.openai_server.replies import (
    Answer,
    Declined,
    Dropped,
    Failure,
    Reply,
    Slow,
    Text,
    Truncated,
)
from tests.openai_server.service import API_KEY, OpenAIServer

MODEL = "gpt-4.1-mini-2025-04-14"
QUESTION = "How many joints does the arm have?"
GOOD = Answer([("The arm has seven joints.", ["S1.1"])])
GOOD_CLAIM = DraftClaim("The arm has seven joints.", ("S1.1",))
RETRIED: list[Reply] = [
    Dropped(),
    Failure(500),
    Failure(503, body="<html>Bad gateway</html>"),
    Truncated(GOOD),
    Text('{"status": "full", "claims": [{"te', cut=True),
    Text("The arm has seven joints."),
    Text('{"status": "sure", "claims": []}'),
    Failure(200, body='{"object": "response"}'),
]


def _context(*texts: str) -> Context:
    return Context(
        (Source("selection", 1.0),),
        tuple(
            Sentence(f"S1.{at}", text, 0, "paragraph", at, at, at, at)
            for at, text in enumerate(texts, 1)
        ),
    )


CONTEXT = _context("The arm has seven joints.", "Each joint has an encoder.")


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


async def test_a_draft_holds_claims_with_their_sentences(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.script(GOOD)
    draft = await writer.write(QUESTION, CONTEXT, _soon())
    assert draft.status == "full"
    assert draft.claims == (GOOD_CLAIM,)
    assert json.loads(draft.raw)["status"] == "full"
    assert draft.usage is not None
    assert draft.usage.model == MODEL
    assert draft.usage.input_tokens > 0


async def test_the_request_is_strict_pinned_and_not_stored(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.script(GOOD)
    await writer.write(QUESTION, CONTEXT, _soon())
    (request,) = openai_server.requests
    assert request.path == "/v1/responses"
    body = request.body
    assert set(body) == {"model", "instructions", "input", "text", "max_output_tokens", "store"}
    assert body["store"] is False
    assert body["model"] == MODEL
    assert body["max_output_tokens"] == 1200
    assert body["text"]["format"]["strict"] is True
    assert body["text"]["format"]["schema"] == prompts.ANSWER_SCHEMA
    assert body["instructions"] == prompts.INSTRUCTIONS


async def test_the_model_sees_the_sentences_and_the_question_as_data(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.script(GOOD)
    await writer.write(QUESTION, CONTEXT, _soon())
    (request,) = openai_server.requests
    assert re.sub(r"\b[0-9a-f]{12}\b", "MARK", request.data) == (
        "BEGIN CONTEXT MARK\n"
        'S1.1 "The arm has seven joints."\n'
        'S1.2 "Each joint has an encoder."\n'
        "END CONTEXT MARK\n"
        "\n"
        "BEGIN QUESTION MARK\n"
        '"How many joints does the arm have?"\n'
        "END QUESTION MARK"
    )


async def test_effort_is_sent_when_set(openai_server: OpenAIServer) -> None:
    writer = ModelWriter(openai_server.base_url, API_KEY, "gpt-5-mini-2025-08-07", effort="low")
    openai_server.missing_paths = {"/v1/responses"}
    openai_server.script(GOOD)
    await writer.write(QUESTION, CONTEXT, _soon())
    await writer.close()
    first, second = (request.body for request in openai_server.requests)
    assert first["reasoning"] == {"effort": "low"}
    assert second["reasoning_effort"] == "low"


@pytest.mark.parametrize(
    "reply",
    [
        Answer(status="none"),
        Answer([("The arm is strong.", ["S1.1"])], status="none"),
        Answer(status="full"),
        Answer([("  ", ["S1.1"])]),
        Declined(),
    ],
    ids=str,
)
async def test_no_claims_is_a_draft_without_an_answer(
    openai_server: OpenAIServer, writer: ModelWriter, reply: Reply
) -> None:
    openai_server.script(reply)
    draft = await writer.write(QUESTION, CONTEXT, _soon())
    assert (draft.status, draft.claims) == ("none", ())
    assert draft.raw
    assert len(openai_server.requests) == 1


@pytest.mark.parametrize("failure", RETRIED, ids=str)
async def test_tries_once_more(
    openai_server: OpenAIServer, writer: ModelWriter, failure: Reply
) -> None:
    openai_server.script(failure, GOOD)
    draft = await writer.write(QUESTION, CONTEXT, _soon())
    assert draft.claims == (GOOD_CLAIM,)
    assert len(openai_server.requests) == 2


@pytest.mark.parametrize("failure", RETRIED, ids=str)
async def test_gives_up_after_the_second_try(
    openai_server: OpenAIServer, writer: ModelWriter, failure: Reply
) -> None:
    openai_server.script(failure, failure)
    with pytest.raises(ModelUnavailable):
        await writer.write(QUESTION, CONTEXT, _soon())
    assert len(openai_server.requests) == 2


async def test_counts_what_an_unusable_output_cost(
    openai_server: OpenAIServer, writer: ModelWriter, spent: list[Usage]
) -> None:
    openai_server.script(Text("no JSON, but not free"), GOOD)
    draft = await writer.write(QUESTION, CONTEXT, _soon())
    assert len(spent) == 2
    assert draft.usage is not None
    assert draft.usage.input_tokens == sum(one.input_tokens for one in spent)
    assert draft.usage.output_tokens == sum(one.output_tokens for one in spent)


async def test_a_failure_tells_what_it_cost(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.script(Text("no JSON, but not free"), Failure(503))
    with pytest.raises(ModelUnavailable) as caught:
        await writer.write(QUESTION, CONTEXT, _soon())
    assert caught.value.usage is not None
    assert caught.value.usage.output_tokens > 0


async def test_the_second_try_may_write_more_when_the_first_was_cut(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.script(Text('{"status":', cut=True), GOOD)
    await writer.write(QUESTION, CONTEXT, _soon())
    first, second = (request.body["max_output_tokens"] for request in openai_server.requests)
    assert second == 2 * first


async def test_a_slow_first_try_leaves_time_for_a_second(openai_server: OpenAIServer) -> None:
    writer = ModelWriter(openai_server.base_url, API_KEY, MODEL, try_s=2)
    openai_server.script(Slow(8, GOOD), GOOD)
    draft = await writer.write(QUESTION, CONTEXT, _soon())
    assert draft.claims == (GOOD_CLAIM,)
    await writer.close()


async def test_stops_at_the_deadline(openai_server: OpenAIServer, writer: ModelWriter) -> None:
    openai_server.script(Slow(5, GOOD))
    with pytest.raises(ModelTimedOut):
        await writer.write(QUESTION, CONTEXT, Deadline.after(2))
    assert len(openai_server.requests) == 1


async def test_asks_nothing_when_no_time_is_left(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    with pytest.raises(ModelTimedOut):
        await writer.write(QUESTION, CONTEXT, Deadline.after(0))
    assert openai_server.requests == []


async def test_a_busy_service_is_unavailable_at_once(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.script(Failure(429, "rate_limit_exceeded", retry_after="20"))
    with pytest.raises(ModelUnavailable):
        await writer.write(QUESTION, CONTEXT, _soon())
    assert len(openai_server.requests) == 1


@pytest.mark.parametrize(
    ("key", "model", "remedy"),
    [
        ("", MODEL, "check the OpenAI key"),
        ("sk-wrong", MODEL, "check the OpenAI key"),
        (API_KEY, "no-such-model", "set another"),
    ],
)
async def test_a_wrong_setting_is_a_rejection_with_a_remedy(
    openai_server: OpenAIServer, key: str, model: str, remedy: str
) -> None:
    writer = ModelWriter(openai_server.base_url, key, model)
    with pytest.raises(ModelRejected, match=remedy):
        await writer.write(QUESTION, CONTEXT, _soon())
    assert len(openai_server.requests) == 1
    await writer.close()


@pytest.mark.parametrize(
    ("status", "code"), [(403, None), (404, "model_not_found"), (429, "insufficient_quota")]
)
async def test_a_refused_request_is_not_tried_again(
    openai_server: OpenAIServer, writer: ModelWriter, status: int, code: str | None
) -> None:
    openai_server.script(Failure(status, code, message=f"no: {QUESTION}"))
    with pytest.raises(ModelRejected) as caught:
        await writer.write(QUESTION, CONTEXT, _soon())
    assert QUESTION not in str(caught.value)
    assert len(openai_server.requests) == 1


@pytest.mark.parametrize("model", [MODEL, "gpt-5-mini-2025-08-07"])
async def test_uses_chat_completions_where_responses_are_missing_and_remembers(
    openai_server: OpenAIServer, model: str
) -> None:
    writer = ModelWriter(openai_server.base_url, API_KEY, model)
    openai_server.missing_paths = {"/v1/responses"}
    openai_server.script(GOOD, Declined(), Text("{", cut=True), GOOD)
    assert (await writer.write(QUESTION, CONTEXT, _soon())).claims == (GOOD_CLAIM,)
    assert (await writer.write(QUESTION, CONTEXT, _soon())).status == "none"
    assert (await writer.write(QUESTION, CONTEXT, _soon())).claims == (GOOD_CLAIM,)
    paths = [request.path for request in openai_server.requests]
    assert paths == ["/v1/responses", *["/v1/chat/completions"] * 4]
    system, user = openai_server.requests[1].body["messages"]
    assert system == {"role": "system", "content": prompts.INSTRUCTIONS}
    assert 'S1.1 "The arm has seven joints."' in user["content"]
    await writer.close()


async def test_a_base_url_without_either_path_is_a_rejection(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.missing_paths = {"/v1/responses", "/v1/chat/completions"}
    with pytest.raises(ModelRejected, match="check it"):
        await writer.write(QUESTION, CONTEXT, _soon())
    openai_server.missing_paths = set()
    openai_server.script(GOOD)
    assert (await writer.write(QUESTION, CONTEXT, _soon())).status == "full"
    assert openai_server.requests[-1].path == "/v1/responses"
