"""Guards the index: all its vectors must come from one model."""

from __future__ import annotations

from functions.adapters.postgres.book_records import BookRecords, IndexState
from functions.adapters.qdrant.chunk_index import ChunkIndex
from functions.ingest.embed import DATABASE_SECONDS
from functions.ingest.outcome import OtherEmbeddingModel


class IndexCheck:
    """Compares what the database says of the index with the model of the settings."""

    def __init__(
        self, records: BookRecords, index: ChunkIndex, model: str, dimensions: int
    ) -> None:
        self._records = records
        self._index = index
        self._model = model
        self._dimensions = dimensions
        self._is_ready = False

    @property
    def kept_as(self) -> str:
        """The name that vectors are kept under: one model may have several dimensions."""
        return f"{self._model}@{self._dimensions}"

    async def run(self) -> None:
        """Raise OtherEmbeddingModel, or make sure that the collection can take vectors.

        Also raises the errors of the database and of the index.
        """
        state = await self._records.index_state(seconds=DATABASE_SECONDS)
        if state.embedding_model:
            self._compare(state)
        if not self._is_ready:
            await self._index.ensure(self._dimensions)
            self._is_ready = True
        if not state.embedding_model:
            await self._records.set_index_state(
                embedding_model=self._model,
                dimensions=self._dimensions,
                collection=self._index.collection,
                calibration=state.calibration,
                seconds=DATABASE_SECONDS,
            )

    def forget(self) -> None:
        """The collection went away: create it again on the next look."""
        self._is_ready = False

    def _compare(self, state: IndexState) -> None:
        if (state.embedding_model, state.dimensions) == (self._model, self._dimensions):
            return
        raise OtherEmbeddingModel(
            f"the book was indexed with {state.embedding_model} ({state.dimensions} dimensions), "
            f"the settings name {self._model} ({self._dimensions}): set QUOTH_EMBEDDING_MODEL and "
            "QUOTH_EMBEDDING_DIMENSIONS back, or index the book again with `quoth rebuild`"
        )
