"""Answering from a selection and nothing else: begin, read, answer, finish."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from functions.adapters.openai.embeddings import (
    Embeddings,
    EmbeddingsMismatch,
    EmbeddingsRejected,
    EmbeddingsUnavailable,
)
from functions.adapters.openai.moderation import Moderator
from functions.adapters.openai.spending import Spending, counted_spending
from functions.adapters.postgres.deferred_records import Deferred, TakenRecords
from functions.adapters.postgres.query_records import Begun, QueryRecord, QueryRecords
from functions.adapters.postgres.query_records import VerifiedSource as Place
from functions.answer.answers import Answer
from functions.answer.chain import answer_from
from functions.answer.check.overlap import quoted_similarity
from functions.answer.context import context_of_selection
from functions.answer.deadline import Deadline
from functions.answer.gate.confidence import SELECTION, SELECTION_BY_WORDS
from functions.answer.moderation.misconduct import find_misconduct
from functions.answer.refusals import SELECTION_CUT, SELECTION_TOO_LONG, SELECTION_TOO_SHORT
from functions.answer.relevance import read_question, score_sentences
from functions.answer.text.vectors import cosines
from functions.book.chunks.chunk import ChunkPart
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
from functions.lifecycle.circuit_breakers import Part, PartCalls, guard
from functions.lifecycle.defer import NothingCanAnswer, defer, waiting_response
from functions.lifecycle.moderate import moderate, record_misconduct, refuse_misconduct
from functions.lifecycle.offline import Standby
from functions.runtime.logs import logger
from functions.runtime.settings import Settings
from functions.selected.requests import SelectedRequest
from functions.selected.selection import count_words, cut_context, split_selection
from functions.selected.source import Source, verify_source
from functions.web.errors import ApiError
from functions.web.responses import SelectedResponse, SelectionSource, VerifiedSource

MODE: Final = "selected-text"
CALLS: Final[tuple[Part, ...]] = ("embeddings", "model")
MOST_WORDS = 5_000
EXCERPT = 200

Compared = tuple[tuple[float, ...], dict[str, list[float]]]
NOT_COMPARED: Final[Compared] = ((), {})


@dataclass(frozen=True)
class SelectionAnswers:
    """Everything needed to answer from a selection."""

    settings: Settings
    records: QueryRecords
    embeddings: Embeddings
    writers: Writers
    moderator: Moderator | None = None
    standby: Standby = field(default_factory=Standby)

    async def answer(self, asked: SelectedRequest, caller: Caller) -> SelectedResponse:
        """Answer one question. ApiError for what the reader must hear; nothing else is raised."""
        try:
            return await self._answer_counted(asked, caller)
        except NothingCanAnswer as away:
            begun = away.begun or await begin(self.records, self.standby, asked, caller, MODE, "")
            deferred = await defer(self.standby, asked, MODE, begun)
            return SelectedResponse(**deferred.model_dump(), in_selected_text=False)

    async def answer_deferred(self, deferred: Deferred, seconds: float) -> None:
        """Answer a query that waited, in so many seconds, and record it. Raises NothingCanAnswer,
        ApiError, and ValidationError when a version with other requests kept it."""
        asked = SelectedRequest.model_validate(deferred.request)
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
        await self.writers.close()
        if self.moderator is not None:
            await self.moderator.close()

    async def _answer_counted(self, asked: SelectedRequest, caller: Caller) -> SelectedResponse:
        with counted_spending(self.writers.prices) as spending:
            return await self._answer(asked, caller, spending)

    async def _answer(
        self, asked: SelectedRequest, caller: Caller, spending: Spending
    ) -> SelectedResponse:
        started = time.perf_counter()
        self._check_length(asked.selected_text)
        deadline = Deadline.after(self.settings.request_seconds)
        question_key = key_of(asked.question, asked.selected_text)
        parts = split_selection(asked.selected_text)
        misconduct = find_misconduct(asked.question)
        source, compared = Source(), NOT_COMPARED
        required = self.settings.require_verified_source
        calls = PartCalls(self.standby.breakers)
        beginning = begin(
            self.records, self.standby, asked, caller, MODE, question_key, calls=CALLS
        )
        if misconduct:
            begun = await beginning
        else:
            compare = partial(self._compare, asked.question, parts, deadline, calls)
            verifying = asyncio.create_task(verify_source(self.records, asked, required=required))
            try:
                begun, early, misconduct = await begin_beside(
                    beginning,
                    # Text that must be the book's is not embedded before it is known to be.
                    _not_compared if required else compare,
                    partial(moderate, self.moderator, asked.question, deadline),
                    calls,
                    likely=self.standby.lets_in(asked.ticket),
                )
                source = await verifying
            finally:  # nothing is left at work on a connection when there is no turn
                verifying.cancel()
                await asyncio.gather(verifying, return_exceptions=True)
            compared = early or NOT_COMPARED
            wanted = begun.verdict == "run" and not (source.refusal or misconduct)
            if wanted and calls.is_owed("embeddings"):
                compared = await compare()
        similarities, vectors = compared
        response_id = str(uuid.uuid4())
        if begun.verdict == "done" and begun.done:
            return SelectedResponse.model_validate(begun.done)
        if begun.verdict != "run":
            waiting = waiting_response(self.standby, begun, MODE, asked.session_id, response_id)
            return SelectedResponse(**waiting.model_dump(), in_selected_text=False)
        if misconduct:
            refused = refuse_misconduct(begun, MODE, asked.session_id, response_id)
            kept = record_misconduct(misconduct, asked, begun, refused, question_key, started)
            await finish(self.records, self.standby, kept, deadline)
            return SelectedResponse(**refused.model_dump(), in_selected_text=False)
        if source.refusal == "unavailable":
            raise NothingCanAnswer(begun)
        timings = {"begin_and_embed": round((time.perf_counter() - started) * 1000, 2)}

        context = context_of_selection(parts, similarities)
        scores = score_sentences(read_question(asked.question), context)
        context, was_cut = cut_context(context, scores)
        chosen = self.writers.choose(begun)
        answer = source.refused() or await answer_from(
            asked.question,
            context,
            guard(chosen.writer, calls),
            SELECTION if similarities else SELECTION_BY_WORDS,
            "selection",
            deadline,
        )
        response = self._response(answer, asked, begun, response_id, source.place, was_cut, timings)
        record = QueryRecord(
            query_id=begun.query_id,
            response_id=response_id,
            mode=MODE,
            session_id=asked.session_id,
            user_id=asked.user_id,
            question=asked.question,
            question_hash=question_key,
            selected_text=asked.selected_text,
            page=asked.source.as_record() if asked.source else None,
            content_version=begun.content_version,
            notices=[notice.code for notice in response.notices],
            response_latency_ms=round((time.perf_counter() - started) * 1000, 2),
            timings=response.metadata.timings_ms,
            body=response.model_dump(mode="json"),
            parts=calls.reports,
            response_similarity_score=quoted_similarity(answer, context, vectors),
            **record_fields(answer, context, chosen.model),
            **spent_fields(spending),
        )
        await finish(self.records, self.standby, record, deadline)
        return response

    def _check_length(self, text: str) -> None:
        words = count_words(text)
        minimum = self.settings.minimum_selection_words
        if words < minimum:
            sentence = SELECTION_TOO_SHORT.format(minimum=minimum)
            raise ApiError(422, "selection_too_short", sentence)
        if words > MOST_WORDS:
            raise ApiError(422, "selection_too_long", SELECTION_TOO_LONG)

    async def _compare(
        self, question: str, parts: Sequence[ChunkPart], deadline: Deadline, calls: PartCalls
    ) -> Compared:
        """Cosines between the question and each sentence, and the sentences' vectors; empty when
        embeddings are down."""
        if not calls.allows("embeddings"):
            return NOT_COMPARED
        texts = [sentence.text for part in parts for sentence in part.sentences]
        try:
            seconds = deadline.within(2 * self.settings.embedding_seconds)
            asked, *given = await self.embeddings.embed([question, *texts], seconds)
        except (EmbeddingsUnavailable, EmbeddingsRejected, EmbeddingsMismatch) as error:
            logger().error("embeddings unavailable", error=type(error).__name__, detail=str(error))
            calls.note("embeddings", False)
            return NOT_COMPARED
        calls.note("embeddings", True)
        vectors = dict(zip(texts, given, strict=True))
        return tuple(cosines(asked, given)), vectors

    @staticmethod
    def _response(
        answer: Answer,
        asked: SelectedRequest,
        begun: Begun,
        response_id: str,
        place: Place | None,
        was_cut: bool,
        timings: dict[str, float],
    ) -> SelectedResponse:
        return SelectedResponse(
            query_id=begun.query_id,
            response_id=response_id,
            status=answer.status,
            mode=MODE,
            response=answer.text,
            claims=claim_bodies(answer),
            citations=citation_bodies(answer.citations),
            refusal=refusal_body(answer, []),
            notices=writer_notices(answer, begun),
            metadata=metadata_of(answer, begun, timings),
            session_id=asked.session_id,
            in_selected_text=answer.refusal is None,
            try_mode="book-wide" if answer.refusal else None,
            sources=[SelectionSource(excerpt=asked.selected_text[:EXCERPT])],
            truncation_warning=SELECTION_CUT if was_cut else None,
            verified_source=(
                VerifiedSource(
                    source_path=place.source_path,
                    lines=(place.first_line, place.last_line),
                    content_version=place.content_version,
                )
                if place
                else None
            ),
        )


async def _not_compared() -> Compared:
    return NOT_COMPARED
