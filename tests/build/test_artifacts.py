"""The built functions under the Lambda runtime client, as the service would run them.

They run the files of the last build; no outside part is in reach.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.build.deployment import PROJECT
from tools.build.artifacts import FUNCTIONS, Artifacts, machine_architecture
from tools.build.first_requests import SELECTION, environment_of, first_requests
from tools.build.gateway_events import http_event, object_changed, sqs_event
from tools.build.lambda_process import LambdaProcess
from tools.build.run import CACHE, measured_folder

ROOMS = sorted(FUNCTIONS)
BUILT = Artifacts(measured_folder(PROJECT), machine_architecture())
PYTHON = PROJECT / CACHE / "python3.13" / "bin" / "python"

pytestmark = pytest.mark.skipif(
    "CI" not in os.environ and not (BUILT.of("query").is_dir() and PYTHON.exists()),
    reason="no built package here; `make build` makes it",
)

ASKED = {"question": "What is the zero moment point?", "session_id": "artifact"}
SILENCED = {
    "query": http_event("POST", "/query", ASKED),
    "selected": http_event("POST", "/query-selected-text", ASKED | {"selected_text": SELECTION}),
    "analytics": http_event(
        "POST",
        "/feedback",
        {"response_id": "0f8fad5b-d9cb-469f-a165-70867728950e", "rating": "helpful"},
    ),
    "ingest": sqs_event([object_changed("book", "docs/standing.md")]),
}
"""Events whose handling waits for an outside part."""

NOT_AN_EVENT: dict[str, Any] = {"Records": 3}

Start = Callable[..., LambdaProcess]


@pytest.fixture
def silence() -> Iterator[str]:
    """The address of a server that takes connections and never says a word."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        yield f"127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[LambdaProcess] = []

    def begin(room: str, timeout_s: float = 29.0, parts_at: str | None = None) -> LambdaProcess:
        environment = environment_of(room)
        if parts_at is not None:
            environment = {
                name: value.replace("127.0.0.1:9", parts_at) for name, value in environment.items()
            }
        process = LambdaProcess(
            BUILT.of(room),
            f"functions.{room}.handler.handler",
            environment,
            timeout_s,
            python=PYTHON,
            log=tmp_path / "log",
            init_s=60.0,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.close()


@pytest.mark.parametrize("room", ROOMS)
def test_answers_cold_and_warm(start: Start, room: str) -> None:
    request = first_requests()[room]
    function = start(room)
    for cold in (True, False):
        got = function.invoke(request.event)
        assert (got.outcome, got.cold) == ("result", cold)
        if request.statuses:
            assert got.result["statusCode"] in request.statuses


@pytest.mark.parametrize("room", ROOMS)
def test_an_error_in_the_handler_is_reported_and_the_process_goes_on(
    start: Start, room: str
) -> None:
    function = start(room)
    failed = function.invoke(NOT_AN_EVENT)
    assert failed.outcome == "error"
    assert failed.error is not None
    assert failed.error["errorType"] in ("RuntimeError", "TypeError")
    after = function.invoke(first_requests()[room].event)
    assert (after.outcome, after.cold) == ("result", False)


@pytest.mark.parametrize("room", ["query", "selected", "analytics"])
def test_a_part_that_never_answers_ends_in_a_time_out(
    start: Start, silence: str, room: str
) -> None:
    function = start(room, timeout_s=0.5, parts_at=silence)
    late = function.invoke(SILENCED[room])
    assert (late.outcome, function.pid) == ("timed_out", None)


@pytest.mark.parametrize("room", ["query", "selected"])
def test_the_scheduled_retry_ends_well_when_nothing_is_in_reach(start: Start, room: str) -> None:
    got = start(room).invoke({"task": "retry-deferred"})
    assert got.outcome == "result"
    assert got.result == {"stored": 0, "answered": 0, "given_up": 0, "waiting": 0}


def test_ingest_gives_its_message_back_before_its_time_is_up(start: Start, silence: str) -> None:
    got = start("ingest", timeout_s=8.0, parts_at=silence).invoke(SILENCED["ingest"])
    assert got.outcome == "result"
    assert got.result == {"batchItemFailures": [{"itemIdentifier": "message-0"}]}


@pytest.mark.parametrize("room", ROOMS)
def test_a_process_that_hangs_is_ended(start: Start, room: str) -> None:
    request = first_requests()[room]
    function = start(room, timeout_s=2.0)
    function.invoke(NOT_AN_EVENT)
    hanging = function.pid
    assert hanging is not None
    os.kill(hanging, signal.SIGSTOP)
    assert (function.invoke(request.event).outcome, function.pid) == ("timed_out", None)


@pytest.mark.parametrize("room", ROOMS)
def test_a_process_killed_at_work_has_crashed_and_the_next_event_starts_another(
    start: Start, silence: str, room: str
) -> None:
    function = start(room, parts_at=silence)
    assert function.invoke(NOT_AN_EVENT).outcome == "error"
    running = function.pid
    assert running is not None
    threading.Timer(0.3, os.kill, (running, signal.SIGKILL)).start()
    gone = function.invoke(SILENCED[room])
    assert (gone.outcome, gone.exit_code) == ("crashed", -signal.SIGKILL)
    after = function.invoke(NOT_AN_EVENT)
    assert (after.outcome, after.cold) == ("error", True)


def test_health_needs_no_variable_at_all(start: Start, tmp_path: Path) -> None:
    with LambdaProcess(
        BUILT.of("analytics"),
        "functions.analytics.handler.handler",
        {},
        29.0,
        python=PYTHON,
        log=tmp_path / "log",
    ) as function:
        got = function.invoke(http_event("GET", "/health"))
    assert (got.result["statusCode"], got.result["body"]) == (200, '{"status":"ok"}')


def test_the_package_runs_without_bytecode_being_written(start: Start) -> None:
    before = sorted(BUILT.of("query").rglob("*.pyc"))
    start("query").invoke(first_requests()["query"].event)
    assert sorted(BUILT.of("query").rglob("*.pyc")) == before
