"""Exceptions for requests that get no answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from functions.adapters.postgres.admission import Begun

Reason = Literal[
    "too_many_questions",
    "network_too_many_questions",
    "network_too_many_readers",
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
    """The request cannot be served. `web.errors` maps each reason to a status and a sentence, which
    `values` fill in."""

    reason: Reason
    retry_after_s: int | None = None
    values: Mapping[str, object] = field(default_factory=dict)

    @property
    def is_temporary(self) -> bool:
        """Whether the same request may succeed later."""
        return self.reason in TEMPORARY


@dataclass
class NothingCanAnswer(Exception):
    """Every service that could answer is unavailable. `begun` is the admission, if known."""

    begun: Begun | None = None
