"""What the server answers: engine results and collection descriptions as Qdrant's JSON."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import qdrant_edge as edge

from quoth.qdrant.collection import Collection, index_type_of


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
