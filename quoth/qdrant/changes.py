"""Changes to points: from Qdrant's REST models to the engine's operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import qdrant_edge as edge
from qdrant_client.http import models

from quoth.qdrant.errors import Refused, not_offered, wrong_input
from quoth.qdrant.filters import to_filter
from quoth.qdrant.strict import Indexes, check_filter
from quoth.qdrant.vectors import checked_point

UPDATE_MODES = {
    models.UpdateMode.UPSERT: edge.UpdateMode.Upsert,
    models.UpdateMode.INSERT_ONLY: edge.UpdateMode.InsertOnly,
    models.UpdateMode.UPDATE_ONLY: edge.UpdateMode.UpdateOnly,
}


def to_change(
    asked: Any, settings: Mapping[str, edge.EdgeVectorParams], indexes: Indexes
) -> edge.UpdateOperation:
    """One operation of a batch, or the body of the endpoint that carries a single one.

    Raises `Refused` for a wrong vector and for a filter on a key that has no index.
    """
    match asked:
        case models.UpsertOperation():
            return to_change(asked.upsert, settings, indexes)
        case models.DeleteOperation():
            return to_change(asked.delete, settings, indexes)
        case models.SetPayloadOperation():
            return to_change(asked.set_payload, settings, indexes)
        case models.PointsList() | models.PointsBatch():
            return _upsert(asked, settings, indexes)
        case models.PointIdsList():
            return edge.UpdateOperation.delete_points(list(asked.points))
        case models.FilterSelector():
            check_filter(asked.filter, indexes)
            chosen = to_filter(asked.filter) or edge.Filter()
            return edge.UpdateOperation.delete_points_by_filter(chosen)
        case models.SetPayload():
            return _set_payload(asked, indexes)
    raise not_offered(f"The operation {type(asked).__name__}")


def _upsert(
    asked: models.PointsList | models.PointsBatch,
    settings: Mapping[str, edge.EdgeVectorParams],
    indexes: Indexes,
) -> edge.UpdateOperation:
    check_filter(asked.update_filter, indexes)
    points = asked.points if isinstance(asked, models.PointsList) else _rows(asked.batch)
    return edge.UpdateOperation.upsert_points(
        [checked_point(point, settings) for point in points],
        condition=to_filter(asked.update_filter),
        update_mode=UPDATE_MODES[asked.update_mode or models.UpdateMode.UPSERT],
    )


def _rows(batch: models.Batch) -> list[models.PointStruct]:
    count = len(batch.ids)
    columns: Any = batch.vectors
    if isinstance(columns, dict):
        lengths = {len(column) for column in columns.values()}
        vectors: list[Any] = [
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=False)
        ]
    else:
        lengths, vectors = {len(columns)}, columns
    payloads: list[Any] = batch.payloads or [None] * count
    if lengths != {count} or len(payloads) != count:
        raise wrong_input("number of ids, vectors and payloads must be equal")
    rows = zip(batch.ids, vectors, payloads, strict=True)
    return [
        models.PointStruct(id=point_id, vector=vector, payload=payload)
        for point_id, vector, payload in rows
    ]


def _set_payload(asked: models.SetPayload, indexes: Indexes) -> edge.UpdateOperation:
    if asked.points is not None:
        ids = list(asked.points)
        return edge.UpdateOperation.set_payload(ids, asked.payload, asked.key)
    if asked.filter is None:
        raise Refused(400, "Bad request: No filter or points specified")
    check_filter(asked.filter, indexes)
    chosen = to_filter(asked.filter) or edge.Filter()
    return edge.UpdateOperation.set_payload_by_filter(chosen, asked.payload, asked.key)
