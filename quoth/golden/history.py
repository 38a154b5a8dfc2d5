"""What golden questions came to, the last time the book was taken in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from quoth.golden.grade import Judged

FILE_NAME = "golden.json"


def read_history(folder: Path) -> list[tuple[str, bool]]:
    """(question, held) of the last time; empty when there is none that can be read."""
    try:
        kept = json.loads((folder / FILE_NAME).read_text("utf-8"))
        return [(str(question), bool(held)) for question, held in kept["held"].items()]
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return []


def write_history(folder: Path, judged: Sequence[Judged]) -> None:
    """Keep what came of the questions. A question that is asked of several pages holds on all."""
    held: dict[str, bool] = {}
    for each in judged:
        held[each.asked.question] = held.get(each.asked.question, True) and each.holds
    path = folder / FILE_NAME
    new = path.with_suffix(".new")
    new.write_text(json.dumps({"held": held}, ensure_ascii=False), "utf-8")
    new.replace(path)
