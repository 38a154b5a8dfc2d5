"""Vectors for passages, stored or computed, and the check that one model made all of an index's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from functions.adapters.openai.embeddings import Embeddings
from functions.adapters.postgres.book_records import BookRecords, IndexState
from functions.adapters.qdrant.chunk_index import ChunkIndex
from functions.ingest.prepare import passage_hash

TEXTS_PER_BATCH = 256
"""Vectors are stored after each batch, so that an interrupted document is not paid for twice."""

DATABASE_SECONDS = 15.0


class OtherEmbeddingModel(Exception):
    """The index holds vectors of another model than the settings name. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class PassageVectors:
    """Vectors by the hash of their passage, and the numbers of passages computed and reused."""

    by_hash: dict[str, list[float]]
    embedded: int
    reused: int


async def embed_passages(
    passages: Iterable[str],
    records: BookRecords,
    embeddings: Embeddings,
    model: str,
    seconds: float,
) -> PassageVectors:
    """The vectors of all passages; only text without a stored vector is embedded.

    `model` names the model and its dimensions; `seconds` bounds each call of the service.
    """
    texts: dict[str, str] = {}
    count = 0
    for passage in passages:
        texts[passage_hash(passage)] = passage
        count += 1
    vectors = await records.known_vectors(model, list(texts), seconds=DATABASE_SECONDS)
    missing = [each for each in texts if each not in vectors]
    for at in range(0, len(missing), TEXTS_PER_BATCH):
        hashes = missing[at : at + TEXTS_PER_BATCH]
        rows = await embeddings.embed([texts[each] for each in hashes], seconds)
        fresh = dict(zip(hashes, rows, strict=True))
        await records.store_vectors(model, fresh, seconds=DATABASE_SECONDS)
        vectors.update(fresh)
    return PassageVectors(vectors, embedded=len(missing), reused=count - len(missing))


class IndexCheck:
    """Compares the model that the database names for the index with the model of the settings."""

    def __init__(
        self, records: BookRecords, index: ChunkIndex, model: str, dimensions: int
    ) -> None:
        self._records = records
        self._index = index
        self.model = model
        self.dimensions = dimensions
        self._is_ready = False

    @property
    def vectors_name(self) -> str:
        """The name that vectors are stored under: one model may have several dimensions."""
        return f"{self.model}@{self.dimensions}"

    async def run(self) -> None:
        """Check the model, and create the collection if need be.

        Raises OtherEmbeddingModel and the errors of the database and of the index.
        """
        state = await self._records.index_state(seconds=DATABASE_SECONDS)
        if state.embedding_model:
            self._compare(state)
        if not self._is_ready:
            await self._index.ensure(self.dimensions)
            self._is_ready = True
        if not state.embedding_model:
            await self._records.set_index_state(
                embedding_model=self.model,
                dimensions=self.dimensions,
                collection=self._index.collection,
                calibration=state.calibration,
                seconds=DATABASE_SECONDS,
            )

    def forget(self) -> None:
        """The collection is missing: create it on the next run."""
        self._is_ready = False

    def _compare(self, state: IndexState) -> None:
        if (state.embedding_model, state.dimensions) == (self.model, self.dimensions):
            return
        raise OtherEmbeddingModel(
            f"the book was indexed with {state.embedding_model} ({state.dimensions} dimensions), "
            f"the settings name {self.model} ({self.dimensions}): set QUOTH_EMBEDDING_MODEL and "
            "QUOTH_EMBEDDING_DIMENSIONS back, or index the book again with `quoth rebuild`"
        )
