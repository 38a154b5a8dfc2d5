"""A function behind its HTTP API: it takes the gateway's events one after another, as on Lambda."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any
from unittest.mock import patch

from mangum import Mangum

from functions.runtime.settings import Settings
from tools.build.gateway_events import http_event

SECONDS = 60.0


@dataclass(frozen=True)
class Reply:
    """What the gateway would send. `request_id` is the one the gateway gave the request."""

    status: int
    headers: Mapping[str, str]
    body: Any
    request_id: str

    @property
    def answer(self) -> dict[str, Any]:
        assert self.status == 200, self.body
        assert isinstance(self.body, dict)
        return self.body

    def error(self, status: int, code: str) -> str:
        """The message of an error that has the one form of all errors, and no more."""
        assert (self.status, self.body.get("code")) == (status, code), self.body
        assert set(self.body) == {"code", "message", "request_id", "fields"}
        assert self.body["request_id"]
        assert self.headers["content-type"] == "application/json"
        shown = json.dumps(self.body)
        assert not any(word in shown for word in ("Traceback", 'File "', "psycopg", "httpx", ".py"))
        return str(self.body["message"])


class Function:
    """Its handler on one event loop in a thread of its own, over the app that `module` creates."""

    def __init__(self, module: ModuleType, settings: Settings) -> None:
        self._module = module
        self._compose: Callable[[Settings], Any] = module.build_answers
        self._built: list[Any] = []
        self._loop = asyncio.new_event_loop()
        self._thread = ThreadPoolExecutor(1, initializer=asyncio.set_event_loop,
                                          initargs=(self._loop,))  # fmt: skip
        app = module.create(lambda: settings)
        self._handler = self._thread.submit(Mangum, app, lifespan="off").result(SECONDS)

    def post(self, address: str, body: Any = None, **given: Any) -> Reply:
        return self.call("POST", address, body, **given)

    def get(self, address: str) -> Reply:
        return self.call("GET", address)

    def call(
        self,
        method: str,
        address: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        source_ip: str = "192.0.2.1",
    ) -> Reply:
        """One request. `raw` is a body that is no JSON."""
        event = http_event(method, address, body, headers=headers, source_ip=source_ip)
        if raw is not None:
            event |= {"body": base64.b64encode(raw).decode(), "isBase64Encoded": True}
            event["headers"]["content-type"] = "application/json"
        got = self._thread.submit(self._handle, event).result(SECONDS)
        # Lambda freezes what is still at work then, with its connections.
        assert not asyncio.all_tasks(self._loop)
        return Reply(
            got["statusCode"],
            got["headers"],
            json.loads(got["body"]),
            event["requestContext"]["requestId"],
        )

    def forget_failures(self) -> None:
        """As if every pause of a breaker were over, its try had worked, and no connection died."""
        for built in self._built:
            self._run(built.records.close())
            built.records._database._breaker.record(True)
            for breaker in built.local_state.breakers.by_part.values():
                breaker.record(True)

    def close(self) -> None:
        self._run(self._close_parts())
        self._thread.shutdown()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        self._thread.submit(self._loop.run_until_complete, work).result(SECONDS)

    def _handle(self, event: dict[str, Any]) -> dict[str, Any]:
        # What is built must be closed on the same loop in the end.
        with patch.object(self._module, "build_answers", self._build):
            return self._handler(event, None)

    def _build(self, settings: Settings) -> Any:
        self._built.append(self._compose(settings))
        return self._built[-1]

    async def _close_parts(self) -> None:
        for built in self._built:
            await built.close()
        await self._loop.shutdown_default_executor()


@contextmanager
def opened(module: ModuleType, settings: Settings) -> Iterator[Function]:
    """The function whose app is `module`, while the block runs."""
    function = Function(module, settings)
    try:
        yield function
    finally:
        function.close()
