"""Answering from a selection and nothing else: begin, read, answer, finish."""

from __future__ import annotations

import asyncio
import math
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from functions.adapters.database import DatabaseRejected, DatabaseUnavailable
from functions.adapters.embeddings import (
    Embeddings,
    EmbeddingsMismatch,
    EmbeddingsRejected,
    EmbeddingsUnavailable,
)
from functions.adapters.query_records import Begun, QueryRecord, QueryRecords
from functions.adapters.query_records import VerifiedSource as Place
from functions.answer.answers import Answer
from functions.answer.chain import answer_from
from functions.answer.context import context_of_selection
from functions.answer.deadline import Deadline
from functions.answer.evidence import read_question, score_sentences
from functions.answer.gate import SELECTION, SELECTION_BY_WORDS
from functions.answer.quote_writer import QuoteWriter
from functions.answer.refusals import (
    QUEUED,
    SELECTION_CUT,
    SELECTION_TOO_LONG,
    SELECTION_TOO_SHORT,
)
from functions.answer.writing import Writer
from functions.book.chunks import ChunkPart
from functions.logs import logger
from functions.selected.requests import SelectedRequest
from functions.selected.selection import count_words, cut_context, split_selection
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
from functions.web.responses import SelectedResponse, SelectionSource, VerifiedSource

MODE: Final = "selected-text"
MOST_WORDS = 5_000
EXCERPT = 200
VERIFY_SECONDS = 3.0


@dataclass(frozen=True)
class SelectionAnswers:
    """Everything needed to answer from a selection. `writer` is None where no model is set up."""

    settings: Settings
    records: QueryRecords
    embeddings: Embeddings
    writer: Writer | None

    async def answer(self, asked: SelectedRequest, caller: Caller) -> SelectedResponse:
        """Answer one question. ApiError for what the reader must hear; nothing else is raised."""
        started = time.perf_counter()
        self._check_length(asked.selected_text)
        deadline = Deadline.after(self.settings.request_seconds)
        question_key = key_of(asked.question, asked.selected_text)
        parts = split_selection(asked.selected_text)
        begun, similarities, place = await asyncio.gather(
            begin(self.records, asked, caller, MODE, question_key),
            self._compare(asked.question, parts, deadline),
            self._verify(asked),
        )
        response_id = str(uuid.uuid4())
        if begun.verdict == "done" and begun.done:
            return SelectedResponse.model_validate(begun.done)
        if begun.verdict in ("queued", "running"):
            sentence = QUEUED.format(position=begun.position, eta_s=begun.eta_s)
            queued = queued_response(begun, MODE, asked.session_id, response_id, sentence)
            return SelectedResponse(**queued.model_dump(), in_selected_text=False)
        timings = {"begin_and_embed": round((time.perf_counter() - started) * 1000, 2)}

        context = context_of_selection(parts, similarities)
        scores = score_sentences(read_question(asked.question), context)
        context, was_cut = cut_context(context, scores)
        answer = await answer_from(
            asked.question,
            context,
            self._writer(begun),
            SELECTION if similarities else SELECTION_BY_WORDS,
            "selection",
            deadline,
        )
        response = self._response(answer, asked, begun, response_id, place, was_cut, timings)
        record = QueryRecord(
            query_id=begun.query_id,
            response_id=response_id,
            mode=MODE,
            session_id=asked.session_id,
            question=asked.question,
            question_hash=question_key,
            selected_text=asked.selected_text,
            page=asked.source.as_record() if asked.source else None,
            content_version=begun.content_version,
            notices=[notice.code for notice in response.notices],
            response_latency_ms=round((time.perf_counter() - started) * 1000, 2),
            timings=response.metadata.timings_ms,
            body=response.model_dump(mode="json"),
            parts={"embeddings": bool(similarities)},
            **record_fields(answer, context, self._model()),
        )
        await finish(self.records, record, deadline)
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
        self, question: str, parts: Sequence[ChunkPart], deadline: Deadline
    ) -> tuple[float, ...]:
        """Cosines between the question and each sentence; empty when embeddings are down."""
        texts = [sentence.text for part in parts for sentence in part.sentences]
        try:
            seconds = deadline.within(2 * self.settings.embedding_seconds)
            asked, *given = await self.embeddings.embed([question, *texts], seconds)
        except (EmbeddingsUnavailable, EmbeddingsRejected, EmbeddingsMismatch) as error:
            logger().error("embeddings unavailable", error=type(error).__name__, detail=str(error))
            return ()
        return tuple(cosine(asked, vector) for vector in given)

    async def _verify(self, asked: SelectedRequest) -> Place | None:
        """Where the selection stands in the book, if the reader said where it is from."""
        if asked.source is None:
            return None
        page = asked.source.as_record()
        source = {k: v for k, v in page.items() if k in ("source_path", "permalink")} or None
        try:
            places = await self.records.verify_selection(
                source, page.get("version"), asked.selected_text, seconds=VERIFY_SECONDS
            )
        except (DatabaseUnavailable, DatabaseRejected) as error:
            logger().error("source not verified", error=type(error).__name__, detail=str(error))
            return None
        return places[0] if places else None

    def _writer(self, begun: Begun) -> Writer:
        if self.writer is None or begun.budget == "quotes":
            return QuoteWriter(self.settings.max_quotes)
        return self.writer

    def _model(self) -> str:
        return self.settings.model if self.writer is not None else ""

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


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    """Between -1 and 1; 0 for a vector of zeros."""
    length = math.sqrt(_dot(left, left) * _dot(right, right))
    return _dot(left, right) / length if length else 0.0


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))
