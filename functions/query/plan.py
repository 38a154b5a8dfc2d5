"""Plans an answer: gathers the context that a question's intent calls for.

An ordinary question is searched for unchanged. One that may need the question before it is
searched for in each of its readings, and the one that the book answers best is taken; a model,
where there is one, says instead how it is meant. An overview comes from the outline; a greeting
needs no context.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Protocol

from functions.adapters.postgres.admission import Begun, PreviousQuestion
from functions.answer.answers import Answer
from functions.answer.deadline import Deadline
from functions.answer.gate.calibration import Calibration, Signals
from functions.answer.refusals import CANNOT_PROCESS
from functions.answer.rewriter import Rewriter, RewriterFailed, Rewritten
from functions.answer.text.words import term_set
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.told import Told
from functions.answer.write.writer import Writer
from functions.lifecycle.reply import Notice, Reply
from functions.query.contradictions import BothSides, BothSidesQuotes, differing_notices
from functions.query.intents.classify import Intent
from functions.query.intents.follow_up import (
    ASK_BACK,
    LINES,
    WHICH_PART,
    FollowUp,
    fresh,
    readings,
)
from functions.query.intents.vague_topic import (
    SpreadWriter,
    clarifying_questions,
    mentions,
    vague_topic,
)
from functions.query.overviews.compose import MOST_QUESTIONS, NAMED, OverviewWriter, in_lines
from functions.query.overviews.load import NOTHING, Overviews
from functions.query.overviews.parse import Overview, read_overview
from functions.query.requests import QueryRequest
from functions.query.retrieval.retrieve import Found

THIS_BOOK = "this book"
Vector = list[float] | None
Embed = Callable[[str, Deadline], Awaitable[Vector]]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The context of a question, and how to answer from it.

    `question` is the one that was searched for, and `rewritten` is the same if it is not the
    reader's own; `about` is the earlier subject in it. `absent` is said instead of a refusal.
    `told`: what the session's last answers quote, which a follow-up is not answered with again.
    `embedded`: whether embedding succeeded, None if it was not tried.
    """

    question: str
    found: Found
    vector: Vector = None
    embedded: bool | None = None
    rewritten: str | None = None
    about: str | None = None
    absent: str = ""
    topic: str | None = None
    overview: OverviewWriter | None = None
    answer: Answer | None = None
    clarify: tuple[str, ...] = ()
    told: Told | None = None

    def writer(self, chosen: Writer) -> Writer:
        """The writer to use: an overview's own, or the chosen one, which quotes a vague topic from
        several sections and shows contradictions between chapters."""
        if self.overview is not None:
            return self.overview
        if not isinstance(chosen, QuoteWriter):
            return BothSides(chosen)
        if self.topic:
            return SpreadWriter(chosen.max_quotes, topic=self.topic)
        return BothSidesQuotes(chosen.max_quotes, self.told)

    def unsearched(self) -> Answer | None:
        """The refusal if neither embeddings nor a shared word could find a passage: without
        embeddings nothing can be said about the book."""
        if self.embedded is not False or self.found.context.sources:
            return None
        signals = Signals(0.0, 0.0, 0.0, 0.0)
        return Answer("refused", CANNOT_PROCESS, 0.0, signals, refusal="unavailable")

    def calibration(self, otherwise: Calibration) -> Calibration:
        return NAMED if self.overview is not None else otherwise

    def shape(self, answer: Answer) -> Answer:
        """Put each claim of an overview on its own line."""
        if self.absent and answer.refusal == "out_of_scope":
            return guided(self.absent)
        if self.told and answer.draft and answer.draft.status == "none":
            return guided(LINES["more"].format(about=self.about or self.question))
        return in_lines(answer) if self.overview is not None and answer.claims else answer

    def complete(self, reply: Reply, answer: Answer, begun: Begun, has_model: bool) -> Reply:
        """Add the rewritten question, clarifying questions, and notices of repeats and
        contradictions."""
        understood = {"rewritten_question": self.rewritten, "about": self.about}
        metadata = {**reply.metadata, **understood}
        if self.overview is None:
            notices = differing_notices(answer, self.found.context)
        else:
            notices = [Notice("asked_before")] if begun.repeated else []
            if has_model and begun.budget != "quotes":
                metadata["limited_mode"] = False  # an overview is quotes with every writer
        wants_clarity = reply.status != "refused" or self.topic is None
        return replace(
            reply,
            clarify=self.clarify if wants_clarity else (),
            notices=(*reply.notices, *notices),
            metadata=metadata,
        )


class Score(Protocol):
    """How well the book answers a question from what was found (log odds)."""

    def __call__(self, question: str, found: Found, by_meaning: bool) -> float: ...


@dataclass(frozen=True, slots=True)
class Planner:
    """Gathers the context of one question from its embedding, the search and the outline."""

    embed: Embed
    retrieve: Callable[[QueryRequest, Vector, Deadline], Awaitable[Found]]
    overviews: Overviews
    score: Score
    rewriter: Rewriter | None
    deadline: Deadline

    async def gather(
        self, intent: Intent, asked: QueryRequest, begun: Begun, vector: Vector
    ) -> Gathered:
        """Gather the context. `vector` is set if the question was embedded during admission."""
        if intent.guide is not None:
            return Gathered(asked.question, NOTHING, answer=guided(intent.guide))
        if intent.overview is not None:
            return await self._overview(intent.overview, asked, begun)
        if intent.follow_up is not None and begun.previous is not None:
            return await self._follow(intent.follow_up, asked, begun, vector)
        if not intent.is_searched:
            return Gathered(asked.question, NOTHING, answer=guided(ASK_BACK))
        return await self._searched(Rewritten(asked.question), asked, vector)

    async def _overview(self, overview: Overview, asked: QueryRequest, begun: Begun) -> Gathered:
        version = begun.content_version
        found = await self.overviews.gather(overview, asked, version, self.deadline)
        if found is not None:
            return Gathered(
                asked.question, found.found, overview=found.writer, clarify=found.clarify,
                answer=guided(found.line) if found.line else None,
            )  # fmt: skip
        vector = None if overview.instead else await self.embed(asked.question, self.deadline)
        meant = Rewritten(overview.instead or asked.question)
        searched = await self._searched(meant, asked, vector)
        if overview.absent and not mentions(overview.target.words, searched.found.context):
            return replace(searched, answer=guided(overview.absent))
        return replace(searched, absent=overview.absent)

    async def _which_part(self, overview: Overview, asked: QueryRequest, begun: Begun) -> Gathered:
        """Ask back after an overview: each of its headings can be asked for."""
        before = await self._overview(overview, asked, begun)
        titles = [each.text for each in before.found.context.sentences if each.kind == "heading"]
        which = tuple(f"What does “{title}” cover?" for title in titles[:MOST_QUESTIONS])
        return Gathered(asked.question, NOTHING, answer=guided(WHICH_PART), clarify=which)

    async def _follow(
        self, follow_up: FollowUp, asked: QueryRequest, begun: Begun, vector: Vector
    ) -> Gathered:
        previous = begun.previous or PreviousQuestion("")
        request = follow_up.request
        if overview := read_overview(previous.question):
            if request == "more":
                return await self._which_part(overview, asked, begun)
            if overview.target.kind == "book":
                previous = PreviousQuestion(THIS_BOOK, THIS_BOOK, shown=previous.shown)
        meant = await self._rewritten(follow_up, previous) or readings(follow_up, previous)
        if not meant:
            return Gathered(asked.question, NOTHING, answer=guided(ASK_BACK))
        found = await asyncio.gather(*(self._searched(each, asked, vector) for each in meant))
        best = max(found, key=self._score)
        if overview := read_overview(best.question):
            read = await self._overview(overview, asked, begun)
            return replace(read, rewritten=best.rewritten, about=best.about)
        if not request:
            told = Told(tuple(previous.shown), term_set(asked.question))
            return replace(best, told=told)
        about = best.about or ""
        named = best.question.removeprefix("Why? ") if request == "reason" else about
        context = fresh(best.found.context, Told(tuple(previous.shown)), request, named)
        absent = LINES[request].format(about=about)
        return replace(best, found=replace(best.found, context=context), absent=absent)

    async def _rewritten(
        self, follow_up: FollowUp, previous: PreviousQuestion
    ) -> list[Rewritten] | None:
        """What the model says the question means; None without a model, or while it fails."""
        if self.rewriter is None:
            return None
        try:
            question, headings = previous.question, previous.headings
            return [
                await self.rewriter.rewrite(follow_up.question, question, headings, self.deadline)
            ]
        except RewriterFailed:
            return None

    def _score(self, read: Gathered) -> float:
        return self.score(read.question, read.found, read.vector is not None)

    async def _searched(self, meant: Rewritten, asked: QueryRequest, vector: Vector) -> Gathered:
        """The context of one reading, which is embedded here if it is not the reader's own."""
        is_own = meant.question == asked.question
        if not is_own:
            vector = await self.embed(meant.question, self.deadline)
        wanted = asked if is_own else asked.model_copy(update={"question": meant.question})
        found = await self.retrieve(wanted, vector, self.deadline)
        topic = vague_topic(meant.question)
        return Gathered(
            meant.question, found, vector, vector is not None,
            None if is_own else meant.question, meant.about or None, topic=topic,
            clarify=tuple(_clarifying(topic, found)) if topic else (),
        )  # fmt: skip


def _clarifying(topic: str, searched: Found) -> list[str]:
    chunks = [source.chunk for source in searched.context.sources if source.chunk is not None]
    return clarifying_questions(topic, chunks)


def guided(line: str) -> Answer:
    """An answer of one line that no sentence of the book is needed for."""
    return Answer("answered", line, 1.0, Signals(0.0, 0.0, 0.0, 0.0))
