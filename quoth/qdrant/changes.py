"""Changes to points: from Qdrant's REST models to the engine's operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import qdrant_edge as edge
from qdrant_client.http import models

from quoth.qdrant.errors import Refused, not_offered, wrong_input
from quoth.qdrant.filters import as_list, to_filter
from quoth.qdrant.queries import Indexes, check_filter

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


def checked_point(
    asked: models.PointStruct, settings: Mapping[str, edge.EdgeVectorParams]
) -> edge.Point:
    """The engine's point, its vectors of known names and of the right sizes."""
    named = asked.vector if isinstance(asked.vector, dict) else {"": asked.vector}
    for name, vector in named.items():
        _check_vector(vector, name, settings)
    return edge.Point(asked.id, cast("edge.Vector", asked.vector), asked.payload or {})


def check_query_vectors(
    asked: models.QueryRequest | models.Prefetch, settings: Mapping[str, edge.EdgeVectorParams]
) -> None:
    """Check the vectors a query and its prefetches compare with."""
    query = asked.query.nearest if isinstance(asked.query, models.NearestQuery) else asked.query
    if isinstance(query, list):
        _check_vector(query, asked.using or "", settings)
    for inner in as_list(asked.prefetch):
        check_query_vectors(inner, settings)


def _check_vector(vector: Any, name: str, settings: Mapping[str, edge.EdgeVectorParams]) -> None:
    params = settings.get(name)
    if params is None:
        raise wrong_input(f"Not existing vector name error: {name}")
    if not isinstance(vector, list):
        raise not_offered(f"The vector {type(vector).__name__}")
    several = bool(vector) and isinstance(vector[0], list)
    if several and params.multivector_config is None:
        raise wrong_input("Conversion between multi and regular vectors failed")
    for row in vector if several else [vector]:
        if len(row) != params.size:
            raise wrong_input(
                f"Vector dimension error: expected dim: {params.size}, got {len(row)}"
            )
