"""A function's process, which talks to a local Lambda Runtime API."""

from __future__ import annotations

import os
import queue
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from tools.build.runtime_api import Message, RuntimeApi

INIT_SECONDS = 10.0
"""What the service gives a function to import its handler."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """The outcome of one event.

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


class LambdaProcess:
    """A function in a process of its own, started at the first event and after each death.

    `python` runs `awslambdaric`, which must be installed there. `env` is the whole environment
    beside the variables of the runtime. With `snapshot` the hooks around a snapshot run, as for a
    version that has one. A time-out ends the process, as in the service. Output
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
        snapshot: bool = False,
    ) -> None:
        self._artifact = artifact.resolve()
        self._handler = handler
        self._env = dict(env)
        self._timeout_s = timeout_s
        self._python = python
        self._log = log
        self._init_s = init_s
        self._snapshot = snapshot
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

    def start(self) -> None:
        """Start the process, and wait until it asks for an event; the next one finds it ready.

        TimeoutError when it does not, within the time for the import.
        """
        self._running = self._start()
        api = self._running[0]
        until = time.monotonic() + self._init_s
        while not api.waiting.is_set():
            if time.monotonic() > until or self._running[1].poll() is not None:
                self.close()
                raise TimeoutError("the process did not ask for an event")
            api.waiting.wait(0.01)

    def close(self) -> int | None:
        """End the process and its API, if they run. Returns the exit code."""
        if self._running is None:
            return None
        (api, process), self._running = self._running, None
        process.kill()
        code = process.wait(10)
        api.close()
        return code

    def _wait(self, api: RuntimeApi, seconds: float) -> Message | None:
        """The last word on an event; None after a time-out.

        `seconds` is for the process to fetch it, which a new one does when it has imported.
        """
        until = time.monotonic() + seconds
        while True:
            try:
                message = api.messages.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                return None
            if message.kind not in ("taken", "restored"):
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
            "AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start" if self._snapshot else "on-demand",
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
    api.messages.put(Message("exited"))
