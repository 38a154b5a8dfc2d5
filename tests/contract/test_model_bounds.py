"""What a service may return is bounded before it is checked, shown or stored."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from functions.adapters.openai.model import ModelUnavailable, ModelWriter
from functions.adapters.openai.model_calls import MAX_TOKENS, model_name
from functions.answer.deadline import Deadline
from functions.answer.write.writer import (
    LONGEST_CLAIM,
    LONGEST_OUTPUT,
    MOST_CLAIMS,
    MOST_SENTENCE_IDS,
    DraftClaim,
)
from tests.openai_server.replies import Answer, Failure, Text, response_body
from tests.openai_server.service import API_KEY, OpenAIServer
from tests.unit.answer.contexts import context

MODEL = "gpt-4.1-mini-2025-04-14"
QUESTION = "What corrects small pushes?"
TRUE = "The ankle strategy corrects small pushes."
GOOD = Answer([(TRUE, ["S1.1"])])
ONE = (DraftClaim(TRUE, ("S1.1",)),)


@pytest.fixture
async def writer(openai_server: OpenAIServer) -> AsyncIterator[ModelWriter]:
    writer = ModelWriter(openai_server.base_url, API_KEY, MODEL)
    yield writer
    await writer.close()


def soon() -> Deadline:
    return Deadline.after(30)


def returned(**changes: Any) -> Failure:
    """A good answer in a body with changed fields."""
    body = response_body(GOOD, {"model": MODEL, "input": "x"})
    return Failure(200, body=json.dumps({**body, **changes}))


async def test_a_reply_of_thousands_of_claims_is_garbled(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    many = Answer([(f"{TRUE} {n}", ["S1.1"]) for n in range(5_000)])
    openai_server.script(many, many)
    with pytest.raises(ModelUnavailable, match="too long"):
        await writer.write(QUESTION, context(), soon())


async def test_no_more_than_so_many_claims_are_read(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.script(Answer([(TRUE, ["S1.1"])] * (MOST_CLAIMS + 1)))
    draft = await writer.write(QUESTION, context(), soon())
    assert draft.claims == ONE * MOST_CLAIMS
    assert draft.status == "partial"


@pytest.mark.parametrize(
    "claim",
    [
        ("x" * (LONGEST_CLAIM + 1), ["S1.1"]),
        (TRUE, ["S1.1"] * (MOST_SENTENCE_IDS + 1)),
        (TRUE, ["S1.1", "S" * 500]),
        (TRUE, ["S1.1\0"]),
    ],
    ids=["text", "ids", "id", "NUL"],
)
async def test_a_claim_beyond_bounds_is_left_out(
    openai_server: OpenAIServer, writer: ModelWriter, claim: tuple[str, list[str]]
) -> None:
    openai_server.script(Answer([claim, (TRUE, ["S1.1"])]), Answer([claim]))
    draft = await writer.write(QUESTION, context(), soon())
    assert (draft.status, draft.claims) == ("partial", ONE)
    draft = await writer.write(QUESTION, context(), soon())
    assert (draft.status, draft.claims) == ("partial", ())


async def test_what_is_recorded_of_an_output_is_bounded(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.script(Text("\0" + json.dumps({"status": "none", "claims": []})))
    draft = await writer.write(QUESTION, context(), soon())
    assert "\0" not in draft.raw
    assert len(draft.raw) <= LONGEST_OUTPUT


async def test_a_claim_without_its_nul_is_read(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.script(Answer([(f"{TRUE}\0", ["S1.1"])]))
    assert (await writer.write(QUESTION, context(), soon())).claims == ONE


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("gpt-6-luna-2026-08-01", "gpt-6-luna-2026-08-01"),
        ("org/Model_7b:q4.1", "org/Model_7b:q4.1"),
        ("<script>alert(1)</script>", "scriptalert1/script"),
        ("gpt\r\nX-Evil: 1\0\u202e", "gptX-Evil:1"),
        ("m" * 5_000, "m" * 100),
        ("", ""),
        (None, ""),
        (["gpt"], "gpt"),
    ],
)
def test_a_models_name_is_cleaned(given: object, kept: str) -> None:
    assert model_name(given) == kept


async def test_the_name_a_service_returns_is_clean_in_the_draft(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.script(returned(model="<b>gpt</b> \u202e 5" * 100))
    usage = (await writer.write(QUESTION, context(), soon())).usage
    assert usage is not None
    assert len(usage.model) == 100
    assert set(usage.model) <= set("bgpt/5")


async def test_an_absurd_count_of_tokens_is_bounded(
    openai_server: OpenAIServer, writer: ModelWriter
) -> None:
    openai_server.script(returned(usage={"input_tokens": 10**40, "output_tokens": -7}))
    usage = (await writer.write(QUESTION, context(), soon())).usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens) == (MAX_TOKENS, 0)


@pytest.mark.parametrize(
    "bad",
    [
        returned(usage={"input_tokens": float("inf"), "output_tokens": 1}),
        returned(usage={"input_tokens": float("nan"), "output_tokens": 1}),
        returned(usage={"input_tokens": "many", "output_tokens": 1}),
        returned(output=[{"type": "message", "content": [{"type": "output_text", "text": [1]}]}]),
        returned(output={"type": "message"}),
        Failure(200, body="[" * 100_000),
        Failure(200, body='{"a":' * 100_000),
    ],
    ids=["infinite", "not a number", "words", "text", "no list", "deep list", "deep object"],
)
async def test_a_body_of_another_form_is_tried_again(
    openai_server: OpenAIServer, writer: ModelWriter, bad: Failure
) -> None:
    openai_server.script(bad, GOOD)
    assert (await writer.write(QUESTION, context(), soon())).claims == ONE
