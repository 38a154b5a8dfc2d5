"""One question while it is being answered: what differs between the modes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from functions.adapters.postgres.admission import Begun
from functions.answer.answers import Answer
from functions.answer.chain import Scope
from functions.answer.context import Context
from functions.answer.gate.calibration import Calibration
from functions.answer.write.writer import Writer
from functions.lifecycle.reply import Reply


@dataclass(frozen=True, slots=True)
class Basis:
    """The input of the answer chain. `answer` is set where no writer is needed; `is_cached`: a
    cached answer to these words is one to this question."""

    question: str
    context: Context
    calibration: Calibration
    scope: Scope
    answer: Answer | None = None
    is_cached: bool = True


class Attempt(Protocol):
    """One question while it is being answered. `timings` are milliseconds per step."""

    question_key: str
    cache_key: str | None
    timings: dict[str, float]

    def start(self) -> None:
        """Start work that needs no embedding and may run during admission."""
        ...

    async def embed_early(self) -> None:
        """Embed the question during admission. May be cancelled."""
        ...

    async def embed_late(self, begun: Begun) -> None:
        """Embed what is still missing once the question is admitted."""
        ...

    async def gather(self, begun: Begun) -> Basis:
        """Gather the context. Raises NothingCanAnswer."""
        ...

    def writer(self, chosen: Writer) -> Writer:
        """The writer to use, given the one the budget allows."""
        ...

    def review(self, answer: Answer) -> Answer:
        """The answer after the mode's own final check."""
        ...

    def complete(self, reply: Reply, answer: Answer | None) -> Reply:
        """Add links, notices and metadata to the reply. `answer` is None for a cached answer."""
        ...

    def request_fields(self) -> dict[str, Any]:
        """The QueryRecord fields that describe the request."""
        ...

    def answer_fields(self, answer: Answer) -> dict[str, Any]:
        """The QueryRecord fields that the mode adds for an answer."""
        ...

    async def close(self) -> None:
        """Cancel what is still running."""
        ...
