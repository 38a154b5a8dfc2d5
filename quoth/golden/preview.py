"""What an edited folder would make unanswerable of a book's golden questions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quoth.golden.ask import load_golden
from quoth.golden.evaluate import ask_aside
from quoth.golden.grade import Judged, unanswerable_now
from quoth.golden.history import read_history


@dataclass(frozen=True, slots=True)
class GoldenPreview:
    """`judged` is what the folder does; `lost` hold in the index as it is, and would not any more.

    `compared` is how many were asked of the index as it is, when it was last taken in.
    """

    judged: Sequence[Judged] = ()
    lost: Sequence[Judged] = ()
    compared: int = 0

    @property
    def failing(self) -> list[Judged]:
        return [each for each in self.judged if not each.holds]


def preview_golden(folder: Path, file: Path, history: Path | None, known: str) -> GoldenPreview:
    """Index the folder aside, ask it, and compare with what the book's own index answers.

    `history` is the folder of the book's store, `known` the address of its database. Raises
    BadRow, NotAsked and the errors of the parts.
    """
    golden = load_golden(folder, file, strict=False)
    before = read_history(history) if history else []
    judged = asyncio.run(ask_aside(folder, golden, known=known))
    return GoldenPreview(judged, unanswerable_now(before, judged), len(before))
