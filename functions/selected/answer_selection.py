"""Answers a question from the reader's selection and nothing else."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from functions.adapters.openai.embeddings import (
    EmbeddingsMismatch,
    EmbeddingsRejected,
    EmbeddingsUnavailable,
)
from functions.adapters.postgres.admission import Begun
from functions.answer.answers import Answer
from functions.answer.context import Context, context_of_selection
from functions.answer.deadline import Deadline
from functions.answer.gate.calibration import SELECTION, SELECTION_BY_WORDS, TASK
from functions.answer.overlap import quoted_similarity
from functions.answer.question import read_question
from functions.answer.relevance import score_sentences
from functions.answer.selection_task import Task, read_task
from functions.answer.text.vectors import cosines
from functions.answer.write.selection_quotes import SelectionQuotes, TaskWriter
from functions.answer.write.writer import Writer
from functions.book.chunks.chunk import ChunkPart
from functions.lifecycle.answer_question import AnswerService
from functions.lifecycle.attempt import Attempt, Basis
from functions.lifecycle.begin_finish import key_of
from functions.lifecycle.circuit_breakers import Part, PartCalls
from functions.lifecycle.not_served import NothingCanAnswer, NotServed
from functions.lifecycle.reply import Reply, SelectionReading, task_notices
from functions.runtime.logs import logger
from functions.runtime.settings import Settings
from functions.selected.requests import SelectedRequest
from functions.selected.selection import count_words, cut_context, split_selection
from functions.selected.source import Source, verify_source
from functions.web.build_response import selected_response
from functions.web.responses import SelectedResponse

MAX_WORDS = 5_000
"""Also the most stops and line ends."""
MAX_SENTENCES = 2_000
"""Of code, lines; of a table, rows. Each is embedded."""
EXCERPT = 200
_STOP = re.compile(r"[.!?…](?=\s)|\n")


@dataclass(frozen=True, kw_only=True)
class SelectionAnswers(AnswerService[SelectedRequest, SelectedResponse]):
    """Answers from a selection."""

    calls: ClassVar[tuple[Part, ...]] = ("embeddings", "model", "judge", "reader")
    request_type: ClassVar[type[SelectedRequest]] = SelectedRequest
    response_type: ClassVar[type[SelectedResponse]] = SelectedResponse

    async def attempt(
        self, asked: SelectedRequest, calls: PartCalls, deadline: Deadline
    ) -> Attempt:
        parts = split_bounded(asked.selected_text, self.settings)
        has_code = any(part.kind == "code" for part in parts)
        return SelectionAttempt(
            self,
            asked,
            calls,
            deadline,
            parts,
            key_of(asked.question, asked.selected_text),
            task=read_task(asked.question, has_code),
        )

    def respond(self, reply: Reply) -> SelectedResponse:
        return selected_response(reply)

    def repeat(self, cached: Mapping[str, Any], reply: Reply) -> SelectedResponse:
        """Never called: answers from a selection are not cached."""
        raise NotImplementedError


@dataclass
class SelectionAttempt:
    """One question to a selection. `vectors` maps its sentences to their embeddings; it is empty
    while embeddings are unavailable."""

    answers: SelectionAnswers
    asked: SelectedRequest
    calls: PartCalls
    deadline: Deadline
    parts: Sequence[ChunkPart]
    question_key: str
    task: Task | None
    cache_key: str | None = None
    timings: dict[str, float] = field(default_factory=dict)
    similarities: tuple[float, ...] = ()
    vectors: dict[str, list[float]] = field(default_factory=dict)
    source: Source = field(default_factory=Source)
    context: Context = field(init=False)
    was_cut: bool = False
    _verifying: asyncio.Task[Source] | None = None

    def start(self) -> None:
        """Look the selection up in the book during admission."""
        required = self.answers.settings.require_verified_source
        verification = verify_source(self.answers.records, self.asked, required=required)
        self._verifying = asyncio.create_task(verification)

    async def embed_early(self) -> None:
        # Where only the book's text is allowed, it is verified before it is embedded.
        if not self.answers.settings.require_verified_source:
            await self._compare()

    async def embed_late(self, begun: Begun) -> None:
        if self._verifying is not None:
            self.source = await self._verifying
        if self.source.refusal is None and self.calls.is_pending("embeddings"):
            await self._compare()

    async def gather(self, begun: Begun) -> Basis:
        if self.source.refusal == "unavailable":
            raise NothingCanAnswer(begun)
        context = context_of_selection(self.parts, self.similarities, self.asked.selected_text)
        scores = score_sentences(read_question(self.asked.question), context)
        self.context, self.was_cut = cut_context(context, scores)
        calibration = SELECTION if self.similarities else SELECTION_BY_WORDS
        return Basis(
            self.asked.question,
            self.context,
            TASK if self.task else calibration,
            "selection",
            self.source.refused(),
        )

    def writer(self, chosen: Writer) -> Writer:
        if self.task is None:
            return chosen
        return TaskWriter.of(chosen, SelectionQuotes(task=self.task, vectors=self.vectors))

    def review(self, answer: Answer) -> Answer:
        return answer

    def complete(self, reply: Reply, answer: Answer | None) -> Reply:
        excerpt = self.asked.selected_text[:EXCERPT]
        reading = SelectionReading(excerpt, self.was_cut, self.source.place)
        notices = (*reply.notices, *task_notices(self.task, answer))
        return replace(reply, selection=reading, notices=notices)

    def request_fields(self) -> dict[str, Any]:
        source = self.asked.source
        return {
            "selected_text": self.asked.selected_text,
            "page": source.as_record() if source else None,
        }

    def answer_fields(self, answer: Answer) -> dict[str, Any]:
        similarity = quoted_similarity(answer, self.context, self.vectors)
        return {"response_similarity_score": similarity}

    async def close(self) -> None:
        if self._verifying is not None:
            self._verifying.cancel()
            await asyncio.gather(self._verifying, return_exceptions=True)

    async def _compare(self) -> None:
        """Embed the question and each sentence, and compute their cosine similarities."""
        if not self.calls.allows("embeddings"):
            return
        texts = [sentence.text for part in self.parts for sentence in part.sentences]
        answers = self.answers
        try:
            seconds = self.deadline.within(2 * answers.settings.embedding_seconds)
            asked, *given = await answers.embeddings.embed([self.asked.question, *texts], seconds)
        except (EmbeddingsUnavailable, EmbeddingsRejected, EmbeddingsMismatch) as error:
            logger().error("embeddings unavailable", error=type(error).__name__, detail=str(error))
            self.calls.record("embeddings", False)
            return
        self.calls.record("embeddings", True)
        self.vectors = dict(zip(texts, given, strict=True))
        self.similarities = tuple(cosines(asked, given))


def split_bounded(text: str, settings: Settings) -> tuple[ChunkPart, ...]:
    """`split_selection`. Raises NotServed for too few words, too many, or too many sentences."""
    words = count_words(text)
    minimum = settings.minimum_selection_words
    if words < minimum:
        raise NotServed("selection_too_short", values={"minimum": minimum})
    if max(words, len(_STOP.findall(text))) > MAX_WORDS:
        raise NotServed("selection_too_long")
    parts = split_selection(text)
    if sum(len(part.sentences) for part in parts) > MAX_SENTENCES:
        raise NotServed("selection_too_long")
    return parts
