"""Looking a question up: its vector and its search, each behind its breaker."""

from __future__ import annotations

from dataclasses import dataclass

from functions.adapters.openai.embeddings import (
    Embeddings,
    EmbeddingsMismatch,
    EmbeddingsRejected,
    EmbeddingsUnavailable,
)
from functions.adapters.postgres.query_records import QueryRecords
from functions.adapters.qdrant.chunk_search import (
    ChunkSearch,
    IndexMismatch,
    IndexMissing,
    SearchFilters,
)
from functions.answer.deadline import Deadline
from functions.lifecycle.circuit_breakers import PartCalls
from functions.lifecycle.not_served import NothingCanAnswer, NotServed
from functions.query.requests import QueryRequest
from functions.query.retrieval.chapter_log import log_chapter
from functions.query.retrieval.retrieve import Found, NothingCanSearch, retrieve_chunks
from functions.runtime.logs import logger
from functions.runtime.settings import Settings


@dataclass(frozen=True)
class Lookup:
    """The outside parts that find, and one query's calls of them."""

    settings: Settings
    records: QueryRecords
    embeddings: Embeddings
    search: ChunkSearch
    calls: PartCalls

    async def embed(self, question: str, deadline: Deadline) -> list[float] | None:
        """The question's vector, or None when embeddings are down: words must do."""
        if not self.calls.allows("embeddings"):
            return None
        try:
            seconds = deadline.within(self.settings.embedding_seconds)
            vector = (await self.embeddings.embed([question], seconds))[0]
        except (EmbeddingsUnavailable, EmbeddingsRejected, EmbeddingsMismatch) as error:
            logger().error("embeddings unavailable", error=type(error).__name__, detail=str(error))
            self.calls.record("embeddings", False)
            return None
        self.calls.record("embeddings", True)
        return vector

    async def retrieve(
        self, asked: QueryRequest, vector: list[float] | None, deadline: Deadline
    ) -> Found:
        """What a search brings. Raises NothingCanAnswer, and NotServed for an index that is not
        set up."""
        filters = SearchFilters(
            version=(asked.page.version or None) if asked.page else None,
            locale=(asked.page.locale or None) if asked.page else None,
        )
        try:
            found = await retrieve_chunks(
                asked.question,
                vector,
                self.search,
                self.records,
                filters,
                self.settings.top_chunks,
                deadline,
                self.settings.search_seconds,
                asked.block_range,
                asked.place,
                self.calls.allows("vectors"),
            )
            for part, worked in found.parts:
                self.calls.record(part, worked)
            if asked.chapter_context and asked.highlight is None:
                log_chapter(*asked.chapter_context.as_logged(), found.boosted)
            return found
        except NothingCanSearch as error:
            logger().error("nothing can search", detail=str(error))
            if error.asked_index:
                self.calls.record("vectors", False)
            raise NothingCanAnswer(self.calls.begun) from error
        except (IndexMissing, IndexMismatch) as error:
            logger().error("index unusable", error=type(error).__name__, detail=str(error))
            raise NotServed("index_unusable", 60) from error
