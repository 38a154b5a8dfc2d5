"""Which outside parts to call. The database counts failures for all processes and tells them with
each query; each process keeps its own count for when the database is away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from functions.adapters.postgres.query_records import Begun
from functions.answer.context import Context
from functions.answer.deadline import Deadline
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import Draft, Writer, WriterFailed
from functions.runtime.breaker import Breaker

Part = Literal["embeddings", "vectors", "model"]
PARTS: tuple[Part, ...] = ("embeddings", "vectors", "model")


@dataclass
class Breakers:
    """A process's own view of the parts."""

    by_part: dict[Part, Breaker] = field(
        default_factory=lambda: {part: Breaker() for part in PARTS}
    )

    def observe(self, begun: Begun) -> None:
        """Remember what the database said."""
        if begun.verdict == "run" and not begun.admitted_locally:
            for part, breaker in self.by_part.items():
                # One that another query is trying comes with no seconds left.
                seconds = max(begun.parts[part], 0.1) if part in begun.parts else 0.0
                breaker.hold_for(seconds)

    def allows(self, part: Part, begun: Begun | None) -> bool:
        """Whether a query may call the part; without the database's word by what is known here."""
        if begun is None or begun.admitted_locally:
            return self.by_part[part].allows()
        return part not in begun.parts


@dataclass
class PartCalls:
    """The calls of one query. `begun` is set when the database has answered; `reports` tells it in
    the end which parts worked."""

    breakers: Breakers
    begun: Begun | None = None
    outcomes: dict[str, bool] = field(default_factory=dict)

    def allows(self, part: Part) -> bool:
        return self.breakers.allows(part, self.begun)

    def is_pending(self, part: Part) -> bool:
        """Whether the part was not called yet, and may be now that the query has begun."""
        return part not in self.outcomes and self.allows(part)

    def record(self, part: Part, worked: bool) -> None:
        """Tell how a call of a part ended, for this process and for the database."""
        self.outcomes[part] = worked
        self.breakers.by_part[part].record(worked)


@dataclass
class GuardedWriter:
    """A writer whose service is not called while its breaker is open: quotes are given instead, as
    after a failure."""

    writer: Writer
    calls: PartCalls

    async def write(self, question: str, context: Context, deadline: Deadline) -> Draft:
        if not self.calls.allows("model"):
            raise WriterFailed("the service failed before and is not asked again yet")
        try:
            draft = await self.writer.write(question, context, deadline)
        except WriterFailed:
            self.calls.record("model", False)
            raise
        self.calls.record("model", True)
        return draft

    async def entails(self, pairs: Sequence[tuple[str, str]], deadline: Deadline) -> list[bool]:
        return await self.writer.entails(pairs, deadline)


def guard(writer: Writer, calls: PartCalls) -> Writer:
    """The writer behind its breaker. Quotes need none."""
    return writer if isinstance(writer, QuoteWriter) else GuardedWriter(writer, calls)
