"""One collection, stored as the engine's shard and a description.

The directory holds `collection.json` (name, settings, payload indexes) and `shard/` (the engine's
files).
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import qdrant_edge as edge
from qdrant_client.http import models

from quoth.qdrant.changes import check_query_vectors, to_change
from quoth.qdrant.errors import engine_errors
from quoth.qdrant.filters import to_filter
from quoth.qdrant.queries import check_filter, check_query, to_query, to_scroll
from quoth.qdrant.schema import index_type, to_index, to_vectors

ABOUT = "collection.json"
WRITES_BETWEEN_FLUSHES = 256
"""Writes are durable in the write-ahead log; a flush keeps the log, and the next start, short."""

Result = TypeVar("Result")


class Collection:
    """Reads may run concurrently with each other and with a write; writes are serialised."""

    def __init__(self, path: Path, about: dict[str, Any], shard: edge.EdgeShard) -> None:
        self.path = path
        self.name: str = about["name"]
        self.settings = models.CreateCollection.model_validate(about["settings"])
        self.vectors = to_vectors(self.settings)
        self.indexes: dict[str, Any] = about["indexes"]
        self._shard = shard
        self._lock = threading.Lock()
        self._writes = 0

    @classmethod
    def create(cls, path: Path, name: str, settings: models.CreateCollection) -> Collection:
        vectors = to_vectors(settings)
        shard_path = path / "shard"
        shard_path.mkdir(parents=True)
        with engine_errors(name):
            shard = edge.EdgeShard.create(str(shard_path), edge.EdgeConfig(vectors=vectors))
            shard.flush()
        kept = settings.model_dump(mode="json", exclude_none=True)
        about = {"name": name, "settings": kept, "indexes": {}}
        write_json(path / ABOUT, about)
        return cls(path, about, shard)

    @classmethod
    def load(cls, path: Path) -> Collection:
        about = read_json(path / ABOUT)
        return cls(path, about, edge.EdgeShard.load(str(path / "shard")))

    def close(self) -> None:
        with self._lock, engine_errors(self.name):
            self._shard.flush()
            self._shard.close()

    def info(self) -> edge.ShardInfo:
        return self._ask(self._shard.info)

    def query(self, asked: Sequence[models.QueryRequest]) -> list[list[edge.ScoredPoint]]:
        indexes = self.required_indexes
        for each in asked:
            check_query(each, indexes)
            check_query_vectors(each, self.vectors)
        return self._ask(
            lambda: self._shard.query_batch(
                edge.QueryBatchRequest([to_query(each) for each in asked])
            )
        )

    def scroll(self, asked: models.ScrollRequest) -> tuple[list[edge.Record], Any]:
        check_filter(asked.filter, self.required_indexes)
        return self._ask(lambda: self._shard.scroll(to_scroll(asked)))

    def count(self, asked: models.CountRequest) -> int:
        check_filter(asked.filter, self.required_indexes)
        return self._ask(
            lambda: self._shard.count(edge.CountRequest(True, to_filter(asked.filter)))
        )

    def retrieve(self, ids: Sequence[Any], payload: Any, vector: Any) -> list[edge.Record]:
        return self._ask(lambda: self._shard.retrieve(list(ids), payload, vector))

    def change(self, asked: Sequence[Any]) -> int:
        """Apply the changes in order; return the operation's number.

        All are checked before the first is applied. When this returns, they are in the write-ahead
        log and survive the end of the process.
        """
        indexes = self.required_indexes
        with self._lock, engine_errors(self.name):
            for change in [to_change(each, self.vectors, indexes) for each in asked]:
                self._shard.update(change)
            return self._wrote()

    def index_field(self, field: str, schema: models.PayloadFieldSchema) -> int:
        """Create or replace the index of a payload field. Idempotent."""
        kept = _plain_schema(schema)
        with self._lock, engine_errors(self.name):
            if self.indexes.get(field) != kept:
                change = edge.UpdateOperation.create_field_index(field, to_index(schema))
                self._shard.update(change)
                self.indexes = {**self.indexes, field: kept}
                settings = self.settings.model_dump(mode="json", exclude_none=True)
                about = {"name": self.name, "settings": settings, "indexes": self.indexes}
                write_json(self.path / ABOUT, about)
            return self._wrote()

    @property
    def required_indexes(self) -> dict[str, str] | None:
        """Type of each payload index; None when strict mode is off and no index is required."""
        mode = self.settings.strict_mode_config
        if mode is not None and mode.enabled is False:
            return None
        return {field: index_type_of(schema) for field, schema in self.indexes.items()}

    def _wrote(self) -> int:
        self._writes += 1
        if self._writes % WRITES_BETWEEN_FLUSHES == 0:
            self._shard.flush()
        return self._writes

    def _ask(self, ask: Callable[[], Result]) -> Result:
        with engine_errors(self.name):
            return ask()


def index_type_of(schema: Any) -> str:
    """The type of an index, from its entry in `collection.json`."""
    return str(schema if isinstance(schema, str) else schema["type"])


def _plain_schema(schema: models.PayloadFieldSchema) -> Any:
    if isinstance(schema, models.PayloadSchemaType):
        return index_type(schema)
    return schema.model_dump(mode="json", exclude_none=True)


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def write_json(path: Path, value: object) -> None:
    draft = path.with_suffix(".draft")
    with draft.open("w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
