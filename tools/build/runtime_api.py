"""A local Lambda Runtime API.

`awslambdaric`, the client that runs in the Lambda service, asks here for its next event and brings
back what the handler made of it. So a built artifact runs as it will run there: same client, same
handler string, nothing on the path but the artifact and what the runtime itself brings.
"""

from __future__ import annotations

import json
import queue
import threading
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

_VERSION = "/2018-06-01/runtime"


@dataclass(frozen=True, slots=True)
class Message:
    """What happened, as told to the one who waits: `kind` and the body, if there is one."""

    kind: Literal["taken", "restored", "response", "error", "init_error", "exited"]
    body: Any = None


class RuntimeApi:
    """Serves one process: hands out one event at a time. Bound to the loopback, on a free port."""

    def __init__(self, timeout_s: float, function: str = "quoth") -> None:
        self.timeout_s = timeout_s
        self.function = function
        self.messages: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._events: queue.SimpleQueue[tuple[str, bytes] | None] = queue.SimpleQueue()
        self.waiting = threading.Event()
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
        self.waiting.set()
        taken = self._events.get()
        if taken is not None:
            self.messages.put(Message("taken"))
        return taken

    def accept(self, path: str, body: Any) -> bool:
        """Take what the client brings. False: not about the event that is being handled."""
        if path in (f"{_VERSION}/init/error", f"{_VERSION}/restore/error"):
            self.messages.put(Message("init_error", body))
        elif path == f"{_VERSION}/invocation/{self._current}/response":
            self.messages.put(Message("response", body))
        elif path == f"{_VERSION}/invocation/{self._current}/error":
            self.messages.put(Message("error", body))
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
        """A process that ended drops its connection; that is not worth a message."""


class _Requests(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # with it on, each answer waits 40 ms for the client's ACK
    wbufsize = -1

    def do_GET(self) -> None:
        if self.path == f"{_VERSION}/restore/next":
            # The client asks when its hooks before the snapshot have run, and goes on when the
            # answer comes: that is the restore.
            self.server.api.messages.put(Message("restored"))
            self._send(200, b"{}")
            return
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
