"""Requests that get no answer now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from functions.adapters.postgres.query_records import Begun

Reason = Literal[
    "too_many_questions",
    "full",
    "ticket_expired",
    "invalid_ticket",
    "unknown_passage",
    "selection_too_short",
    "selection_too_long",
    "index_unusable",
    "queue_unavailable",
    "unavailable",
]
TEMPORARY: frozenset[Reason] = frozenset(
    {"full", "index_unusable", "queue_unavailable", "unavailable"}
)


@dataclass
class NotServed(Exception):
    """The request cannot be served. `web.errors` has the status and the sentence of each reason.

    `retry_after_s` is in seconds; `values` fill the sentence.
    """

    reason: Reason
    retry_after_s: int | None = None
    values: Mapping[str, object] = field(default_factory=dict)

    @property
    def is_temporary(self) -> bool:
        """Whether the same request may be served later without a change."""
        return self.reason in TEMPORARY


@dataclass
class NothingCanAnswer(Exception):
    """Every part that could answer is unavailable. `begun` is the admission, if there was one."""

    begun: Begun | None = None
