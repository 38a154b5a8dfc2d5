"""A local Lambda Runtime API, and a function's process that talks to it.

`awslambdaric`, the client that runs in the Lambda service, asks here for its next event and brings
back what the handler made of it. So a built artifact runs as it will run there: same client, same
handler string, nothing on the path but the artifact and what the runtime itself brings.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

INIT_SECONDS = 10.0
"""What the service gives a function to import its handler."""

_VERSION = "/2018-06-01/runtime"


@dataclass(frozen=True, slots=True)
class Invocation:
    """What became of one event.

    `result` is what the handler returned. `error` is what the client reported: errorType,
    errorMessage, stackTrace. `duration_ms` counts from the start of the process when this event
    started one (`cold`), else from handing over the event.
    """

    outcome: Literal["result", "error", "timed_out", "crashed"]
    duration_ms: float
    cold: bool
    request_id: str
    result: Any = None
    error: Mapping[str, Any] | None = None
    exit_code: int | None = None


@dataclass(frozen=True, slots=True)
class _Message:
    """What happened, as told to the one who waits: `kind` and the body, if there is one."""

    kind: Literal["taken", "response", "error", "init_error", "exited"]
    body: Any = None


class RuntimeApi:
    """Serves one process: hands out one event at a time. Bound to the loopback, on a free port."""

    def __init__(self, timeout_s: float, function: str = "quoth") -> None:
        self.timeout_s = timeout_s
        self.function = function
        self.messages: queue.SimpleQueue[_Message] = queue.SimpleQueue()
        self._events: queue.SimpleQueue[tuple[str, bytes] | None] = queue.SimpleQueue()
        self._current = ""
        self._server = _Server(("127.0.0.1", 0), self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()

    @property
    def address(self) -> str:
        """Host and port, as AWS_LAMBDA_RUNTIME_API wants it."""
        host, port = self._server.server_address[:2]
        return f"{host!s}:{port}"

    def offer(self, event: Any) -> str:
        """Put an event where the process will fetch it, and return its request id."""
        self._current = str(uuid.uuid4())
        self._events.put((self._current, json.dumps(event).encode()))
        return self._current

    def close(self) -> None:
        """Stop. A client that still waits for an event gets none."""
        self._events.put(None)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def next_event(self) -> tuple[str, bytes] | None:
        """Wait for an event; None when the API is closing."""
        taken = self._events.get()
        if taken is not None:
            self.messages.put(_Message("taken"))
        return taken

    def accept(self, path: str, body: Any) -> bool:
        """Take what the client brings. False: not about the event that is being handled."""
        if path == f"{_VERSION}/init/error":
            self.messages.put(_Message("init_error", body))
        elif path == f"{_VERSION}/invocation/{self._current}/response":
            self.messages.put(_Message("response", body))
        elif path == f"{_VERSION}/invocation/{self._current}/error":
            self.messages.put(_Message("error", body))
        else:
            return False
        return True


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], api: RuntimeApi) -> None:
        self.api = api
        super().__init__(address, _Requests)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A process that was ended leaves its connection; nobody needs to hear of it."""


class _Requests(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # with it on, each answer waits 40 ms for the client's ACK
    wbufsize = -1

    def do_GET(self) -> None:
        if self.path != f"{_VERSION}/invocation/next":
            self._send(404, b"{}")
            return
        taken = self.server.api.next_event()
        if taken is None:
            self.close_connection = True
            return
        request_id, body = taken
        api = self.server.api
        deadline = int((time.time() + api.timeout_s) * 1000)
        self._send(
            200,
            body,
            {
                "Lambda-Runtime-Aws-Request-Id": request_id,
                "Lambda-Runtime-Deadline-Ms": str(deadline),
                "Lambda-Runtime-Invoked-Function-Arn": (
                    f"arn:aws:lambda:us-east-1:000000000000:function:{api.function}"
                ),
                "Lambda-Runtime-Trace-Id": f"Root=1-{int(time.time()):08x}-{uuid.uuid4().hex[:24]}",
            },
        )

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        accepted = self.server.api.accept(self.path, json.loads(body) if body else None)
        self._send(202 if accepted else 400, b'{"status":"OK"}' if accepted else b"{}")

    def _send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: the function's own output is what one wants to read."""


class LambdaProcess:
    """A function in a process of its own, started at the first event and after each death.

    `python` runs `awslambdaric`, which must be installed there. `env` is the whole environment
    beside the variables of the runtime. A time-out ends the process, as in the service. Output
    goes to `log`. Close it, or use it as a context manager.
    """

    def __init__(
        self,
        artifact: Path,
        handler: str,
        env: Mapping[str, str],
        timeout_s: float,
        *,
        python: Path,
        log: Path,
        init_s: float = INIT_SECONDS,
    ) -> None:
        self._artifact = artifact.resolve()
        self._handler = handler
        self._env = dict(env)
        self._timeout_s = timeout_s
        self._python = python
        self._log = log
        self._init_s = init_s
        self._running: tuple[RuntimeApi, subprocess.Popen[bytes]] | None = None

    def __enter__(self) -> LambdaProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The running process, if there is one."""
        return self._running[1].pid if self._running else None

    def invoke(self, event: Any) -> Invocation:
        """Hand the event over and wait for what becomes of it."""
        began = time.perf_counter()
        if self._running is not None and self._running[1].poll() is not None:
            self.close()  # it died between two events
        cold = self._running is None
        if self._running is None:
            self._running = self._start()
        api = self._running[0]
        request_id = api.offer(event)
        message = self._wait(api, self._init_s if cold else self._timeout_s)
        took = (time.perf_counter() - began) * 1000
        exit_code = None
        if message is None or message.kind in ("exited", "init_error"):
            exit_code = self.close()
        if message is None:
            return Invocation("timed_out", took, cold, request_id, exit_code=exit_code)
        if message.kind == "exited":
            return Invocation("crashed", took, cold, request_id, exit_code=exit_code)
        if message.kind == "response":
            return Invocation("result", took, cold, request_id, result=message.body)
        return Invocation(
            "error", took, cold, request_id, error=message.body or {}, exit_code=exit_code
        )

    def close(self) -> int | None:
        """End the process and its API, if they run. Returns the exit code."""
        if self._running is None:
            return None
        (api, process), self._running = self._running, None
        process.kill()
        code = process.wait(10)
        api.close()
        return code

    def _wait(self, api: RuntimeApi, seconds: float) -> _Message | None:
        """The last word on an event; None after a time-out.

        `seconds` is for the process to fetch it, which a new one does when it has imported.
        """
        until = time.monotonic() + seconds
        while True:
            try:
                message = api.messages.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                return None
            if message.kind != "taken":
                return message
            until = time.monotonic() + self._timeout_s

    def _start(self) -> tuple[RuntimeApi, subprocess.Popen[bytes]]:
        api = RuntimeApi(self._timeout_s)
        with self._log.open("ab") as log:
            process = subprocess.Popen(
                [self._python, "-m", "awslambdaric", self._handler],
                cwd=self._artifact,
                env=self._env | self._runtime_variables(api.address),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        threading.Thread(target=_report_end, args=(process, api), daemon=True).start()
        return api, process

    def _runtime_variables(self, address: str) -> dict[str, str]:
        return {
            "AWS_LAMBDA_RUNTIME_API": address,
            "AWS_LAMBDA_FUNCTION_NAME": "quoth",
            "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
            "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
            "_HANDLER": self._handler,
            "LAMBDA_TASK_ROOT": str(self._artifact),
            "LANG": "C.UTF-8",
            "PATH": os.defpath,
            "PYTHONDONTWRITEBYTECODE": "1",  # the service mounts the artifact read-only
            "TZ": ":UTC",
        }


def _report_end(process: subprocess.Popen[bytes], api: RuntimeApi) -> None:
    process.wait()
    api.messages.put(_Message("exited"))
