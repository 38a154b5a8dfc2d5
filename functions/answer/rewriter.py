"""Makes a follow-up question stand alone: the interface of a model that rewrites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from functions.answer.deadline import Deadline


class RewriterFailed(Exception):
    """The rewriter failed; the question is read with its earlier subject instead."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A question that needs none before it. `about`: the subject put into it, "" for none."""

    question: str
    about: str = ""


class Rewriter(Protocol):
    """Rewrites a question after an earlier one, whose answer cites `headings`."""

    async def rewrite(
        self, question: str, earlier: str, headings: Sequence[str], deadline: Deadline
    ) -> Rewritten:
        """Raises RewriterFailed."""
        ...
