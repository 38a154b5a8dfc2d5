"""What a reader gets while a part is really away, and what is recorded of it later."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

import functions.query.app
from functions.lifecycle.tickets import Tickets
from tests.integration.events import Function, opened
from tests.integration.standing import DATABASE, TICKET_KEY, Standing
from tests.integration.standing_answers import (
    BALANCE,
    ask,
    is_an_answer,
    notices_of,
    recorded,
)
from tests.integration.up_process import invoke
from tests.integration.writers import MODEL, USE, USE_WHOLE, writes
from tests.openai_server.replies import Failure
from tests.openai_server.service import OpenAIServer, Recorded

pytest_plugins = ("tests.integration.standing_fixtures",)

# Word for word: these are promised to readers.
CANNOT_PROCESS = "Unable to process query. Please rephrase and try again."
VECTORS_DOWN = ("vectors_down", "Vector search unavailable")
KEYWORDS = (
    "keyword_search",
    "Limited mode: Using keyword search. Results may be less accurate.",
)
MODEL_DOWN = ("model_down", "AI generation unavailable. Please try again.")
TOO_MANY = "You can ask 10 questions a minute. Please try again in {} seconds."

OPENS_AFTER = 5


@pytest.fixture
def query(parts: Standing) -> Iterator[Function]:
    with opened(functions.query.app, parts.settings("query")) as function:
        yield function


@pytest.fixture
def writing(parts: Standing, openai_server: OpenAIServer) -> Iterator[Function]:
    settings = parts.settings(
        "query",
        openai_api_key=openai_server.api_key,
        openai_base_url=openai_server.base_url,
        model=MODEL,
    )
    with opened(functions.query.app, settings) as function:
        yield function


def test_answers_and_limits_while_postgres_is_stopped_and_records_each_query_once_later(
    query: Function, parts: Standing
) -> None:
    session = str(uuid.uuid4())
    first = ask(query, session=session)
    with parts.postgres_stopped():
        replies = [ask(query, session=session) for _ in range(11)]
        waiting = Tickets(TICKET_KEY).sign(first.answer["query_id"], "queued", time.time())
        state = query.get(f"/tickets/{waiting}")
        queued = parts.queued("query")
    assert all(is_an_answer(reply) for reply in replies[:10])
    assert {reply.answer["metadata"]["content_version"] for reply in replies[:10]} == {
        first.answer["metadata"]["content_version"]
    }
    wait = replies[10].headers["retry-after"]
    assert replies[10].error(429, "too_many_questions") == TOO_MANY.format(wait)
    state.error(503, "queue_unavailable")
    assert int(state.headers["retry-after"]) > 0

    parts.emulator.sqs().send_message(  # a queue may deliver twice
        QueueUrl=parts.emulator.outbox_urls["query"], MessageBody=json.dumps(queued[0])
    )
    assert parts.retry("query")["stored"] == 11
    rows = parts.sql(
        "SELECT query_id::text, reader, asked_at FROM queries WHERE session_id = %s"
        " ORDER BY asked_at",
        (session,),
    )
    given = [reply.answer["query_id"] for reply in (first, *replies[:10])]
    assert [row[0] for row in rows] == given
    assert len({row[1] for row in rows}) == 1
    assert parts.retry("query")["stored"] == 0


def test_records_once_what_postgres_left_in_the_middle_of(
    writing: Function, parts: Standing, openai_server: OpenAIServer
) -> None:
    with ExitStack() as away:

        def stop_and_write(request: Recorded) -> Any:
            away.enter_context(parts.postgres_stopped())
            return writes((USE_WHOLE, USE))(request)

        openai_server.answer_with(stop_and_write)
        answer = ask(writing).answer
        assert answer["response"] == f"{USE_WHOLE} [1]"
    assert parts.sql("SELECT status FROM admissions WHERE query_id = %s",
                     (answer["query_id"],)) == [("running",)]  # fmt: skip
    assert parts.retry("query")["stored"] == 1
    assert recorded(parts, answer["query_id"]) == [("answered",)]
    assert parts.sql(
        "SELECT asked_at = accepted_at, reader = admissions.reader, status FROM queries"
        " JOIN admissions USING (query_id, reader) WHERE query_id = %s",
        (answer["query_id"],),
    ) == [(True, True, "done")]


def test_a_request_sent_again_while_postgres_is_stopped_is_recorded_once(
    query: Function, parts: Standing
) -> None:
    body = {"question": BALANCE, "session_id": "again", "fresh": True}
    with parts.postgres_stopped():
        answers = [
            query.post("/query", body, headers={"idempotency-key": "k"}).answer for _ in range(2)
        ]
        other = query.post("/query", body, headers={"idempotency-key": "l"}).answer
    assert answers[0]["query_id"] == answers[1]["query_id"] != other["query_id"]
    assert parts.retry("query")["stored"] == 3
    assert parts.sql("SELECT count(*) FROM queries WHERE session_id = 'again'") == [(2,)]


def test_a_request_sent_again_after_postgres_was_stopped_is_recorded_once(
    query: Function, parts: Standing
) -> None:
    body = {"question": BALANCE, "session_id": "again later", "fresh": True}
    key = {"idempotency-key": "k"}
    first = query.post("/query", body, headers=key).answer
    with parts.postgres_stopped():
        second = query.post("/query", body, headers=key).answer
    assert first["query_id"] == second["query_id"]
    assert parts.retry("query")["stored"] == 1
    third = query.post("/query", body, headers=key).answer
    assert third["query_id"] == first["query_id"]
    assert parts.sql("SELECT count(*) FROM queries WHERE session_id = 'again later'") == [(1,)]


def test_keeps_no_personal_id_and_no_address_in_the_queue(query: Function, parts: Standing) -> None:
    with parts.postgres_stopped():
        for session in ("an ordinary one", "lea@school.example"):
            assert is_an_answer(ask(query, session=session))
        said = json.dumps(parts.queued("query"))
    assert "lea@" not in said
    assert "192.0.2.1" not in said
    assert "an ordinary one" in said
    assert parts.retry("query")["stored"] == 2


def test_forgets_what_a_session_asked_while_postgres_was_stopped(
    query: Function, parts: Standing
) -> None:
    sessions = ("ada@school.example", "plain", "bob@school.example")
    with parts.postgres_stopped():
        for session in sessions:
            assert is_an_answer(ask(query, session=session))
    query.forget_failures()
    ask(query, session=sessions[0])
    assert parts.retry("query")["stored"] == 3
    database = parts.server.dsn(database=DATABASE)
    said = [
        invoke("forget", session, "--database-url", database, "--ticket-key", key).output
        for session, key in (
            (sessions[0], "another key"),
            (sessions[0], TICKET_KEY),
            (sessions[1], TICKET_KEY),
        )
    ]
    assert said == ["Deleted 1 question of this session.\n"] * 3
    late = [Tickets(TICKET_KEY).pseudonym(session) for session in sessions]
    names = [*sessions, *late]
    left = parts.sql("SELECT session_id FROM queries WHERE session_id = ANY (%s)", (names,))
    assert left == [(late[2],)]


def test_quotes_while_the_model_fails_and_stops_asking_it_until_it_is_back(
    writing: Function, parts: Standing, openai_server: OpenAIServer
) -> None:
    openai_server.answer_with(lambda request: Failure(500))
    replies = [ask(writing) for _ in range(OPENS_AFTER)]
    assert len(openai_server.requests) == 2 * OPENS_AFTER  # one retry each
    replies.append(ask(writing))
    assert len(openai_server.requests) == 2 * OPENS_AFTER
    for reply in replies:
        assert notices_of(reply) == [MODEL_DOWN]
        assert is_an_answer(reply)
        assert {claim["verification"] for claim in reply.answer["claims"]} == {"verbatim"}
        assert reply.answer["metadata"]["limited_mode"] is True

    openai_server.answer_with(writes((USE_WHOLE, USE)))
    assert notices_of(ask(writing)) == [MODEL_DOWN]  # its pause is not over
    parts.sql("UPDATE part_states SET open_until = clock_timestamp()")
    assert ask(writing).answer["response"] == f"{USE_WHOLE} [1]"
    assert ask(writing).answer["response"] == f"{USE_WHOLE} [1]"


def test_searches_words_while_embeddings_are_away_and_stops_asking_for_them(
    query: Function, parts: Standing
) -> None:
    assert notices_of(ask(query)) == []
    with parts.stage.embeddings.cut():
        replies = [ask(query) for _ in range(OPENS_AFTER)]
        replies.append(ask(query))  # told by the database that they are away
        unsearched = ask(query, "Qwxzy?")
    calls = parts.stage.embeddings.turns
    replies.append(ask(query))
    assert parts.stage.embeddings.turns == calls
    for reply in replies:
        assert notices_of(reply) == [KEYWORDS]
        assert is_an_answer(reply)
    assert unsearched.answer["response"] == CANNOT_PROCESS
    parts.sql("UPDATE part_states SET open_until = clock_timestamp()")
    assert notices_of(ask(query)) == []


def test_searches_the_database_while_qdrant_is_killed_and_stops_asking_it(
    query: Function, parts: Standing
) -> None:
    with parts.qdrant_killed():
        replies = [ask(query) for _ in range(OPENS_AFTER)]
    calls = parts.stage.qdrant.connections
    replies.append(ask(query))
    assert parts.stage.qdrant.connections == calls
    for reply in replies:
        assert notices_of(reply) == [VECTORS_DOWN, KEYWORDS]
        assert is_an_answer(reply)
    parts.sql("UPDATE part_states SET open_until = clock_timestamp()")
    assert notices_of(ask(query)) == []
    assert parts.sql("SELECT open_until FROM part_states") == [(None,)]
