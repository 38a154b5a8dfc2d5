"""Writes the chunk index, through `qdrant-client`. Used by ingest only."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from functions.adapters.qdrant.schema import (
    ACTIVE,
    CHUNK_ID,
    DENSE,
    DOCUMENT_ID,
    GENERATION,
    SOURCE_PATH,
    VERSION,
    ChunkPoint,
    IndexMismatch,
    IndexMissing,
    Json,
    in_range,
    matches,
    payload_indexes,
    vectors_config,
)

__all__ = [
    "ChunkIndex",
    "ChunkPoint",
    "Generation",
    "IndexMismatch",
    "IndexMissing",
    "IndexUnavailable",
    "IndexedChunk",
]

FLOATS_PER_REQUEST = 400_000
"""Some 9 MB of JSON; Qdrant takes at most 32 MB."""
PAGE = 256
LISTED = [CHUNK_ID, DOCUMENT_ID, SOURCE_PATH, VERSION, GENERATION, ACTIVE]


class IndexUnavailable(Exception):
    """The vector index failed: leave the event in its queue and try again later."""


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation of a document: its number, its chunks, and how many of them are active."""

    number: int
    chunks: int
    active: int


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk in the index. `vectors` (one row per passage) only if requested."""

    chunk_id: str
    document_id: str
    source_path: str
    version: str
    generation: int
    active: bool
    vectors: tuple[tuple[float, ...], ...] | None = None


class ChunkIndex:
    """Writes one collection. Every write is durable when its method returns, and may be repeated.

    Every method raises `IndexUnavailable`, `IndexMissing` or `IndexMismatch`.
    """

    def __init__(
        self, url: str, api_key: str | None, collection: str, timeout_s: float = 30.0
    ) -> None:
        self.collection = collection
        self._client = new_client(url, api_key, timeout_s)

    async def ensure(self, size: int) -> None:
        """Create the collection for vectors of that size, and missing payload indexes.

        Raises `IndexMismatch` if it exists with vectors of another kind.
        """
        wanted = TypeAdapter(dict[str, models.VectorParams]).validate_python(vectors_config(size))
        with self._translated():
            if not await self._client.collection_exists(self.collection):
                await self._create(wanted)
            found = await self._client.get_collection(self.collection)
            if not _same_vectors(found.config.params.vectors, wanted[DENSE]):
                raise IndexMismatch(
                    f"the collection {self.collection!r} holds other vectors than those of size "
                    f"{size}; set QUOTH_EMBEDDING_DIMENSIONS back, or index the book again with "
                    "`quoth rebuild`"
                )
            reader: TypeAdapter[models.PayloadSchemaParams] = TypeAdapter(
                models.PayloadSchemaParams
            )
            for field, index in payload_indexes().items():
                if field not in found.payload_schema:
                    await self._client.create_payload_index(
                        self.collection, field, reader.validate_python(index), wait=True
                    )

    async def add(self, points: Sequence[ChunkPoint], active: bool = False) -> None:
        """Write the points; searches find only active ones."""
        with self._translated():
            for batch in _batches(points):
                rows = [
                    models.PointStruct(
                        id=point.point_id,
                        vector={DENSE: [list(row) for row in point.vectors]},
                        payload=point.payload(active),
                    )
                    for point in batch
                ]
                await self._client.upsert(self.collection, rows, wait=True)

    async def activate(self, document_id: str, generation: int) -> None:
        """Activate that generation, then delete older ones, in one ordered request."""
        of_document = matches(DOCUMENT_ID, document_id)
        this = _filter(of_document, matches(GENERATION, generation))
        older = _filter(of_document, in_range(GENERATION, lt=generation))
        with self._translated():
            await self._client.batch_update_points(
                self.collection,
                [
                    models.SetPayloadOperation(
                        set_payload=models.SetPayload(payload={ACTIVE: True}, filter=this)
                    ),
                    models.DeleteOperation(delete=models.FilterSelector(filter=older)),
                ],
                wait=True,
            )

    async def remove(self, document_id: str) -> None:
        """Delete every generation of the document; no error if there is none."""
        with self._translated():
            await self._client.delete(
                self.collection,
                models.FilterSelector(filter=_filter(matches(DOCUMENT_ID, document_id))),
                wait=True,
            )

    async def count(self, document_id: str | None = None) -> int:
        """Points of the document, or of the whole collection."""
        with self._translated():
            found = await self._client.count(
                self.collection, count_filter=_of(document_id), exact=True
            )
        return found.count

    async def generations(self, document_id: str) -> tuple[Generation, ...]:
        """The document's generations, oldest first."""
        chunks, active = Counter[int](), Counter[int]()
        async for chunk in self.list_chunks(document_id):
            chunks[chunk.generation] += 1
            active[chunk.generation] += chunk.active
        return tuple(Generation(n, chunks[n], active[n]) for n in sorted(chunks))

    async def list_chunks(
        self, document_id: str | None = None, vectors: bool = False
    ) -> AsyncIterator[IndexedChunk]:
        """The chunks in the index, page by page, in no particular order."""
        offset: Any = None
        while True:
            with self._translated():
                records, offset = await self._client.scroll(
                    self.collection,
                    scroll_filter=_of(document_id),
                    limit=PAGE,
                    offset=offset,
                    with_payload=LISTED,
                    with_vectors=[DENSE] if vectors else False,
                )
            for record in records:
                yield _indexed_chunk(record)
            if offset is None:
                return

    async def delete(self) -> None:
        """Delete the whole collection; no error if it does not exist."""
        with self._translated():
            await self._client.delete_collection(self.collection)

    async def aclose(self) -> None:
        await self._client.close()

    async def _create(self, vectors: dict[str, models.VectorParams]) -> None:
        try:
            await self._client.create_collection(self.collection, vectors_config=vectors)
        except UnexpectedResponse as error:
            if error.status_code != 409:  # another ingest was faster
                raise

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except UnexpectedResponse as error:
            if error.status_code == 404:
                raise IndexMissing(
                    f"there is no collection {self.collection!r}; create it with ensure()"
                ) from error
            if error.status_code in (400, 422):
                raise IndexMismatch(
                    f"the collection {self.collection!r} does not take this; index the book "
                    f"again into a new collection ({_body_of(error)})"
                ) from error
            raise unavailable(error) from error
        except ResponseHandlingException as error:
            raise unavailable(error) from error


def new_client(url: str, api_key: str | None, timeout_s: float) -> AsyncQdrantClient:
    return AsyncQdrantClient(
        url=url,
        port=None,  # the port is in the address; the default would add 6333 to it
        api_key=api_key or None,
        timeout=max(1, round(timeout_s)),
        check_compatibility=False,  # it would make a blocking call at once
    )


def unavailable(error: UnexpectedResponse | ResponseHandlingException) -> IndexUnavailable:
    """The client's error as IndexUnavailable."""
    if isinstance(error, UnexpectedResponse):
        return IndexUnavailable(
            f"the vector index answers {error.status_code}; try again later ({_body_of(error)})"
        )
    return IndexUnavailable(
        f"the vector index cannot be reached ({error}); check its address and try again"
    )


def _body_of(error: UnexpectedResponse) -> str:
    return bytes(error.content).decode("utf-8", "replace")[:300]


def _of(document_id: str | None) -> models.Filter | None:
    return None if document_id is None else _filter(matches(DOCUMENT_ID, document_id))


def _filter(*must: Json) -> models.Filter:
    return models.Filter.model_validate({"must": list(must)})


def _same_vectors(found: Any, wanted: models.VectorParams) -> bool:
    dense = found.get(DENSE) if isinstance(found, dict) else None
    return dense is not None and (dense.size, dense.distance, dense.multivector_config) == (
        wanted.size,
        wanted.distance,
        wanted.multivector_config,
    )


def _batches(points: Sequence[ChunkPoint]) -> Iterator[list[ChunkPoint]]:
    batch: list[ChunkPoint] = []
    floats = 0
    for point in points:
        size = sum(len(row) for row in point.vectors)
        if batch and floats + size > FLOATS_PER_REQUEST:
            yield batch
            batch, floats = [], 0
        batch.append(point)
        floats += size
    if batch:
        yield batch


def _indexed_chunk(record: models.Record) -> IndexedChunk:
    payload = record.payload or {}
    named: Any = record.vector if isinstance(record.vector, dict) else {}
    rows = named.get(DENSE)
    return IndexedChunk(
        **{field: payload[field] for field in LISTED},
        vectors=None if rows is None else tuple(tuple(row) for row in rows),
    )
