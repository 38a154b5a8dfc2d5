"""What an operator sees of the functions: log lines of known fields, metrics, step times."""

from __future__ import annotations

import ast
import io
import json
import logging
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import functions.ingest.batch
import functions.query.app
from functions.runtime import metrics
from functions.runtime.logs import ALLOWED, logger
from functions.runtime.trace import Trace, traced
from quoth.commands.steps import TOTAL, steps
from tests.integration.conftest import Open
from tests.integration.events import Function
from tests.integration.sample_stage import Stage
from tests.integration.test_privacy import lines  # noqa: F401
from tests.integration.writers import MODEL, USE, USE_WHOLE, writes
from tests.openai_server.replies import Failure
from tests.openai_server.service import OpenAIServer

FUNCTIONS = Path(functions.query.app.__file__).parents[1]
LEVELS = {"debug", "info", "warning", "error", "exception", "critical"}
NOT_FIELDS = {"exc_info", "stack_info", "stacklevel", "extra"}


@pytest.fixture
def emf() -> Iterator[io.StringIO]:
    """The metric lines that are written while the test runs."""
    written = io.StringIO()
    metrics.send_metrics_to(logging.StreamHandler(written))
    yield written
    metrics._writer().handlers = []


def ask(function: Function, question: str = "What is the ZMP used for?") -> dict[str, Any]:
    body = {"question": question, "session_id": str(uuid.uuid4()), "fresh": True}
    return function.post("/query", body).answer


def test_a_field_that_is_not_allowed_is_dropped_by_the_logger(lines: io.StringIO) -> None:  # noqa: F811
    said = "a reader's own words"
    logger().error("an event", question=said, extra={"selected_text": said, "status": "503"})
    logger().append_keys(user_id=said)
    try:
        raise ValueError("plain")
    except ValueError:
        logger().exception("another", user=said)
    finally:
        logger().remove_keys(["user_id"])
    assert said not in lines.getvalue()
    for line in lines.getvalue().splitlines():
        assert set(json.loads(line)) <= ALLOWED
    assert '"status":"503"' in lines.getvalue()


def test_every_field_that_the_functions_log_is_allowed() -> None:
    """A field that is dropped is a line that says less than its author thought."""
    named = set()
    for file in FUNCTIONS.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            called = node.func.value
            if node.func.attr not in LEVELS or not isinstance(called, ast.Call):
                continue
            if isinstance(called.func, ast.Name) and called.func.id == "logger":
                for given in node.keywords:
                    named.add(given.arg)
                    if given.arg == "extra" and isinstance(given.value, ast.Dict):
                        named |= {key.value for key in given.value.keys}  # type: ignore[union-attr]
    assert len(named) > 10
    assert named - NOT_FIELDS - {None} <= ALLOWED


def test_lines_of_requests_at_once_name_their_own(lines: io.StringIO) -> None:  # noqa: F811
    with traced(Trace("query", "r-1")) as outer:
        logger().error("one", error="E1")
        with traced(Trace("query", "r-2", correlation_id="c-2")) as inner:
            logger().error("two", error="E2")
        logger().warning("three")
    logger().error("four")
    said = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [line.get("request_id") for line in said] == ["r-1", "r-2", "r-1", None]
    assert said[1]["correlation_id"] == "c-2"
    assert [len(trace.failures) for trace in (outer, inner)] == [1, 1]


async def test_the_cause_of_a_change_is_in_the_lines_of_its_document(lines: io.StringIO) -> None:  # noqa: F811
    change = {
        "id": "event-1", "source": "aws.s3", "detail-type": "Object Created",
        "detail": {"request-id": "S3PUT1", "bucket": {"name": "b"}, "object": {"key": "a.md"}},
    }  # fmt: skip
    asked = functions.ingest.batch._changes_by_key(
        {"Records": [{"messageId": "m-1", "body": json.dumps(change)}]}, "b", ""
    )
    assert asked["a.md"].cause == "S3PUT1"
    with traced(Trace("ingest", "invocation-1")):
        with functions.ingest.batch._caused_by(asked["a.md"].cause):
            logger().warning("document not ingested", extra={"source_path": "a.md"})
        logger().warning("later")
    first, later = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert (first["request_id"], first["correlation_id"]) == ("invocation-1", "S3PUT1")
    assert "correlation_id" not in later


def values(emf: io.StringIO, name: str) -> list[dict[str, Any]]:
    """The metric lines with this metric, and with the stage for its only dimension."""
    found = []
    for line in emf.getvalue().splitlines():
        document = json.loads(line)
        (directive,) = document["_aws"]["CloudWatchMetrics"]
        assert (directive["Namespace"], directive["Dimensions"]) == ("Quoth", [["stage"]])
        assert document["stage"] == "local"
        if name in {metric["Name"] for metric in directive["Metrics"]}:
            found.append(document)
    return found


def test_a_written_answer_is_counted(
    writing: Open, openai_server: OpenAIServer, emf: io.StringIO
) -> None:
    openai_server.answer_with(writes((USE_WHOLE, USE)))
    secret = "my own words"
    ask(writing(functions.query.app, "query"), f"What is the ZMP used for, in {secret}?")
    (request,) = values(emf, metrics.REQUEST_MS)
    assert (request["function"], request["route"], request["status"]) == ("query", "/query", "2xx")
    (query,) = values(emf, metrics.QUERY_MS)
    assert (query["mode"], query["status"]) == ("book-wide", "answered")
    assert query["request_id"] == request["request_id"]
    assert query[metrics.STEP_MS.format(step="write")] > 0
    assert query[metrics.REFUSED] == 0
    calls = values(emf, metrics.CALL_S)
    assert {call[metrics.OPERATION] for call in calls} == {"chat", "embeddings"}
    tokens = [each for each in values(emf, metrics.TOKENS) if each[metrics.OPERATION] == "chat"]
    assert {each[metrics.TOKEN_TYPE] for each in tokens} == {"input", "output"}
    assert {each[metrics.MODEL] for each in tokens} == {MODEL}
    assert secret not in emf.getvalue()


def test_a_call_that_fails_is_counted_with_its_kind(
    writing: Open, openai_server: OpenAIServer, emf: io.StringIO
) -> None:
    openai_server.answer_with(lambda _: Failure(500))
    ask(writing(functions.query.app, "query"))
    failed = [each for each in values(emf, metrics.CALL_S) if metrics.ERROR in each]
    assert {(each[metrics.ERROR], each[metrics.CALL_FAILED]) for each in failed} == {("broken", 1)}
    assert len(failed) == 1, "an operation, with the repeated request in it"
    assert len(openai_server.requests) == 2


def test_an_address_nobody_knows_is_not_counted_by_its_name(
    query: Function, emf: io.StringIO
) -> None:
    query.get("/i-made-this-up")
    (request,) = values(emf, metrics.REQUEST_MS)
    assert (request["route"], request["status"]) == ("none", "4xx")


def test_steps_tells_the_times_of_recorded_answers(query: Function, stage: Stage) -> None:
    ask(query)
    answered = ask(query)["metadata"]["timings_ms"]
    shown = CliRunner().invoke(steps, ["--database-url", stage.database.dsn(), "--json"])
    assert shown.exit_code == 0, shown.output
    rows = {row["step"]: row for row in json.loads(shown.output)}
    assert {*answered, TOTAL} <= set(rows)
    assert all(row["p50_ms"] <= row["p95_ms"] <= row["max_ms"] for row in rows.values())
    assert rows[TOTAL]["answers"] >= rows["write"]["answers"] >= 2
    text = CliRunner().invoke(steps, ["--database-url", stage.database.dsn(), "--since", "90m"])
    assert text.output.splitlines()[-1].startswith(TOTAL)


@pytest.mark.parametrize("since", ["", "7", "d", "-1h", "0h", "1 day; DROP TABLE queries"])
def test_a_time_that_is_none_is_refused(since: str) -> None:
    assert CliRunner().invoke(steps, ["--since", since]).exit_code == 2
