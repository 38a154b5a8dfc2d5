"""Answers a question from the whole book, or from a highlighted range of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, ClassVar

from functions.adapters.postgres.admission import Begun
from functions.adapters.qdrant.chunk_search import ChunkSearch
from functions.answer.answers import Answer, SectionLink
from functions.answer.deadline import Deadline
from functions.answer.gate.calibration import (
    MEASURED,
    TASK,
    BookCalibration,
    Calibration,
    read_signals,
)
from functions.answer.languages import language_of
from functions.answer.rewriter import Rewriter
from functions.answer.selection_task import Task, read_task
from functions.answer.write.selection_quotes import SelectionQuotes, TaskWriter
from functions.answer.write.writer import Writer
from functions.lifecycle.answer_question import AnswerService
from functions.lifecycle.attempt import Attempt, Basis
from functions.lifecycle.begin_finish import key_of
from functions.lifecycle.circuit_breakers import PARTS, Part, PartCalls, guard_rewriter
from functions.lifecycle.not_served import NothingCanAnswer, NotServed
from functions.lifecycle.reply import Notice, Reply, task_notices
from functions.query.cache_keys import cache_key, question_key
from functions.query.intents.classify import Intent, read_intent
from functions.query.lookup import Lookup, locate_highlight
from functions.query.nearest import quote_nearest
from functions.query.overviews.load import Overviews
from functions.query.plan import Embed, Gathered, Planner, Vector
from functions.query.requests import QueryRequest
from functions.query.retrieval.highlight_range import keep_inside
from functions.query.retrieval.index_model import IndexModel, not_embedded
from functions.query.retrieval.retrieve import Found
from functions.query.update_notice import update_notices
from functions.web.build_response import query_response, repeated_response
from functions.web.responses import QueryResponse

CLOSEST = 3
RELATED = 3


@dataclass(frozen=True, kw_only=True)
class BookAnswers(AnswerService[QueryRequest, QueryResponse]):
    """Answers from the book."""

    calls: ClassVar[tuple[Part, ...]] = PARTS
    request_type: ClassVar[type[QueryRequest]] = QueryRequest
    response_type: ClassVar[type[QueryResponse]] = QueryResponse

    search: ChunkSearch
    overviews: Overviews
    index_model: IndexModel
    rewriter: Rewriter | None = None
    """Used instead of the chosen writer's."""

    async def attempt(self, asked: QueryRequest, calls: PartCalls, deadline: Deadline) -> Attempt:
        located = await locate_highlight(asked, self.records)
        # Only a highlight's own blocks may be used: no outline, no earlier question.
        intent = read_intent(located.question) if located.block_range is None else Intent()
        most, is_read = self.settings.max_quotes, self.reader is not None
        return BookAttempt(
            self,
            located,
            self._lookup(calls),
            deadline,
            intent,
            question_key(located, intent),
            cache_key(located, intent, most, self.writers, is_read=is_read),
        )

    def respond(self, reply: Reply) -> QueryResponse:
        return query_response(reply)

    def repeat(self, cached: Mapping[str, Any], reply: Reply) -> QueryResponse:
        return repeated_response(cached, reply)

    async def close(self) -> None:
        await super().close()
        await self.search.aclose()

    async def sections(self, question: str) -> list[SectionLink]:
        """The sections that match a question best, found without a model. Raises NotServed."""
        deadline = Deadline.after(self.settings.request_seconds)
        lookup = self._lookup(PartCalls(self.local_state.breakers))
        vector = await lookup.embed(question, deadline) if self.index_model.fits else None
        asked = QueryRequest(question=question, session_id="-")
        try:
            return list((await lookup.retrieve(asked, vector, deadline)).sections)
        except NothingCanAnswer as unavailable:
            raise NotServed("unavailable", 30) from unavailable

    def calibration(self, begun: Begun, by_meaning: bool) -> Calibration:
        """The book's own calibration, else the default of the embedding model."""
        book = (
            BookCalibration.from_json(begun.calibration)
            if begun.calibration
            else BookCalibration.shipped(self.settings.embedding_model)
        )
        return book.of(by_meaning)

    def _lookup(self, calls: PartCalls) -> Lookup:
        return Lookup(self.settings, self.records, self.embeddings, self.search, calls)


@dataclass
class BookAttempt:
    """One question to the book. `gather` sets `begun` and `gathered`."""

    answers: BookAnswers
    asked: QueryRequest
    lookup: Lookup
    deadline: Deadline
    intent: Intent
    question_key: str
    cache_key: str | None
    timings: dict[str, float] = field(default_factory=dict)
    embed: Embed = not_embedded
    vector: Vector = None
    begun: Begun = field(init=False)
    gathered: Gathered = field(init=False)
    task: Task | None = None

    def start(self) -> None:
        """Nothing: all work needs the question's vector."""

    async def embed_early(self) -> None:
        self.embed = self.lookup.embed
        if self.intent.is_searched:
            self.vector = await self.embed(self.asked.question, self.deadline)

    async def embed_late(self, begun: Begun) -> None:
        self.embed = self.lookup.embed
        if not self.answers.index_model.observe(begun):
            self.vector, self.embed = None, not_embedded
            return
        is_pending = self.lookup.calls.is_pending("embeddings")
        is_cached = begun.cached and not (self.intent.follow_up and begun.previous)
        if self.intent.is_searched and not is_cached and is_pending:
            self.vector = await self.embed(self.asked.question, self.deadline)

    async def gather(self, begun: Begun) -> Basis:
        started = time.perf_counter()
        self.begun = begun
        planner = Planner(
            self.embed, self.lookup.retrieve, self.answers.overviews, self.score,
            self.answers.rewriter
            or guard_rewriter(self.answers.writers.choose(begun).rewriter, self.lookup.calls),
            self.deadline,
        )  # fmt: skip
        gathered = await planner.gather(self.intent, self.asked, begun, self.vector)
        self.gathered = gathered
        self.timings["search"] = round((time.perf_counter() - started) * 1000, 2)
        if gathered.rewritten:
            self.question_key = key_of(gathered.rewritten, self.asked.highlight_key())
        elif gathered.answer is not None:
            self.question_key = ""  # a line is nothing that a later question refers to
        context = gathered.found.context
        if self.asked.block_range is not None:
            has_code = any(sentence.kind == "code" for sentence in context.sentences)
            self.task = read_task(gathered.question, has_code)
        by_meaning = gathered.vector is not None
        own = self._calibration(gathered.question, gathered.found, by_meaning)
        return Basis(
            gathered.question,
            context,
            TASK if self.task else gathered.calibration(own),
            "book" if self.asked.block_range is None else "selection",
            gathered.answer or gathered.unsearched(),
            is_cached=gathered.rewritten is None and gathered.answer is None,
        )

    def score(self, question: str, found: Found, by_meaning: bool) -> float:
        """How well the book answers a question from what was found (log odds)."""
        own = self._calibration(question, found, by_meaning)
        return own.score(read_signals(question, found.context))

    def _calibration(self, question: str, found: Found, by_meaning: bool) -> Calibration:
        """Without the words where question and book have different languages and the embedding
        model knows both."""
        by_meaning = by_meaning and found.context.dense is not None
        calibration = self.answers.calibration(self.begun, by_meaning)
        text = " ".join(each.text for each in found.context.sentences)
        is_foreign = language_of(question) != language_of(text)
        has_model = by_meaning and self.answers.settings.embedding_model != MEASURED
        return calibration.across_languages() if has_model and is_foreign else calibration

    def writer(self, chosen: Writer) -> Writer:
        if self.task is not None:
            return TaskWriter.of(chosen, SelectionQuotes(task=self.task))
        return self.gathered.writer(chosen)

    def review(self, answer: Answer) -> Answer:
        shaped = self.gathered.shape(answer)
        return keep_inside(shaped, self.gathered.found.context, self.asked.block_range)

    def complete(self, reply: Reply, answer: Answer | None) -> Reply:
        found, settings = self.gathered.found, self.answers.settings
        if answer is None:
            asked_before = (Notice("asked_before"),) if self.begun.repeated else ()
            return replace(reply, notices=asked_before, related=found.sections[:RELATED])
        cited = {citation.url for citation in answer.citations}
        others = tuple(section for section in found.sections if section.url not in cited)
        updated = update_notices(
            answer, found.context, settings.update_notice_days, datetime.now(UTC)
        )
        closest = found.sections[:CLOSEST]
        if answer.refusal == "out_of_scope":  # of a highlight nothing outside it may be shown
            closest = quote_nearest(closest, self.gathered.question, found.context)
        reply = replace(
            reply,
            closest=closest,
            related=others[:RELATED] if answer.refusal is None else (),
            notices=(*found.notices, *reply.notices, *task_notices(self.task, answer), *updated),
            metadata={**reply.metadata, **found.place_fields()},
        )
        return self.gathered.complete(reply, answer, self.begun, bool(self.answers.writers.model))

    def request_fields(self) -> dict[str, Any]:
        asked = self.asked
        return {
            "selected_text": asked.selected_text,
            "page": asked.page.as_record() if asked.page else None,
            "chapter_context": asked.chapter_context.model_dump()
            if asked.chapter_context
            else None,
            "highlight": asked.highlight.model_dump() if asked.highlight else None,
            "repeated": self.begun.repeated,
        }

    def answer_fields(self, answer: Answer) -> dict[str, Any]:
        found = self.gathered.found
        return {
            "search": found.search,
            "cacheable": not (found.notices or answer.writer_failed or answer.judge_failed),
            "cache_key": None if self.gathered.rewritten else self.cache_key,
        }

    async def close(self) -> None:
        """Nothing: no task is left running."""
