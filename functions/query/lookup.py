"""The look-ups that one query makes: the question's vector, its search, its highlighted blocks."""

from __future__ import annotations

from dataclasses import dataclass

from functions.adapters.openai.embeddings import (
    Embeddings,
    EmbeddingsMismatch,
    EmbeddingsRejected,
    EmbeddingsUnavailable,
)
from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
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
from functions.query.retrieval.chapter_boost import log_chapter
from functions.query.retrieval.locate_highlight import find_blocks
from functions.query.retrieval.retrieve import (
    Found,
    NothingCanSearch,
    SearchRequest,
    retrieve_chunks,
)
from functions.runtime.logs import logger
from functions.runtime.settings import Settings

LOCATE_SECONDS = 2.5


@dataclass(frozen=True)
class Lookup:
    """The services that embed and search, and one query's calls of them."""

    settings: Settings
    records: QueryRecords
    embeddings: Embeddings
    search: ChunkSearch
    calls: PartCalls

    async def embed(self, question: str, deadline: Deadline) -> list[float] | None:
        """The question's vector; None when embeddings are down, and words must do."""
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
        """Search for a question. Raises NothingCanAnswer, and NotServed for an index that is not
        set up."""
        page = asked.page
        request = SearchRequest(
            asked.question,
            vector,
            SearchFilters(
                version=(page.version or None) if page else None,
                locale=(page.locale or None) if page else None,
            ),
            self.settings.top_chunks,
            deadline,
            self.settings.search_seconds,
            asked.block_range,
            asked.position,
        )
        try:
            found = await retrieve_chunks(
                request, self.search, self.records, ask_index=self.calls.allows("vectors")
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


async def locate_highlight(asked: QueryRequest, records: QueryRecords) -> QueryRequest:
    """The request with its highlight's blocks filled in. Raises NotServed, NothingCanAnswer."""
    highlight = asked.highlight
    if highlight is None or highlight.start_block is not None:
        return asked
    try:
        document = await records.folded_document(
            highlight.source_path, highlight.version, highlight.locale, seconds=LOCATE_SECONDS
        )
    except (DatabaseUnavailable, DatabaseRejected) as error:
        logger().error("highlight not located", error=type(error).__name__)
        raise NothingCanAnswer from error
    found = find_blocks(document, highlight.text, highlight.prefix) if document else None
    if document is None or found is None:
        raise NotServed("unknown_passage")
    last_block = max(block for block, _, _ in document.blocks)
    blocks = {
        "start_block": max(0, found[0] - highlight.around),
        "end_block": min(last_block, found[1] + highlight.around),
    }
    return asked.model_copy(update={"highlight": highlight.model_copy(update=blocks)})
