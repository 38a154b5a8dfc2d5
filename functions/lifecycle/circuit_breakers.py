"""Circuit breakers of the external services (`Part`) that queries call.

The database counts failures across processes and reports open breakers with each admission; each
process keeps breakers of its own for the time the database is unavailable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from functions.adapters.postgres.admission import Begun
from functions.answer.context import Context
from functions.answer.deadline import Deadline
from functions.answer.judge import Judge, JudgeFailed
from functions.answer.reader import Passage, Reader, ReaderFailed, Reading
from functions.answer.rewriter import Rewriter, RewriterFailed, Rewritten
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import Draft, Writer, WriterFailed
from functions.runtime.breaker import Breaker

Part = Literal["embeddings", "vectors", "model", "judge", "rewriter", "reader"]
PARTS: tuple[Part, ...] = ("embeddings", "vectors", "model", "judge", "rewriter", "reader")


@dataclass
class Breakers:
    """The breakers of this process, one per service."""

    by_part: dict[Part, Breaker] = field(
        default_factory=lambda: {part: Breaker() for part in PARTS}
    )

    def observe(self, begun: Begun) -> None:
        """Update the breakers from `Begun`."""
        if begun.verdict == "run" and not begun.admitted_locally:
            for part, breaker in self.by_part.items():
                # 0 seconds left: another query is making the trial call.
                seconds = max(begun.parts[part], 0.1) if part in begun.parts else 0.0
                breaker.hold_for(seconds)

    def allows(self, part: Part, begun: Begun | None) -> bool:
        """Whether a query may call the service: the database decides, else this process."""
        if begun is None or begun.admitted_locally:
            return self.by_part[part].allows()
        return part not in begun.parts


@dataclass
class PartCalls:
    """The calls of one query to external services.

    `begun` is set at admission; `outcomes` (service: succeeded) goes to the database with the
    record.
    """

    breakers: Breakers
    begun: Begun | None = None
    outcomes: dict[str, bool] = field(default_factory=dict)

    def allows(self, part: Part) -> bool:
        """Whether to call it: not a second time where it failed, which may have taken long."""
        return self.outcomes.get(part, True) and self.breakers.allows(part, self.begun)

    def is_pending(self, part: Part) -> bool:
        """Whether the service has not been called yet and may be called."""
        return part not in self.outcomes and self.allows(part)

    def record(self, part: Part, worked: bool) -> None:
        """Record the outcome of a call, for this process and for the database."""
        self.outcomes[part] = worked
        self.breakers.by_part[part].record(worked)


@dataclass
class GuardedWriter:
    """A writer behind its circuit breaker: while that is open it fails without a call, and the
    chain falls back to quotes."""

    writer: Writer
    calls: PartCalls

    async def write(self, question: str, context: Context, deadline: Deadline) -> Draft:
        if not self.calls.allows("model"):
            raise WriterFailed("the circuit breaker of the model is open")
        try:
            draft = await self.writer.write(question, context, deadline)
        except WriterFailed:
            self.calls.record("model", False)
            raise
        self.calls.record("model", True)
        return draft


@dataclass
class GuardedJudge:
    """A judge behind a circuit breaker of its own: while that is open, paraphrases are quoted at
    once. A slow judge does not stop the writer, whose model may be another."""

    judge: Judge
    calls: PartCalls

    async def entails(self, pairs: Sequence[tuple[str, str]], deadline: Deadline) -> list[bool]:
        if not self.calls.allows("judge"):
            raise JudgeFailed("the circuit breaker of the judge is open")
        try:
            verdicts = await self.judge.entails(pairs, deadline)
        except JudgeFailed:
            self.calls.record("judge", False)
            raise
        self.calls.record("judge", True)
        return verdicts


@dataclass
class GuardedRewriter:
    """A rewriter behind a circuit breaker of its own: while that is open, a follow-up question is
    read without a model."""

    rewriter: Rewriter
    calls: PartCalls

    async def rewrite(
        self, question: str, earlier: str, headings: Sequence[str], deadline: Deadline
    ) -> Rewritten:
        if not self.calls.allows("rewriter"):
            raise RewriterFailed("the circuit breaker of the rewriter is open")
        try:
            rewritten = await self.rewriter.rewrite(question, earlier, headings, deadline)
        except RewriterFailed:
            self.calls.record("rewriter", False)
            raise
        self.calls.record("rewriter", True)
        return rewritten


@dataclass
class GuardedReader:
    """A reader behind its circuit breaker: while that is open, answers are chosen without it."""

    reader: Reader
    calls: PartCalls

    async def read(
        self, question: str, passages: Sequence[Passage], deadline: Deadline
    ) -> Sequence[Reading]:
        if not self.calls.allows("reader"):
            raise ReaderFailed("the circuit breaker of the reader is open")
        try:
            readings = await self.reader.read(question, passages, deadline)
        except ReaderFailed:
            self.calls.record("reader", False)
            raise
        self.calls.record("reader", True)
        return readings


def guard(writer: Writer, calls: PartCalls) -> Writer:
    """The writer behind its circuit breaker; a QuoteWriter calls no service and needs none."""
    return writer if isinstance(writer, QuoteWriter) else GuardedWriter(writer, calls)


def guard_judge(judge: Judge | None, calls: PartCalls) -> Judge | None:
    """The judge behind its circuit breaker, where there is one."""
    return GuardedJudge(judge, calls) if judge is not None else None


def guard_rewriter(rewriter: Rewriter | None, calls: PartCalls) -> Rewriter | None:
    """The rewriter behind its circuit breaker, where there is one."""
    return GuardedRewriter(rewriter, calls) if rewriter is not None else None
