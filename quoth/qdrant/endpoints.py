"""What each endpoint does with its call; the paths are in `app.py`."""

from __future__ import annotations

from typing import Any

from qdrant_client.http import models

from quoth.qdrant.answers import describe, point_id, records, scored_points
from quoth.qdrant.calls import Call
from quoth.qdrant.errors import Refused
from quoth.qdrant.queries import to_payload_choice


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
