"""What became of a key that was looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Action = Literal["created", "updated", "unchanged", "removed", "skipped", "failed"]


class OtherEmbeddingModel(Exception):
    """The index holds vectors of another model than the settings name. Nothing was changed."""


class DocumentBusy(Exception):
    """Another worker has the document's lease. Look again later."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done about one key.

    `embedded` and `reused` count passages whose vectors were computed, and known before; `chunks`
    what the document has now. A failed one must be looked at again; all others are settled.
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
