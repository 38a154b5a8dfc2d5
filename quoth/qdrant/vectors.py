"""Checks of vectors before the engine sees them.

The engine panics on a multivector whose rows differ in length, and only after the point is in its
write-ahead log, where every later start would meet it again. So nothing unchecked is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import qdrant_edge as edge
from qdrant_client.http import models

from quoth.qdrant.errors import not_offered, wrong_input
from quoth.qdrant.filters import as_list


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
