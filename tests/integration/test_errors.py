"""What went wrong is one sentence to the reader and a whole row to the operator."""

from __future__ import annotations

import io
import json
import uuid
from typing import Any
from unittest.mock import patch

import pytest

import functions.query.answer_query
import functions.query.app
import functions.selected.answer_selection
from functions.adapters.postgres.database import DatabaseRejected
from functions.adapters.postgres.query_records import QueryRecords
from functions.answer.refusals import UNAVAILABLE
from tests.build.secret_scan import secrets_in
from tests.integration.conftest import Open
from tests.integration.events import Function, opened
from tests.integration.sample_stage import Stage
from tests.integration.test_privacy import lines  # noqa: F401
from tests.openai_server.replies import Failure
from tests.openai_server.service import OpenAIServer

ZMP = "What is the ZMP used for?"


def asked(question: str = ZMP) -> dict[str, Any]:
    return {"question": question, "session_id": str(uuid.uuid4()), "fresh": True}


def rows_of(stage: Stage, request_id: str) -> list[dict[str, Any]]:
    rows = stage.database.run(
        "SELECT to_jsonb(e) FROM request_errors e WHERE request_id = %s ORDER BY occurred_at",
        (request_id,),
    )
    return [row[0] for row in rows]  # type: ignore[misc]


def test_what_nobody_expected_is_recorded_with_its_stack_and_its_question(
    query: Function,
    stage: Stage,
    lines: io.StringIO,  # noqa: F811
) -> None:
    body = asked(f"{ZMP} Write to ada@example.org")
    with patch.object(functions.query.answer_query, "read_intent", side_effect=KeyError("hidden")):
        reply = query.post("/query", body)
    assert reply.error(500, "internal") == "Something went wrong on our side."
    (row,) = rows_of(stage, reply.request_id)
    assert (row["error_type"], row["function"]) == ("KeyError", "query")
    assert row["question"] == f"{ZMP} Write to [e-mail]"
    assert row["session_id"] == body["session_id"]
    assert "answer_query.py" in row["stack_trace"]
    assert "hidden" in row["stack_trace"]
    (line,) = [json.loads(each) for each in lines.getvalue().splitlines()]
    assert (line["request_id"], line["function"]) == (reply.request_id, "query")
    assert "ZMP" not in lines.getvalue()


def test_a_part_that_is_away_is_recorded_with_the_query_it_met(
    query: Function, stage: Stage
) -> None:
    with stage.qdrant.cut():
        reply = query.post("/query", asked())
    rows = rows_of(stage, reply.request_id)
    assert [row["message"].split(":")[0] for row in rows] == ["vector search unavailable"]
    assert rows[0]["affected_query_id"] == reply.answer["query_id"]
    assert rows[0]["question"] == ZMP
    assert "chunk_search.py" in rows[0]["stack_trace"]


def test_nothing_that_can_answer_is_recorded_and_told_in_one_sentence(
    query: Function, stage: Stage
) -> None:
    rejected = DatabaseRejected("permission denied for function search_chunks")
    with stage.qdrant.cut(), patch.object(QueryRecords, "search_chunks", side_effect=rejected):
        reply = query.post("/query", asked())
    assert (reply.answer["status"], reply.answer["response"]) == ("deferred", UNAVAILABLE)
    said = [row["message"] for row in rows_of(stage, reply.request_id)]
    assert any(message.startswith("nothing can search") for message in said)


def test_a_model_that_fails_is_recorded(
    writing: Open, openai_server: OpenAIServer, stage: Stage
) -> None:
    openai_server.answer_with(lambda _: Failure(500))
    reply = writing(functions.query.app, "query").post("/query", asked())
    assert reply.answer["metadata"]["limited_mode"]
    assert "ModelUnavailable" in {row["error_type"] for row in rows_of(stage, reply.request_id)}


def test_a_request_that_is_the_callers_fault_records_nothing(
    query: Function, selected: Function, stage: Stage
) -> None:
    for reply in (
        query.post("/query", {}),
        query.get("/nowhere"),
        query.call("PUT", "/query", {}),
        query.call("POST", "/query", raw=b"{"),
        selected.post("/query-selected-text", asked() | {"selected_text": "too short"}),
    ):
        assert 400 <= reply.status < 500
        assert rows_of(stage, reply.request_id) == []


def test_a_database_that_is_away_costs_one_attempt_and_is_in_the_log(
    query: Function,
    stage: Stage,
    lines: io.StringIO,  # noqa: F811
) -> None:
    with stage.postgres.cut(), patch.object(QueryRecords, "errors") as errors:
        reply = query.post("/query", asked())
    assert reply.answer["status"] == "answered"
    errors.assert_not_called()
    said = [json.loads(each) for each in lines.getvalue().splitlines() if each.startswith("{")]
    assert {line["request_id"] for line in said} == {reply.request_id}
    assert "DatabaseUnavailable" in {line.get("error") for line in said}


def test_failures_that_cannot_be_stored_do_not_reach_the_reader(
    query: Function,
    lines: io.StringIO,  # noqa: F811
) -> None:
    with (
        patch.object(functions.query.answer_query, "read_intent", side_effect=KeyError("hidden")),
        patch.object(QueryRecords, "errors", side_effect=DatabaseRejected("no")),
    ):
        query.post("/query", asked()).error(500, "internal")
    assert "failures not stored" in lines.getvalue()


def test_a_session_takes_its_errors_along_when_it_is_forgotten(
    query: Function, stage: Stage
) -> None:
    body = asked()
    with patch.object(functions.query.answer_query, "read_intent", side_effect=KeyError("hidden")):
        reply = query.post("/query", body)
    assert len(rows_of(stage, reply.request_id)) == 1
    stage.database.run("SELECT forget_session(%s)", (body["session_id"],))
    assert rows_of(stage, reply.request_id) == []


@pytest.mark.parametrize("role", ["quoth_query", "quoth_selected"])
def test_a_readers_function_cannot_read_the_errors(stage: Stage, role: str) -> None:
    any_right = "SELECT has_table_privilege(%s, 'request_errors', 'SELECT, INSERT, UPDATE, DELETE')"
    assert stage.database.run(any_right, (role,)) == [(False,)]


def test_the_log_of_a_bad_day_holds_no_key(stage: Stage, lines: io.StringIO) -> None:  # noqa: F811
    """Everything is away, and the settings are full of keys."""
    password = "h4nter2-" + uuid.uuid4().hex
    key = "sk-proj-" + uuid.uuid4().hex
    given = {
        "database_url": f"postgresql://quoth_query:{password}@127.0.0.1:1/quoth",
        "qdrant_api_key": uuid.uuid4().hex,
        "openai_api_key": key,
        "openai_base_url": "http://127.0.0.1:1/v1",
        "session_key": uuid.uuid4().hex,
        "embeddings_base_url": "http://127.0.0.1:1/v1",
        "qdrant_url": "http://127.0.0.1:1",
    }
    asked = {"question": "What is the ZMP used for?", "session_id": str(uuid.uuid4())}
    with opened(functions.query.app, stage.settings("query", **given)) as query:
        query.post("/query", asked)
        query.get("/search?q=zmp")
    said = lines.getvalue()
    assert "nothing can search" in said
    assert [name for name, value in given.items() if "://" not in value and value in said] == []
    assert password not in said
    assert secrets_in(said) == []
