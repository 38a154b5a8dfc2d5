"""Outcome of ingesting one key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from functions.runtime.logs import logger

Action = Literal["created", "updated", "unchanged", "removed", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The effect of ingesting one key.

    `embedded` counts passages whose vectors were computed, `reused` those whose vectors were
    already stored; `chunks` is the document's new number of chunks. A failed key must be ingested
    again.
    """

    key: str
    action: Action
    embedded: int = 0
    reused: int = 0
    chunks: int = 0
    reason: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def is_settled(self) -> bool:
        return self.action != "failed"

    def log(self) -> None:
        """Write the outcome to the log: an error if it failed, a warning if it was skipped."""
        fields = {
            "source_path": self.key,
            "action": self.action,
            "embedded": self.embedded,
            "reused": self.reused,
            "chunks": self.chunks,
            "reason": self.reason,
            "warnings": list(self.warnings),
        }
        if self.action == "failed":
            logger().error("document not ingested", extra=fields)
        elif self.action == "skipped" and self.reason:
            logger().warning("document not ingested", extra=fields)
        else:
            logger().info("document ingested", extra=fields)
