"""Questions that are not fit to be answered: one sentence back, a record for review, no more."""

from __future__ import annotations

import uuid

import pytest

import functions.query.app
from functions.answer.refusals import INAPPROPRIATE
from tests.integration.conftest import Open
from tests.integration.events import Function
from tests.integration.sample_stage import Stage
from tests.integration.writers import SELECTION, USE, USE_WHOLE, ask, ask_selected, writes
from tests.openai_server.replies import Failure, Flagged
from tests.openai_server.service import OpenAIServer

ABUSE = "What the fuck is the ZMP?"


@pytest.mark.parametrize("route", ["book", "selection"])
def test_abuse_is_refused_before_anything_is_looked_up(
    writing_query: Function,
    writing_selected: Function,
    openai_server: OpenAIServer,
    stage: Stage,
    route: str,
) -> None:
    with stage.qdrant.cut(), stage.embeddings.cut():
        if route == "book":
            answer = ask(writing_query, ABUSE)
        else:
            answer = ask_selected(writing_selected, ABUSE)
    assert (answer["status"], answer["response"]) == ("refused", INAPPROPRIATE)
    assert answer["refusal"] == {"reason": "inappropriate", "closest": []}
    assert answer["claims"] == answer["citations"] == answer["related"] == []
    assert openai_server.requests == openai_server.moderated == []
    (row,) = stage.database.run(
        "SELECT question, status, refusal_reason, checks FROM queries JOIN responses"
        " USING (query_id) WHERE query_id = %s",
        (answer["query_id"],),
    )
    assert row[:3] == (ABUSE, "refused", "inappropriate")
    assert "conduct: obscene" in str(row[3])


def test_what_the_service_objects_to_is_refused_without_search_or_model(
    writing: Open, openai_server: OpenAIServer
) -> None:
    openai_server.script(Flagged(["harassment"]), on="moderations")
    # A verdict that comes late is not waited for, and a busy machine is late.
    answer = ask(writing(functions.query.app, "query", moderation_seconds=20))
    assert answer["refusal"]["reason"] == "inappropriate"
    assert openai_server.requests == []


def test_a_moderation_that_is_away_stops_nobody(
    writing_query: Function, writing_selected: Function, openai_server: OpenAIServer
) -> None:
    openai_server.script(Failure(500), Failure(500), on="moderations")
    openai_server.answer_with(writes((USE_WHOLE, USE)))
    assert ask(writing_query)["status"] == "answered"
    openai_server.answer_with(writes(("The lighthouse was lit in 1907.", "1907")))
    assert ask_selected(writing_selected, "When was the lighthouse lit?")["status"] == "answered"
    assert len(openai_server.moderated) == 2


def test_without_a_model_the_rules_alone_decide(query: Function, selected: Function) -> None:
    assert ask(query, "You are a stupid bot")["response"] == INAPPROPRIATE
    assert ask(query)["status"] == "answered"
    answer = ask_selected(selected, "You are a stupid bot", SELECTION)
    assert (answer["response"], answer["in_selected_text"]) == (INAPPROPRIATE, False)


def test_abuse_counts_against_the_readers_ten_a_minute(query: Function) -> None:
    session = str(uuid.uuid4())
    body = {"question": ABUSE, "session_id": session, "fresh": True}
    replies = [query.post("/query", body) for _ in range(11)]
    assert {reply.status for reply in replies[:10]} == {200}
    replies[10].error(429, "too_many_questions")
