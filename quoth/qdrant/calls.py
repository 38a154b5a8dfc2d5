"""From an HTTP request to a plain function and back, in a thread."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from quoth.qdrant.bodies import MAX_BODY_BYTES, read_body
from quoth.qdrant.collection import Collection
from quoth.qdrant.errors import Refused
from quoth.qdrant.store import Store

READS_AT_A_TIME = 16


@dataclass(frozen=True, slots=True)
class Call:
    """One request: the store, the name in its path, its query parameters and its raw body."""

    store: Store
    name: str
    params: dict[str, str]
    raw: bytes

    def body(self, shape: Any) -> Any:
        return read_body(shape, self.raw)

    def collection(self) -> Collection:
        return self.store.get(self.name)

    def update_result(self, operation: int) -> dict[str, Any]:
        waited = self.params.get("wait") == "true"
        return {"operation_id": operation, "status": "completed" if waited else "acknowledged"}


@dataclass(frozen=True, slots=True)
class Lanes:
    """Writes wait in a lane of their own, so that they never keep a read from a thread."""

    reads: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(READS_AT_A_TIME))
    writes: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(1))


Work = Callable[[Call], object]
Endpoint = Callable[[Request], Awaitable[Response]]


def reading(work: Work) -> Endpoint:
    return _endpoint(work, lambda lanes: lanes.reads, writes=False)


def writing(work: Work) -> Endpoint:
    return _endpoint(work, lambda lanes: lanes.writes, writes=True)


def _endpoint(work: Work, lane: Callable[[Lanes], CapacityLimiter], *, writes: bool) -> Endpoint:
    async def serve(request: Request) -> Response:
        started = time.perf_counter()
        state = request.app.state
        try:
            state.keys.check(request.headers, writes=writes)
            call = Call(
                store=state.store,
                name=request.path_params.get("name", ""),
                params=dict(request.query_params),
                raw=await _read_raw(request),
            )
            content = await to_thread.run_sync(_run, work, call, started, limiter=lane(state.lanes))
        except Refused as refusal:
            return error_response(refusal.status, refusal.message, started)
        return Response(content, media_type="application/json")

    return serve


def error_response(status: int, message: str, started: float) -> Response:
    """Qdrant's form of an error."""
    content = {"status": {"error": message}, "time": time.perf_counter() - started}
    return Response(json.dumps(content), status, media_type="application/json")


async def answer_http_exception(request: Request, error: Exception) -> Response:
    """An unknown path (404) or method (405)."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    known = f"{request.method} {request.url.path} is not offered by Quoth's local server"
    return error_response(status, known, time.perf_counter())


async def answer_defect(request: Request, error: Exception) -> Response:
    """Anything unforeseen: the trace goes to the log, not to the caller."""
    return error_response(500, "Service internal error", time.perf_counter())


def _run(work: Work, call: Call, started: float) -> bytes:
    result = work(call)
    content = {"result": result, "status": "ok", "time": time.perf_counter() - started}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


async def _read_raw(request: Request) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY_BYTES:
            raise Refused(
                400, f"JSON payload is larger than allowed (limit: {MAX_BODY_BYTES} bytes)."
            )
        parts.append(part)
    return b"".join(parts)
