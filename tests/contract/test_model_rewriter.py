"""The model as a rewriter: what does a follow-up question mean?"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from functions.adapters.openai.model_rewriter import LONGEST_QUESTION, ModelRewriter
from functions.answer.deadline import Deadline
from functions.answer.rewriter import RewriterFailed, Rewritten
from functions.answer.write import prompts
from functions.answer.write.writer import Usage
from tests.openai_server.replies import Declined, Dropped, Failure, Reply, Slow, Text
from tests.openai_server.service import API_KEY, OpenAIServer

MODEL = "gpt-4.1-mini-2025-04-14"
EARLIER, HEADINGS = "What is the Zero Moment Point?", ["Definition"]


@pytest.fixture
def spent() -> list[Usage]:
    return []


@pytest.fixture
async def rewriter(openai_server: OpenAIServer, spent: list[Usage]) -> AsyncIterator[ModelRewriter]:
    made = ModelRewriter(openai_server.base_url, API_KEY, MODEL, seconds=5, on_usage=spent.append)
    yield made
    await made.close()


def says(question: str, about: str = "") -> Text:
    return Text(json.dumps({"question": question, "about": about}))


async def test_gives_the_question_and_its_subject(
    openai_server: OpenAIServer, rewriter: ModelRewriter, spent: list[Usage]
) -> None:
    openai_server.script(says("How is the Zero Moment Point\n measured?", "Zero Moment Point"))
    found = await rewriter.rewrite("and how is it measured?", EARLIER, HEADINGS, Deadline.after(9))
    assert found == Rewritten("How is the Zero Moment Point measured?", "Zero Moment Point")
    (request,) = openai_server.requests
    assert request.body["instructions"] == prompts.REWRITE_INSTRUCTIONS
    assert request.body["store"] is False
    (row,) = request.data.splitlines()[1:-1]
    assert json.loads(row) == {
        "earlier_question": EARLIER, "headings": HEADINGS, "question": "and how is it measured?",
    }  # fmt: skip
    assert len(spent) == 1


@pytest.mark.parametrize(
    ("reply", "is_tried_again"),
    [(Failure(500), True), (Failure(401), False), (Dropped(), True), (Declined(), False),
     (Text("{"), True), (says(""), False), (says("long " * LONGEST_QUESTION), False)],
    ids=["away", "key", "dropped", "declined", "broken", "empty", "long"],
)  # fmt: skip
async def test_a_rewriter_of_no_use_fails(
    openai_server: OpenAIServer, rewriter: ModelRewriter, reply: Reply, is_tried_again: bool
) -> None:
    openai_server.script(reply, *([reply] if is_tried_again else []))
    with pytest.raises(RewriterFailed):
        await rewriter.rewrite("why?", EARLIER, HEADINGS, Deadline.after(9))


async def test_waits_no_longer_than_its_deadline(
    openai_server: OpenAIServer, rewriter: ModelRewriter
) -> None:
    openai_server.script(Slow(4, says("Why does it walk?")))
    with pytest.raises(RewriterFailed):
        await rewriter.rewrite("why?", EARLIER, HEADINGS, Deadline.after(2))
