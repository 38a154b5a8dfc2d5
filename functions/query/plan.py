"""Plans an answer: gathers the context that a question's intent calls for.

An ordinary question is searched for unchanged, a follow-up question after it has been rewritten to
be self-contained. An overview comes from the outline; a greeting needs no context.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from functions.adapters.postgres.admission import Begun
from functions.answer.answers import Answer
from functions.answer.deadline import Deadline
from functions.answer.gate.calibration import Calibration, Signals
from functions.answer.refusals import CANNOT_PROCESS
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import Writer
from functions.lifecycle.reply import Notice, Reply
from functions.query.contradictions import BothSides, BothSidesQuotes, differing_notices
from functions.query.intents.classify import Intent, read_intent
from functions.query.intents.follow_up import rewrite_follow_up
from functions.query.intents.vague_topic import SpreadWriter, clarifying_questions
from functions.query.overviews.compose import NAMED, OverviewWriter, in_lines
from functions.query.overviews.load import NOTHING, Overviews
from functions.query.requests import QueryRequest
from functions.query.retrieval.retrieve import Found

Vector = list[float] | None
Embed = Callable[[str, Deadline], Awaitable[Vector]]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The context of a question, and how to answer from it.

    `question` is the one that was searched for, and `rewritten` is the same if it is not the
    reader's own. `embedded`: whether embedding succeeded, None if it was not tried.
    """

    question: str
    found: Found
    vector: Vector = None
    embedded: bool | None = None
    rewritten: str | None = None
    topic: str | None = None
    overview: OverviewWriter | None = None
    answer: Answer | None = None
    clarify: tuple[str, ...] = ()

    def writer(self, chosen: Writer) -> Writer:
        """The writer to use: an overview's own, or the chosen one, which quotes a vague topic from
        several sections and shows contradictions between chapters."""
        if self.overview is not None:
            return self.overview
        if not isinstance(chosen, QuoteWriter):
            return BothSides(chosen)
        if self.topic:
            return SpreadWriter(chosen.max_sentences, topic=self.topic)
        return BothSidesQuotes(chosen.max_sentences)

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
        return in_lines(answer) if self.overview is not None else answer

    def complete(self, reply: Reply, answer: Answer, begun: Begun, has_model: bool) -> Reply:
        """Add the rewritten question, clarifying questions, and notices of repeats and
        contradictions."""
        metadata = {**reply.metadata, "rewritten_question": self.rewritten}
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


@dataclass(frozen=True, slots=True)
class Planner:
    """Gathers the context of one question from its embedding, the search and the outline."""

    embed: Embed
    retrieve: Callable[[QueryRequest, Vector, Deadline], Awaitable[Found]]
    overviews: Overviews
    deadline: Deadline

    async def gather(
        self, intent: Intent, asked: QueryRequest, begun: Begun, vector: Vector
    ) -> Gathered:
        """Gather the context. `vector` is set if the question was embedded during admission; only
        one that is searched for unchanged is."""
        if intent.guide is not None:
            return Gathered(asked.question, NOTHING, answer=_guided(intent.guide))
        question, is_embedded, rewritten = asked.question, intent.is_searched, None
        if intent.follows_up and begun.previous_question:
            rewritten = rewrite_follow_up(question, begun.previous_question)
            if rewritten:
                question, intent = rewritten, read_intent(rewritten)
        if intent.overview is not None:
            version = begun.content_version
            found = await self.overviews.gather(intent.overview, asked, version, self.deadline)
            if found is not None:
                return Gathered(
                    question, found.found, rewritten=rewritten, overview=found.writer,
                    clarify=found.clarify,
                )  # fmt: skip
            if intent.overview.instead:
                question = rewritten = intent.overview.instead
            intent = Intent(topic=read_intent(question).topic)
        if not is_embedded:
            vector = await self.embed(question, self.deadline)
        searched = await self._search(question, asked, vector)
        return Gathered(
            question, searched, vector, vector is not None, rewritten, intent.topic,
            clarify=tuple(_clarifying(intent.topic, searched) if intent.topic else ()),
        )  # fmt: skip

    async def _search(self, question: str, asked: QueryRequest, vector: Vector) -> Found:
        is_changed = question != asked.question
        wanted = asked.model_copy(update={"question": question}) if is_changed else asked
        return await self.retrieve(wanted, vector, self.deadline)


def _clarifying(topic: str, searched: Found) -> list[str]:
    chunks = [source.chunk for source in searched.context.sources if source.chunk is not None]
    return clarifying_questions(topic, chunks)


def _guided(line: str) -> Answer:
    return Answer("answered", line, 1.0, Signals(0.0, 0.0, 0.0, 0.0))
