"""Models of servers that speak OpenAI's API in part: what they do not know is left out, what they
write is found, and what they send has an end."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from functions.adapters.openai.client import OpenAIFailure
from functions.adapters.openai.embeddings import Embeddings, EmbeddingsRejected
from functions.adapters.openai.model import (
    ModelRejected,
    ModelTimedOut,
    ModelUnavailable,
    ModelWriter,
)
from functions.adapters.openai.model_calls import Dialect, find_object
from functions.adapters.openai.model_judge import ModelJudge
from functions.answer.deadline import Deadline
from functions.answer.write import prompts
from functions.answer.write.writer import DraftClaim, Usage
from tests.openai_server.replies import Answer, Endless, Failure, Redirect, Reply, Text, written
from tests.openai_server.scripts import answer_supported
from tests.openai_server.service import API_KEY, OpenAIServer, OwnServer
from tests.unit.answer.contexts import context

MODEL = "qwen3:8b"
QUESTION = "What corrects small pushes?"
TRUE = "The ankle strategy corrects small pushes."
GOOD = Answer([(TRUE, ["S1.1"])])
JSON = written(GOOD)
ONE = (DraftClaim(TRUE, ("S1.1",)),)
NOTHING = Usage(0, 0, MODEL)
REFUSES_ALL = frozenset({"reasoning", "reasoning_effort", "text", "response_format", "store"})


@pytest.fixture
def spent() -> list[Usage]:
    return []


@pytest.fixture
async def writer(openai_server: OpenAIServer, spent: list[Usage]) -> AsyncIterator[ModelWriter]:
    """Set up as `quoth` sets it up for a server that wants no key."""
    openai_server.own = OwnServer(MODEL)
    writer = ModelWriter(openai_server.base_url, "", MODEL, effort="none", on_usage=spent.append)
    yield writer
    await writer.close()


def soon() -> Deadline:
    return Deadline.after(20)


@pytest.mark.parametrize(
    ("unknown", "calls", "dialect"),
    [
        (set(), 1, Dialect()),
        ({"reasoning"}, 2, Dialect(has_effort=False)),
        ({"text"}, 3, Dialect(has_effort=False, has_schema=False, is_told=True)),
        (REFUSES_ALL, 4, Dialect("chat", has_effort=False, has_schema=False, is_told=True)),
    ],
    ids=["none", "effort", "structured output", "all but what chat completions need"],
)
async def test_a_parameter_that_the_server_refuses_is_left_out_from_then_on(
    openai_server: OpenAIServer,
    writer: ModelWriter,
    unknown: set[str],
    calls: int,
    dialect: Dialect,
) -> None:
    openai_server.own = OwnServer(MODEL, unknown=frozenset(unknown))
    openai_server.script(GOOD, GOOD)
    assert (await writer.write(QUESTION, context(), soon())).claims == ONE
    assert len(openai_server.requests) == calls
    assert writer.dialect == dialect
    assert (await writer.write(QUESTION, context(), soon())).claims == ONE
    assert len(openai_server.requests) == calls + 1


async def test_questions_are_never_sent_to_the_responses_api_without_store(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.own = OwnServer(MODEL, unknown=REFUSES_ALL)
    openai_server.script(GOOD)
    await writer.write(QUESTION, context(), soon())
    sent = [one.body for one in openai_server.requests if one.path == "/v1/responses"]
    assert sent
    assert all(body["store"] is False for body in sent)


async def test_a_model_without_structured_output_is_told_the_schema(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.own = OwnServer(MODEL, unknown=frozenset({"text"}))
    openai_server.script(GOOD)
    await writer.write(QUESTION, context(), soon())
    told = openai_server.requests[-1].body["instructions"]
    assert told.startswith(prompts.INSTRUCTIONS)
    assert json.dumps(prompts.ANSWER_SCHEMA) in told


@pytest.mark.parametrize(
    "output",
    [
        f"```json\n{JSON}\n```",
        f"```\n{JSON}\n```\n",
        f"Sure! Here is the answer:\n\n{JSON}\n\nI hope this helps.",
        f"Here it is:\n```json\n{json.dumps(json.loads(JSON), indent=2)}\n```\nDone.",
        f"<think>The schema is {{status, claims}}.\n```json\n{{}}\n```</think>\n{JSON}",
    ],
    ids=["fence", "bare fence", "prose", "prose and fence", "thoughts"],
)
async def test_finds_the_answer_with_a_fence_prose_or_thoughts_around_it(
    openai_server: OpenAIServer, writer: ModelWriter, output: str
) -> None:
    openai_server.script(Text(output))
    draft = await writer.write(QUESTION, context(), soon())
    assert (draft.status, draft.claims) == ("full", ONE)
    assert len(openai_server.requests) == 1


@pytest.mark.parametrize("text", ["", "no object", "} backwards {", "```json\n```", "</think>"])
def test_an_output_without_an_object_has_none(text: str) -> None:
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(find_object(text))


async def test_a_server_that_ignores_the_schema_is_told_it_at_the_second_try_and_afterwards(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.script(Text("The ankle strategy does."), GOOD, GOOD)
    assert (await writer.write(QUESTION, context(), soon())).claims == ONE
    await writer.write(QUESTION, context(), soon())
    first, second, third = (one.body["instructions"] for one in openai_server.requests)
    assert first == prompts.INSTRUCTIONS
    assert prompts.SCHEMA_INSTRUCTIONS in second
    assert prompts.SCHEMA_INSTRUCTIONS in third


async def test_an_answer_without_usage_is_an_answer(
    openai_server: OpenAIServer, writer: ModelWriter, spent: list[Usage]
) -> None:
    openai_server.own = OwnServer(MODEL, has_usage=False)
    openai_server.script(GOOD)
    draft = await writer.write(QUESTION, context(), soon())
    assert (draft.claims, draft.usage, spent) == (ONE, NOTHING, [NOTHING])


async def test_a_judge_without_structured_output_gives_its_verdicts(
    openai_server: OpenAIServer,
) -> None:
    openai_server.own = OwnServer(MODEL, unknown=frozenset({"text", "reasoning"}))
    openai_server.answer_with(answer_supported)
    judge = ModelJudge(openai_server.base_url, "", MODEL, seconds=10, effort="none")
    assert await judge.entails([(TRUE, TRUE), (TRUE, TRUE)], soon()) == [True, True]
    await judge.close()


async def test_a_request_that_is_refused_in_every_form_is_a_rejection_without_the_question(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.script(*[Failure(400, message=f"no: {QUESTION}")] * 4)
    with pytest.raises(ModelRejected, match=r"refused the request.* \(400\)") as caught:
        await writer.write(QUESTION, context(), soon())
    assert QUESTION not in str(caught.value)


@pytest.mark.parametrize("status", [400, 422])
def test_what_openai_itself_refuses_is_not_tried_in_another_form(status: int) -> None:
    failure = OpenAIFailure("rejected", "no", status=status)
    assert Dialect().after(failure, is_openai=True) is None
    assert Dialect().after(failure, is_openai=False) is not None


async def test_a_model_that_the_server_lacks_is_named_as_the_cause(
    openai_server: OpenAIServer,
) -> None:
    openai_server.own = OwnServer(MODEL)
    writer = ModelWriter(openai_server.base_url, "", "qwen4:8b")
    with pytest.raises(ModelRejected, match="does not have this model"):
        await writer.write(QUESTION, context(), soon())
    assert len(openai_server.requests) == 1
    await writer.close()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed(
    openai_server: OpenAIServer, writer: ModelWriter, status: int
) -> None:
    openai_server.script(Redirect(f"{openai_server.base_url}/chat/completions", status))
    with pytest.raises(ModelRejected, match=rf"redirects \({status}\)"):
        await writer.write(QUESTION, context(), soon())
    openai_server.script(Redirect(f"{openai_server.base_url}/elsewhere", status), on="embeddings")
    embeddings = Embeddings(openai_server.base_url, API_KEY, MODEL, 384)
    with pytest.raises(EmbeddingsRejected, match="redirects"):
        await embeddings.embed(["a text"], 5)
    await embeddings.close()
    assert [one.path for one in openai_server.requests] == ["/v1/responses", "/v1/embeddings"]


async def test_a_body_without_end_is_read_no_further_than_the_bound(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.script(Endless(), Endless())
    with pytest.raises(ModelUnavailable, match="too long"):
        await writer.write(QUESTION, context(), Deadline.after(60))
    assert len(openai_server.requests) == 2


async def test_a_body_that_drips_ends_at_the_deadline(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.script(Endless(pause_s=0.05))
    with pytest.raises(ModelTimedOut):
        await writer.write(QUESTION, context(), Deadline.after(1.5))


@pytest.mark.parametrize(
    "failure", [Failure(500, body="x" * 5_000_000), Failure(200, body='"' + "x" * 5_000_000)]
)
async def test_a_huge_error_is_an_error(
    openai_server: OpenAIServer, writer: ModelWriter, failure: Reply
) -> None:
    openai_server.script(failure, GOOD)
    assert (await writer.write(QUESTION, context(), soon())).claims == ONE
