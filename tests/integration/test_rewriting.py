"""What a follow-up question means: a model says it, and when it fails, the book does."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.events import Function
from tests.integration.writers import QUESTION, ask, is_judging
from tests.openai_server.replies import Answer, Failure, Reply, Text, Verdicts
from tests.openai_server.service import OpenAIServer, Recorded

MEANT = "How does a robot measure the Zero Moment Point?"


def name_of(request: Recorded) -> str:
    return str(request.body["text"]["format"]["name"])


def rewriting(reply: Reply) -> Callable[[Recorded], Reply]:
    """A model that claims the first sentence it is given, and rewrites so."""

    def script(request: Recorded) -> Reply:
        if name_of(request) == "rewrite":
            return reply
        if is_judging(request):
            return Verdicts([False] * 8)
        id, text = next(iter(request.sentences.items()))
        return Answer([(text, [id])])

    return script


def ask_twice(function: Function, server: OpenAIServer, reply: Reply) -> dict[str, Any]:
    server.answer_with(rewriting(reply))
    session = str(uuid.uuid4())
    ask(function, QUESTION, session_id=session)
    return ask(function, "and how is it measured?", session_id=session)


def test_the_model_says_what_a_follow_up_means(
    writing_query: Function, openai_server: OpenAIServer
) -> None:
    meant = Text(json.dumps({"question": MEANT, "about": "Zero Moment Point"}))
    answer = ask_twice(writing_query, openai_server, meant)
    assert answer["metadata"]["rewritten_question"] == MEANT
    assert answer["metadata"]["about"] == "Zero Moment Point"
    assert "Measuring the ZMP" in {citation["section"] for citation in answer["citations"]}
    names = [name_of(request) for request in openai_server.requests]
    assert names.count("rewrite") == 1  # the first question has none before it
    rewrite = next(each for each in openai_server.requests if name_of(each) == "rewrite")
    assert QUESTION in rewrite.data
    assert MEANT in openai_server.requests[-1].data


@pytest.mark.parametrize("reply", [Failure(500), Text("no JSON")], ids=["away", "broken"])
def test_a_follow_up_is_read_without_a_rewriter_that_fails(
    writing_query: Function, openai_server: OpenAIServer, reply: Reply
) -> None:
    answer = ask_twice(writing_query, openai_server, reply)
    assert answer["metadata"]["rewritten_question"].startswith("and how is it measured? (")
    assert answer["status"] in ("answered", "partial")
    assert answer["metadata"]["model"]
