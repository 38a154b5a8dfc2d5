"""The local Runtime API with the real runtime client and a handler of a few lines."""

from __future__ import annotations

import http.client
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tools.build.lambda_process import LambdaProcess
from tools.build.runtime_api import RuntimeApi

HANDLER = """
import os
import time

count = 0

def handle(event, context):
    global count
    count += 1
    if event.get("raise"):
        raise ValueError(event["raise"])
    if "exit" in event:
        os._exit(event["exit"])
    time.sleep(event.get("sleep", 0))
    return {
        "count": count,
        "id": context.aws_request_id,
        "left_ms": context.get_remaining_time_in_millis(),
        "secret": os.environ.get("HOME_OF_THE_TEST", ""),
        "said": event.get("say"),
    }
"""

HOOKED = """
from snapshot_restore_py import register_after_restore, register_before_snapshot

seen = ["imported"]
register_before_snapshot(seen.append, "before")
register_after_restore(seen.append, "after")

def handle(event, context):
    return seen
"""

Start = Callable[..., LambdaProcess]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[LambdaProcess] = []
    (tmp_path / "tiny.py").write_text(HANDLER)
    (tmp_path / "hooked.py").write_text(HOOKED)

    def begin(
        handler: str = "tiny.handle",
        timeout_s: float = 20.0,
        init_s: float = 20.0,
        snapshot: bool = False,
    ) -> LambdaProcess:
        process = LambdaProcess(
            tmp_path,
            handler,
            {},
            timeout_s,
            python=Path(sys.executable),
            log=tmp_path / "log",
            init_s=init_s,
            snapshot=snapshot,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.close()


def test_answers_cold_then_warm_in_the_same_process(start: Start) -> None:
    function = start()
    first, second = function.invoke({}), function.invoke({"say": "é\u2028"})
    assert (first.outcome, first.cold, first.result["count"]) == ("result", True, 1)
    assert (second.outcome, second.cold, second.result["count"]) == ("result", False, 2)
    assert second.result["said"] == "é\u2028"
    assert [first.result["id"], second.result["id"]] == [first.request_id, second.request_id]


def test_the_handler_knows_how_much_time_is_left(start: Start) -> None:
    left = start(timeout_s=15.0).invoke({}).result["left_ms"]
    assert 5_000 < left <= 15_000


def test_the_hooks_around_a_snapshot_run_once_and_only_where_there_is_one(start: Start) -> None:
    with_one = start("hooked.handle", snapshot=True)
    with_one.start()
    first = with_one.invoke({})
    assert (first.result, first.cold) == (["imported", "before", "after"], False)
    assert with_one.invoke({}).result == ["imported", "before", "after"]
    assert start("hooked.handle").invoke({}).result == ["imported"]


def test_the_environment_of_the_caller_stays_outside(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME_OF_THE_TEST", "seen")
    assert start().invoke({}).result["secret"] == ""


def test_an_exception_is_reported_and_the_process_goes_on(start: Start) -> None:
    function = start()
    failed = function.invoke({"raise": "no such chapter"})
    assert failed.outcome == "error"
    assert failed.error is not None
    assert failed.error["errorType"] == "ValueError"
    assert failed.error["errorMessage"] == "no such chapter"
    assert any("raise ValueError" in line for line in failed.error["stackTrace"])
    after = function.invoke({})
    assert (after.outcome, after.cold, after.result["count"]) == ("result", False, 2)


def test_a_time_out_ends_the_process_and_the_next_event_starts_a_new_one(start: Start) -> None:
    function = start(timeout_s=0.5)
    function.invoke({})
    before = function.pid
    late = function.invoke({"sleep": 60})
    assert late.outcome == "timed_out"
    assert function.pid is None
    after = function.invoke({})
    assert (after.outcome, after.cold, after.result["count"]) == ("result", True, 1)
    assert function.pid != before


def test_a_handler_that_exits_has_crashed_and_is_started_again(start: Start) -> None:
    function = start()
    gone = function.invoke({"exit": 7})
    assert (gone.outcome, gone.exit_code) == ("crashed", 7)
    assert function.invoke({}).result["count"] == 1


def test_a_process_killed_between_two_events_is_replaced(start: Start) -> None:
    function = start()
    function.invoke({})
    killed = function.pid
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    while _is_alive(killed):
        time.sleep(0.01)
    after = function.invoke({})
    assert (after.outcome, after.cold) == ("result", True)


def test_a_process_killed_in_the_middle_of_an_event_has_crashed(start: Start) -> None:
    function = start()
    function.invoke({})
    running = function.pid
    assert running is not None
    killer = threading.Timer(0.2, os.kill, (running, signal.SIGKILL))
    killer.start()
    gone = function.invoke({"sleep": 60})
    assert (gone.outcome, gone.exit_code) == ("crashed", -signal.SIGKILL)


@pytest.mark.parametrize(
    ("handler", "kind"),
    [
        ("missing.handle", "Runtime.ImportModuleError"),
        ("tiny.absent", "Runtime.HandlerNotFound"),
    ],
)
def test_a_handler_that_cannot_be_imported_is_an_error(
    start: Start, handler: str, kind: str
) -> None:
    failed = start(handler).invoke({})
    assert failed.outcome == "error"
    assert failed.error is not None
    assert failed.error["errorType"] == kind


def test_an_import_that_never_ends_times_out(start: Start, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(60)\n")
    assert start("slow.handle", init_s=1.0).invoke({}).outcome == "timed_out"


def test_refuses_an_answer_to_another_request() -> None:
    api = RuntimeApi(5.0)
    try:
        api.offer({})
        client = http.client.HTTPConnection(api.address, timeout=5)
        client.request("GET", "/2018-06-01/runtime/invocation/next")
        given = client.getresponse()
        given.read()
        request_id = given.headers["Lambda-Runtime-Aws-Request-Id"]
        assert int(given.headers["Lambda-Runtime-Deadline-Ms"]) > time.time() * 1000
        statuses = []
        for answered in ("another", request_id):
            client.request(
                "POST", f"/2018-06-01/runtime/invocation/{answered}/response", json.dumps(1)
            )
            reply = client.getresponse()
            reply.read()
            statuses.append(reply.status)
        assert statuses == [400, 202]
        client.close()
    finally:
        api.close()


def _is_alive(pid: int) -> bool:
    """Not gone, and not a zombie waiting to be collected."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
