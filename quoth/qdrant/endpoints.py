"""What each endpoint does with a request, in a thread; the paths are in `app.py`."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import qdrant_edge as edge
from anyio import CapacityLimiter, to_thread
from qdrant_client.http import models
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from quoth.qdrant.collection import Collection, index_type_of
from quoth.qdrant.errors import MAX_BODY_BYTES, Refused, read_body
from quoth.qdrant.queries import to_payload_choice
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


def list_collections(call: Call) -> object:
    return {"collections": [{"name": name} for name in call.store.names()]}


def describe_collection(call: Call) -> object:
    return describe(call.collection())


def collection_exists(call: Call) -> object:
    return {"exists": call.store.find(call.name) is not None}


def create_collection(call: Call) -> object:
    call.store.create(call.name, call.body(models.CreateCollection))
    return True


def delete_collection(call: Call) -> object:
    return call.store.delete(call.name)


def list_aliases(call: Call) -> object:
    return _aliases(call.store.aliases())


def list_aliases_of_collection(call: Call) -> object:
    name = call.collection().name
    return _aliases({a: c for a, c in call.store.aliases().items() if c == name})


def change_aliases(call: Call) -> object:
    call.store.change_aliases(call.body(models.ChangeAliasesOperation).actions)
    return True


def index_field(call: Call) -> object:
    collection = call.collection()
    asked: models.CreateFieldIndex = call.body(models.CreateFieldIndex)
    if asked.field_schema is None:
        raise Refused(400, "Bad request: the local server needs a field_schema for an index")
    return call.update_result(collection.index_field(asked.field_name, asked.field_schema))


def upsert_points(call: Call) -> object:
    return _change(call, models.PointInsertOperations)


def delete_points(call: Call) -> object:
    return _change(call, models.PointsSelector)


def set_payload(call: Call) -> object:
    return _change(call, models.SetPayload)


def change_points(call: Call) -> object:
    collection = call.collection()
    asked: models.UpdateOperations = call.body(models.UpdateOperations)
    operation = collection.change(asked.operations)
    return [call.update_result(operation) for _ in asked.operations]


def retrieve_points(call: Call) -> object:
    collection = call.collection()
    asked: models.PointRequest = call.body(models.PointRequest)
    payload = to_payload_choice(asked.with_payload, True)
    return records(collection.retrieve(asked.ids, payload, asked.with_vector or False))


def scroll_points(call: Call) -> object:
    points, following = call.collection().scroll(call.body(models.ScrollRequest))
    return {"points": records(points), "next_page_offset": point_id(following)}


def count_points(call: Call) -> object:
    return {"count": call.collection().count(call.body(models.CountRequest))}


def query_points(call: Call) -> object:
    found = call.collection().query([call.body(models.QueryRequest)])
    return {"points": scored_points(found[0])}


def query_points_in_batch(call: Call) -> object:
    found = call.collection().query(call.body(models.QueryRequestBatch).searches)
    return [{"points": scored_points(points)} for points in found]


def _change(call: Call, shape: Any) -> object:
    collection = call.collection()
    return call.update_result(collection.change([call.body(shape)]))


def _aliases(aliases: dict[str, str]) -> object:
    return {
        "aliases": [
            {"alias_name": alias, "collection_name": name}
            for alias, name in sorted(aliases.items())
        ]
    }


def scored_points(points: list[edge.ScoredPoint]) -> list[dict[str, Any]]:
    return [
        {"id": point_id(point.id), "version": point.version, "score": point.score, **_rest(point)}
        for point in points
    ]


def records(points: list[edge.Record]) -> list[dict[str, Any]]:
    return [{"id": point_id(point.id), **_rest(point)} for point in points]


def point_id(value: Any) -> Any:
    return str(value) if isinstance(value, UUID) else value


def describe(collection: Collection) -> dict[str, Any]:
    """The answer to `GET /collections/{name}`, with what a server fills in by default."""
    info = collection.info()
    settings = collection.settings.model_dump(mode="json", exclude_none=True)
    counts = {field: index.points for field, index in info.payload_schema.items()}
    return {
        "status": "green",
        "optimizer_status": "ok",
        "indexed_vectors_count": info.indexed_vectors_count,
        "points_count": info.points_count,
        "segments_count": info.segments_count,
        "config": {
            "params": {
                "vectors": settings["vectors"],
                "shard_number": 1,
                "replication_factor": 1,
                "write_consistency_factor": 1,
                "on_disk_payload": True,
            },
            "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000},
            "optimizer_config": {"default_segment_number": 0, "flush_interval_sec": 5},
            "strict_mode_config": settings.get("strict_mode_config", {"enabled": True}),
            "metadata": settings.get("metadata"),
        },
        "payload_schema": {
            field: {
                "data_type": index_type_of(schema),
                **({} if isinstance(schema, str) else {"params": schema}),
                "points": counts.get(field, 0),
            }
            for field, schema in collection.indexes.items()
        },
    }


def _rest(point: edge.ScoredPoint | edge.Record) -> dict[str, Any]:
    parts = {
        "payload": point.payload,
        "vector": point.vector,
        "order_value": point.order_value,
    }
    return {name: value for name, value in parts.items() if value is not None}
