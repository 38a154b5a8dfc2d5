"""Answering a question from the whole book: begin, retrieve, answer, finish."""

from __future__ import annotations

import asyncio
import time
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from functions.adapters.chunk_search import ChunkSearch, IndexMismatch, IndexMissing, SearchFilters
from functions.adapters.embeddings import (
    Embeddings,
    EmbeddingsMismatch,
    EmbeddingsRejected,
    EmbeddingsUnavailable,
)
from functions.adapters.query_records import Begun, QueryRecord, QueryRecords
from functions.answer.answers import Answer
from functions.answer.chain import answer_from
from functions.answer.deadline import Deadline
from functions.answer.gate import BOOK, BOOK_BY_WORDS, Calibration
from functions.answer.quote_writer import QuoteWriter
from functions.answer.refusals import ASKED_BEFORE, QUEUED, UNAVAILABLE
from functions.answer.version import chain_version
from functions.answer.writing import Writer
from functions.logs import logger
from functions.query.requests import QueryRequest
from functions.query.retrieving import Found, NothingCanSearch, retrieve_chunks
from functions.query.update_notice import update_notices
from functions.settings import Settings
from functions.web.errors import ApiError
from functions.web.exchange import Caller, begin, finish, key_of
from functions.web.responding import (
    citation_bodies,
    claim_bodies,
    metadata_of,
    queued_response,
    record_fields,
    refusal_body,
    writer_notices,
)
from functions.web.responses import NoticeBody, QueryResponse, SectionLink

MODE: Final = "book-wide"
CLOSEST = 3
RELATED = 3


@dataclass(frozen=True)
class BookAnswers:
    """Everything needed to answer from the book. `writer` is None where no model is set up."""

    settings: Settings
    records: QueryRecords
    embeddings: Embeddings
    search: ChunkSearch
    writer: Writer | None

    async def answer(self, asked: QueryRequest, caller: Caller) -> QueryResponse:
        """Answer one question. ApiError for what the reader must hear; nothing else is raised."""
        started = time.perf_counter()
        deadline = Deadline.after(self.settings.request_seconds)
        question_key = key_of(asked.question)
        cache_key = key_of(
            asked.question, str(self.settings.max_quotes), self._model(), chain_version()
        )
        begun, vector = await asyncio.gather(
            begin(self.records, asked, caller, MODE, question_key, cache_key),
            self._embed(asked.question, deadline),
        )
        response_id = str(uuid.uuid4())
        if begun.verdict == "done" and begun.done:
            return QueryResponse.model_validate(begun.done)
        if begun.verdict in ("queued", "running"):
            sentence = QUEUED.format(position=begun.position, eta_s=begun.eta_s)
            return queued_response(begun, MODE, asked.session_id, response_id, sentence)
        timings = {"begin_and_embed": _since(started)}

        searching = time.perf_counter()
        found = await self._retrieve(asked, vector, deadline)
        timings["search"] = _since(searching)
        if begun.cached:
            response = self._again(begun, response_id, asked.session_id, found)
            record = QueryRecord(
                **self._asked_fields(asked, begun, response, question_key),
                status=response.status,
                refusal_reason=response.refusal.reason if response.refusal else None,
                generated_response=response.response,
                claims=[claim.model_dump() for claim in response.claims],
                source_references=[cited.model_dump() for cited in response.citations],
                retrieved_chunk_ids=[
                    source.chunk.chunk_id for source in found.context.sources if source.chunk
                ],
                cached=True,
                confidence=response.metadata.confidence,
                response_latency_ms=_since(started),
            )
            await finish(self.records, record, deadline)
            return response

        answer = await answer_from(
            asked.question,
            found.context,
            self._writer(begun),
            self._calibration(begun, vector is not None and found.context.dense is not None),
            "book",
            deadline,
        )
        response = self._response(answer, found, begun, asked.session_id, response_id, timings)
        record = QueryRecord(
            **self._asked_fields(asked, begun, response, question_key),
            **record_fields(answer, found.context, self._model()),
            response_latency_ms=_since(started),
            timings=response.metadata.timings_ms,
            cacheable=not found.notices and not answer.writer_failed,
            cache_key=cache_key,
            parts=dict(found.parts) | {"embeddings": vector is not None},
        )
        await finish(self.records, record, deadline)
        return response

    async def sections(self, question: str) -> list[SectionLink]:
        """The book's sections that fit a question best, without a model."""
        deadline = Deadline.after(self.settings.search_seconds + self.settings.embedding_seconds)
        vector = await self._embed(question, deadline)
        found = await self._retrieve(
            QueryRequest(question=question, session_id="-"), vector, deadline
        )
        return list(found.sections)

    async def _embed(self, question: str, deadline: Deadline) -> list[float] | None:
        """The question's vector, or None when embeddings are down: words must do."""
        try:
            seconds = deadline.within(self.settings.embedding_seconds)
            return (await self.embeddings.embed([question], seconds))[0]
        except (EmbeddingsUnavailable, EmbeddingsRejected, EmbeddingsMismatch) as error:
            logger().error("embeddings unavailable", error=type(error).__name__, detail=str(error))
            return None

    async def _retrieve(
        self, asked: QueryRequest, vector: list[float] | None, deadline: Deadline
    ) -> Found:
        filters = SearchFilters(
            version=(asked.page.version or None) if asked.page else None,
            locale=(asked.page.locale or None) if asked.page else None,
        )
        try:
            return await retrieve_chunks(
                asked.question,
                vector,
                self.search,
                self.records,
                filters,
                self.settings.top_chunks,
                deadline,
                self.settings.search_seconds,
            )
        except NothingCanSearch as error:
            logger().error("nothing can search", detail=str(error))
            raise ApiError(503, "unavailable", UNAVAILABLE, {"Retry-After": "30"}) from error
        except (IndexMissing, IndexMismatch) as error:
            logger().error("index unusable", error=type(error).__name__, detail=str(error))
            raise ApiError(503, "index_unusable", UNAVAILABLE, {"Retry-After": "60"}) from error

    def _writer(self, begun: Begun) -> Writer:
        if self.writer is None or begun.budget == "quotes":
            return QuoteWriter(self.settings.max_quotes)
        return self.writer

    def _model(self) -> str:
        return self.settings.model if self.writer is not None else ""

    @staticmethod
    def _calibration(begun: Begun, by_meaning: bool) -> Calibration:
        if not by_meaning:
            return BOOK_BY_WORDS
        return Calibration.from_json(begun.calibration) if begun.calibration else BOOK

    def _response(
        self,
        answer: Answer,
        found: Found,
        begun: Begun,
        session_id: str,
        response_id: str,
        timings: dict[str, float],
    ) -> QueryResponse:
        cited = {citation.url for citation in answer.citations}
        others = [section for section in found.sections if section.url not in cited]
        return QueryResponse(
            query_id=begun.query_id,
            response_id=response_id,
            status=answer.status,
            mode=MODE,
            response=answer.text,
            claims=claim_bodies(answer),
            citations=citation_bodies(answer.citations),
            refusal=refusal_body(answer, found.sections[:CLOSEST]),
            related=others[:RELATED] if answer.refusal is None else [],
            notices=[
                *found.notices,
                *writer_notices(answer, begun),
                *update_notices(
                    answer, found.context, self.settings.update_notice_days, datetime.now(UTC)
                ),
            ],
            metadata=metadata_of(answer, begun, timings),
            session_id=session_id,
        )

    @staticmethod
    def _again(begun: Begun, response_id: str, session_id: str, found: Found) -> QueryResponse:
        """The answer given before on the same content, under new ids."""
        notices = [NoticeBody(code="asked_before", text=ASKED_BEFORE)] if begun.repeated else []
        response = QueryResponse.model_validate(begun.cached)
        related = response.related or list(found.sections[:RELATED])
        return response.model_copy(
            update={
                "query_id": begun.query_id,
                "response_id": response_id,
                "session_id": session_id,
                "notices": [*response.notices, *notices],
                "related": related,
            }
        )

    @staticmethod
    def _asked_fields(
        asked: QueryRequest, begun: Begun, response: QueryResponse, question_key: str
    ) -> dict[str, Any]:
        """What a record keeps of the question and the response as sent."""
        return {
            "query_id": begun.query_id,
            "response_id": response.response_id,
            "mode": MODE,
            "session_id": asked.session_id,
            "question": asked.question,
            "question_hash": question_key,
            "selected_text": asked.selected_text,
            "page": asked.page.as_record() if asked.page else None,
            "chapter_context": (
                asked.chapter_context.model_dump() if asked.chapter_context else None
            ),
            "content_version": begun.content_version,
            "repeated": begun.repeated,
            "notices": [notice.code for notice in response.notices],
            "body": response.model_dump(mode="json"),
        }


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 2)
