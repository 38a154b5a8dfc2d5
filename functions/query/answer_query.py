"""Answering a question from the whole book: begin, retrieve, answer, finish."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

from functions.adapters.openai.embeddings import (
    Embeddings,
)
from functions.adapters.openai.moderation import Moderator
from functions.adapters.openai.spending import Spending, counted_spending
from functions.adapters.postgres.deferred_records import Deferred, TakenRecords
from functions.adapters.postgres.query_records import Begun, QueryRecord, QueryRecords
from functions.adapters.qdrant.chunk_search import ChunkSearch
from functions.answer.answers import Answer
from functions.answer.chain import answer_from
from functions.answer.deadline import Deadline
from functions.answer.gate.confidence import BookCalibration, Calibration
from functions.answer.moderation.misconduct import find_misconduct
from functions.answer.refusals import ASKED_BEFORE, UNAVAILABLE
from functions.lifecycle.begin_finish import Caller, begin, begin_beside, finish, key_of
from functions.lifecycle.build_response import (
    citation_bodies,
    claim_bodies,
    metadata_of,
    record_fields,
    refusal_body,
    spent_fields,
    writer_notices,
)
from functions.lifecycle.choose_writer import Writers
from functions.lifecycle.circuit_breakers import PARTS, PartCalls, guard
from functions.lifecycle.defer import NothingCanAnswer, defer, waiting_response
from functions.lifecycle.moderate import moderate, record_misconduct, refuse_misconduct
from functions.lifecycle.offline import Standby
from functions.query.cache_keys import cache_key, question_key
from functions.query.intents.classify import Intent, read_intent
from functions.query.overviews.load import Overviews
from functions.query.plan import gather, no_vector
from functions.query.recording import asked_fields
from functions.query.requests import QueryRequest
from functions.query.retrieval.highlight_guard import keep_inside
from functions.query.retrieval.index_model import IndexModel, not_embedded
from functions.query.retrieval.locate_highlight import locate_highlight
from functions.query.retrieval.lookup import Lookup
from functions.query.retrieval.retrieve import Found
from functions.query.update_notice import update_notices
from functions.runtime.settings import Settings
from functions.web.errors import ApiError
from functions.web.responses import NoticeBody, QueryResponse, SectionLink

CLOSEST = 3
RELATED = 3


@dataclass(frozen=True)
class BookAnswers:
    """Everything needed to answer from the book."""

    settings: Settings
    records: QueryRecords
    embeddings: Embeddings
    search: ChunkSearch
    writers: Writers
    overviews: Overviews
    index_model: IndexModel
    moderator: Moderator | None = None
    standby: Standby = field(default_factory=Standby)

    async def answer(self, asked: QueryRequest, caller: Caller) -> QueryResponse:
        """Answer one question. ApiError for what the reader must hear; nothing else is raised."""
        try:
            return await self._answer_counted(asked, caller)
        except NothingCanAnswer as away:
            mode = asked.answered_mode
            begun = away.begun or await begin(self.records, self.standby, asked, caller, mode, "")
            return await defer(self.standby, asked, mode, begun)

    async def answer_deferred(self, deferred: Deferred, seconds: float) -> None:
        """Answer a query that waited, in so many seconds, and record it. Raises NothingCanAnswer,
        ApiError, and ValidationError when a version with other requests kept it."""
        asked = QueryRequest.model_validate(deferred.request)
        again = replace(
            self,
            records=TakenRecords(self.records, deferred.begun),
            settings=self.settings.model_copy(update={"request_seconds": seconds}),
        )
        await again._answer_counted(asked, Caller(None, None))

    async def close(self) -> None:
        """Close every connection."""
        await self.records.close()
        await self.embeddings.close()
        await self.search.aclose()
        await self.writers.close()
        if self.moderator is not None:
            await self.moderator.close()

    async def _answer_counted(self, asked: QueryRequest, caller: Caller) -> QueryResponse:
        with counted_spending(self.writers.prices) as spending:
            located = await locate_highlight(asked, self.records)
            return await self._answer(located, caller, spending)

    async def _answer(
        self, asked: QueryRequest, caller: Caller, spending: Spending
    ) -> QueryResponse:
        started = time.perf_counter()
        calls = PartCalls(self.standby.breakers)
        deadline = Deadline.after(self.settings.request_seconds)
        mode, within = asked.answered_mode, asked.block_range
        # A highlight holds all that may be looked at: no outline, no earlier question.
        intent = read_intent(asked.question) if within is None else Intent()
        asked_key = question_key(asked, intent)
        kept_key = cache_key(asked, intent, self.settings.max_quotes, self.writers.model)
        misconduct = find_misconduct(asked.question)
        embedded = intent.is_searched and not misconduct
        look = self._look(calls)
        embed = look.embed
        begun, vector, objection = await begin_beside(
            begin(self.records, self.standby, asked, caller, mode, asked_key, kept_key, PARTS),
            partial(embed, asked.question, deadline) if embedded else no_vector,
            partial(moderate, None if misconduct else self.moderator, asked.question, deadline),
            calls,
            likely=self.standby.lets_in(asked.ticket),
        )
        response_id = str(uuid.uuid4())
        if begun.verdict == "done" and begun.done:
            return QueryResponse.model_validate(begun.done)
        if begun.verdict != "run":
            return waiting_response(self.standby, begun, mode, asked.session_id, response_id)
        if found_unfit := misconduct or objection:
            refused = refuse_misconduct(begun, mode, asked.session_id, response_id)
            kept = record_misconduct(found_unfit, asked, begun, refused, asked_key, started)
            await finish(self.records, self.standby, kept, deadline)
            return refused
        if not self.index_model.note(begun):
            vector, embed = None, not_embedded
        elif embedded and not begun.cached and calls.is_owed("embeddings"):
            vector = await embed(asked.question, deadline)
        timings = {"begin_and_embed": _since(started)}

        searching = time.perf_counter()
        gathered = await gather(
            intent,
            asked,
            begun,
            vector,
            embed,
            look.retrieve,
            self.overviews,
            deadline,
        )
        found = gathered.found
        timings["search"] = _since(searching)
        if begun.cached:
            response = self._again(begun, response_id, asked.session_id, found)
            record = QueryRecord(
                **asked_fields(asked, begun, response, asked_key),
                status=response.status,
                refusal_reason=response.refusal.reason if response.refusal else None,
                generated_response=response.response,
                claims=[claim.model_dump() for claim in response.claims],
                source_references=[cited.model_dump() for cited in response.citations],
                retrieved_chunk_ids=[
                    chunk.chunk_id for source in found.context.sources for chunk, _ in source.chunks
                ],
                cached=True,
                confidence=response.metadata.confidence,
                response_latency_ms=_since(started),
            )
            await finish(self.records, self.standby, record, deadline)
            return response

        chosen = self.writers.choose(begun)
        by_meaning = gathered.vector is not None and found.context.dense is not None
        answer = (
            gathered.answer
            or gathered.unsearched()
            or gathered.shape(
                await answer_from(
                    gathered.question,
                    found.context,
                    gathered.writer(guard(chosen.writer, calls)),
                    gathered.calibration(self._calibration(begun, by_meaning)),
                    "book" if within is None else "selection",
                    deadline,
                )
            )
        )
        answer = keep_inside(answer, found.context, within)
        response = self._response(answer, found, begun, asked, response_id, timings)
        response = gathered.mark(response, answer, begun, bool(self.writers.model))
        if gathered.rewritten:
            asked_key = key_of(gathered.rewritten, asked.place_key())
        record = QueryRecord(
            **asked_fields(asked, begun, response, asked_key),
            **record_fields(answer, found.context, chosen.model),
            **spent_fields(spending),
            search=found.search,
            response_latency_ms=_since(started),
            timings=response.metadata.timings_ms,
            cacheable=not found.notices and not answer.writer_failed,
            cache_key=kept_key,
            parts=calls.reports,
        )
        await finish(self.records, self.standby, record, deadline)
        return response

    async def sections(self, question: str) -> list[SectionLink]:
        """The book's sections that fit a question best, without a model."""
        deadline = Deadline.after(self.settings.search_seconds + self.settings.embedding_seconds)
        look = self._look(PartCalls(self.standby.breakers))
        vector = await look.embed(question, deadline) if self.index_model.fits else None
        asked = QueryRequest(question=question, session_id="-")
        try:
            return list((await look.retrieve(asked, vector, deadline)).sections)
        except NothingCanAnswer as away:
            raise ApiError(503, "unavailable", UNAVAILABLE, {"Retry-After": "30"}) from away

    def _look(self, calls: PartCalls) -> Lookup:
        return Lookup(self.settings, self.records, self.embeddings, self.search, calls)

    def _calibration(self, begun: Begun, by_meaning: bool) -> Calibration:
        book = (
            BookCalibration.from_json(begun.calibration)
            if begun.calibration
            else BookCalibration.shipped(self.settings.embedding_model)
        )
        return book.of(by_meaning)

    def _response(
        self,
        answer: Answer,
        found: Found,
        begun: Begun,
        asked: QueryRequest,
        response_id: str,
        timings: dict[str, float],
    ) -> QueryResponse:
        cited = {citation.url for citation in answer.citations}
        others = [section for section in found.sections if section.url not in cited]
        return QueryResponse(
            query_id=begun.query_id,
            response_id=response_id,
            status=answer.status,
            mode=asked.answered_mode,
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
            metadata=metadata_of(answer, begun, timings).model_copy(update=found.place_fields()),
            session_id=asked.session_id,
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


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 2)
