"""`query` through its front door: limits, repeats, and what is left when parts are away."""

from __future__ import annotations

import logging
import uuid

import pytest

import functions.query.app
from functions.adapters.qdrant.chunk_index import ChunkIndex
from functions.answer.refusals import UNAVAILABLE
from functions.runtime.plural import plural
from functions.web.sentences import ASKED_BEFORE, KEYWORD_SEARCH, TOO_MANY, VECTORS_DOWN
from tests.integration.events import Function, opened
from tests.integration.sample_stage import Stage

ELBOW = "How far can the elbow of the arm turn?"
BALANCE = "What is the ZMP used for?"


def body(question: str = BALANCE, session: str = "", **more: object) -> dict[str, object]:
    """A question of a session of its own, answered anew."""
    return {
        "question": question,
        "session_id": session or str(uuid.uuid4()),
        "fresh": True,
        **more,
    }


def codes_of(answer: dict[str, object]) -> list[tuple[str, str]]:
    notices = answer["notices"]
    assert isinstance(notices, list)
    return [(notice["code"], notice["text"]) for notice in notices]


def test_takes_two_round_trips_to_the_database(query: Function, stage: Stage) -> None:
    query.post("/query", body())
    turns, connections = stage.postgres.turns, stage.postgres.connections
    answer = query.post("/query", body(ELBOW)).answer
    assert answer["status"] == "answered"
    assert stage.postgres.turns - turns == 2
    assert stage.postgres.connections == connections


def test_takes_one_round_trip_to_the_index_and_one_to_the_embeddings(
    query: Function, stage: Stage
) -> None:
    query.post("/query", body())
    before = stage.qdrant.turns, stage.embeddings.turns
    query.post("/query", body(ELBOW))
    assert (stage.qdrant.turns - before[0], stage.embeddings.turns - before[1]) == (1, 1)


def test_refuses_the_eleventh_question_of_a_minute_and_says_when_to_ask_again(
    query: Function,
) -> None:
    session = str(uuid.uuid4())
    replies = [query.post("/query", body(session=session)) for _ in range(11)]
    assert [reply.status for reply in replies] == [200] * 10 + [429]
    seconds = int(replies[10].headers["retry-after"])
    assert 1 <= seconds <= 60
    message = replies[10].error(429, "too_many_questions")
    assert message == TOO_MANY.format(most=10, wait=plural(seconds, "second"))
    assert query.post("/query", body()).status == 200


def test_gives_the_same_answer_when_asked_again_and_says_so(query: Function) -> None:
    session, question = str(uuid.uuid4()), "Which angle does the elbow limit correspond to?"
    first = query.post("/query", {"question": question, "session_id": session}).answer
    again = query.post(
        "/query", {"question": f"  {question.upper()} ", "session_id": session}
    ).answer
    assert again["response"] == first["response"]
    assert (again["claims"], again["citations"]) == (first["claims"], first["citations"])
    assert again["query_id"] != first["query_id"]
    assert again["response_id"] != first["response_id"]
    assert codes_of(first) == []
    assert codes_of(again) == [("asked_before", ASKED_BEFORE)]
    assert again["related"]


def test_an_answer_given_again_is_recorded_as_fully_as_the_first(
    query: Function, stage: Stage
) -> None:
    asked = {"question": "Which page explains force-torque sensors?"}
    answers = [
        query.post("/query", asked | {"session_id": str(uuid.uuid4())}).answer for _ in range(2)
    ]
    first, again = (
        stage.database.run(
            "SELECT retrieved_chunk_ids, chunk_hashes, similarity_scores, source_references,"
            " claims, generated_response, limited_mode"
            " FROM queries JOIN responses USING (query_id) WHERE query_id = %s",
            (answer["query_id"],),
        )
        for answer in answers
    )
    assert again == first
    chunks, _, scores, *_, limited = first[0]
    assert len(scores) == len(chunks) > 0
    assert all(0.1 < score < 0.999 for score in scores), "cosines, not shares of the best one"
    assert limited is answers[0]["metadata"]["limited_mode"] is True


def test_another_reader_gets_the_same_answer_without_being_told_of_it(query: Function) -> None:
    asked = {"question": "What does an IMU measure?"}
    first = query.post("/query", asked | {"session_id": str(uuid.uuid4())}).answer
    other = query.post("/query", asked | {"session_id": str(uuid.uuid4())}).answer
    assert other["response"] == first["response"]
    assert codes_of(other) == []


def test_an_idempotency_key_brings_the_first_response_again(query: Function) -> None:
    asked, key = body(), {"idempotency-key": str(uuid.uuid4())}
    first = query.post("/query", asked, headers=key).answer
    assert query.post("/query", asked, headers=key).answer == first


def test_takes_query_as_another_name_of_question(query: Function) -> None:
    answer = query.post("/query", {"query": BALANCE, "session_id": str(uuid.uuid4())}).answer
    assert "dynamic balance control" in answer["response"]


def test_a_selection_sent_along_is_never_quoted(query: Function) -> None:
    selection = "The ZMP is used for cooking soup in large and dangerous kitchens."
    plain = query.post("/query", body()).answer
    ranked = query.post("/query", body(selected_text=selection)).answer
    assert ranked["claims"] == plain["claims"]
    assert "soup" not in str(ranked)


def test_lists_sections_without_an_answer(query: Function) -> None:
    sections = query.get("/search?q=zero%20moment%20point").answer["sections"]
    assert sections[0]["url"].startswith("/balance-and-walking/zero-moment-point")
    assert len({section["url"] for section in sections}) == len(sections) <= 10


def test_searches_words_in_the_database_while_the_index_is_away(
    query: Function, stage: Stage
) -> None:
    with stage.qdrant.cut():
        answer = query.post("/query", body()).answer
    assert codes_of(answer) == [("vectors_down", VECTORS_DOWN), ("keyword_search", KEYWORD_SEARCH)]
    assert answer["status"] == "answered"
    assert "dynamic balance control" in answer["response"]
    assert codes_of(query.post("/query", body()).answer) == []


def test_searches_words_in_the_index_while_embeddings_are_away(
    query: Function, stage: Stage
) -> None:
    with stage.embeddings.cut():
        answer = query.post("/query", body()).answer
    assert codes_of(answer) == [("keyword_search", KEYWORD_SEARCH)]
    assert answer["status"] == "answered"
    assert "dynamic balance control" in answer["response"]
    assert codes_of(query.post("/query", body()).answer) == []


def test_what_was_found_by_words_alone_is_not_given_again_when_all_is_well(
    query: Function, stage: Stage
) -> None:
    asked = {"question": "What is a fictitious ZMP?"}
    with stage.qdrant.cut():
        query.post("/query", asked | {"session_id": str(uuid.uuid4())})
    whole = query.post("/query", asked | {"session_id": str(uuid.uuid4())}).answer
    assert codes_of(whole) == []


def test_answers_while_the_database_is_away(query: Function, stage: Stage) -> None:
    with stage.postgres.cut():
        answer = query.post("/query", body()).answer
        assert query.get(f"/tickets/{uuid.uuid4()}").headers["retry-after"]
    assert answer["status"] == "answered"
    assert "dynamic balance control" in answer["response"]
    kept = "SELECT count(*) FROM queries WHERE query_id = %s"
    assert stage.database.run(kept, (answer["query_id"],)) == [(0,)]
    query.forget_failures()
    later = query.post("/query", body()).answer
    assert stage.database.run(kept, (later["query_id"],)) == [(1,)]


def test_says_it_is_unavailable_when_nothing_can_search(query: Function, stage: Stage) -> None:
    with stage.qdrant.cut(), stage.postgres.cut(), stage.embeddings.cut():
        reply = query.post("/query", body())
    assert reply.error(503, "unavailable") == UNAVAILABLE
    assert int(reply.headers["retry-after"]) > 0


async def test_an_index_of_another_model_is_named_in_the_log_and_searched_by_words(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    index = ChunkIndex(stage.qdrant.url, None, "other-model")
    await index.ensure(8)
    settings = stage.settings("query", qdrant_collection="other-model")
    with opened(functions.query.app, settings) as function:
        reply = function.post("/query", body())
    await index.delete()
    await index.aclose()
    assert "keyword_search" in {notice["code"] for notice in reply.answer["notices"]}
    assert "other-model" not in str(reply.body)
    (said,) = (record for record in caplog.records if record.message == "index unusable")
    assert "index the book again" in said.__dict__["detail"]
    assert "'other-model'" in said.__dict__["detail"]


def test_a_missing_collection_is_named_in_the_log_and_hidden_from_the_reader(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    settings = stage.settings("query", qdrant_collection="nowhere")
    with opened(functions.query.app, settings) as function:
        reply = function.post("/query", body())
    assert reply.error(503, "index_unusable") == UNAVAILABLE
    assert "nowhere" not in str(reply.body)
    (said,) = (record for record in caplog.records if record.message == "index unusable")
    assert "'nowhere'" in said.__dict__["detail"]


def test_logs_no_word_of_a_reader(
    query: Function, stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with stage.qdrant.cut(), stage.postgres.cut(), stage.embeddings.cut():
        query.post("/query", body("Does the zebrafish wear an exoskeleton?"))
    said = "".join(str(record.__dict__) for record in caplog.records)
    assert "nothing can search" in said
    assert "zebrafish" not in said
