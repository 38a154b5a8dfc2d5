"""The writer on the Agents SDK sends the same prompt and schema, and is read as strictly."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import AsyncIterator

import pytest

from functions.adapters.openai.agents_writer import AgentsWriter
from functions.adapters.openai.model import (
    ModelRejected,
    ModelTimedOut,
    ModelUnavailable,
    ModelWriter,
)
from functions.answer.deadline import Deadline
from functions.answer.write import prompts
from functions.answer.write.writer import DraftClaim
from functions.lifecycle.choose_writer import Writers
from functions.runtime.settings import Settings
from tests.openai_server.replies import Answer, Declined, Dropped, Failure, Slow, Text
from tests.openai_server.service import API_KEY, OpenAIServer
from tests.unit.answer.contexts import context

MODEL = "gpt-4.1-mini-2025-04-14"
QUESTION = "What corrects small pushes?"
TRUE = "The ankle strategy corrects small pushes."
GOOD = Answer([(TRUE, ["S1.1"])])
ONE = (DraftClaim(TRUE, ("S1.1",)),)


@pytest.fixture
async def writer(openai_server: OpenAIServer) -> AsyncIterator[AgentsWriter]:
    writer = AgentsWriter(openai_server.base_url, API_KEY, MODEL)
    yield writer
    await writer.close()


def soon() -> Deadline:
    return Deadline.after(30)


@pytest.mark.parametrize("missing", [set(), {"/v1/responses"}], ids=["responses", "chat"])
async def test_it_sends_the_same_prompt_and_schema(
    openai_server: OpenAIServer, writer: AgentsWriter, missing: set[str]
) -> None:
    openai_server.missing_paths = missing
    openai_server.script(GOOD, GOOD)
    draft = await writer.write(QUESTION, context(), soon())
    assert (draft.status, draft.claims) == ("full", ONE)
    assert draft.usage is not None
    assert draft.usage.input_tokens > 0
    plain = ModelWriter(openai_server.base_url, API_KEY, MODEL)
    assert (await plain.write(QUESTION, context(), soon())).claims == ONE
    await plain.close()
    ours, theirs = (one for one in openai_server.requests if one.path not in missing)
    body = ours.body
    if not missing:
        assert body["instructions"] == prompts.INSTRUCTIONS
        assert body["text"]["format"]["schema"] == prompts.ANSWER_SCHEMA
        assert body["text"]["format"]["strict"] is True
        assert body["store"] is False
        assert not body.get("tools")
    given = str(body["input"] if not missing else body["messages"])
    for sentence in theirs.sentences.values():
        assert sentence in given
    assert len(re.findall("BEGIN CONTEXT", given)) == 1


@pytest.mark.parametrize(
    "reply", [Dropped(), Failure(500), Text("prose"), Text("{"), Declined()], ids=str
)
async def test_what_cannot_be_used_is_tried_once_more(
    openai_server: OpenAIServer, writer: AgentsWriter, reply: Failure
) -> None:
    openai_server.script(reply, GOOD)
    assert (await writer.write(QUESTION, context(), soon())).claims == ONE
    openai_server.script(reply, reply)
    with pytest.raises(ModelUnavailable):
        await writer.write(QUESTION, context(), soon())


async def test_its_failures_are_the_model_writers(
    openai_server: OpenAIServer, writer: AgentsWriter
) -> None:
    openai_server.script(Failure(401, "invalid_api_key"))
    with pytest.raises(ModelRejected):
        await writer.write(QUESTION, context(), soon())
    openai_server.script(Slow(8, GOOD))
    with pytest.raises(ModelTimedOut):
        await writer.write(QUESTION, context(), Deadline.after(2))


def test_a_setting_chooses_it() -> None:
    chosen = Writers.of(Settings(openai_api_key="sk-test", writer="agents")).large
    assert chosen is not None
    assert type(chosen.writer) is AgentsWriter
    plain = Writers.of(Settings(openai_api_key="sk-test")).large
    assert plain is not None
    assert type(plain.writer) is ModelWriter


def test_the_default_never_loads_the_agents_sdk() -> None:
    code = (
        "import sys, functions.query.handler, functions.selected.handler;"
        "from functions.runtime.settings import Settings;"
        "from functions.lifecycle.choose_writer import Writers;"
        "Writers.of(Settings(openai_api_key='sk-test'));"
        "sys.exit('agents' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == 0
