"""What is logged of the chapter a reader is in: how it was found and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from functions.query.retrieval.chapter_boost import Boosted
from functions.runtime.logs import logger

OPERATION = "chapter_detect"
SHOWN = 100
"""Characters of what a page says that are logged."""


def log_ignored(problems: Sequence[str]) -> None:
    """A context that is none: the question is answered as if it had not been sent."""
    logger().warning(
        "chapter context ignored", operation=OPERATION, status="invalid", problems=list(problems)
    )


def log_chapter(
    chapter_id: str, chapter_title: str, confidence: str, source: str, boosted: Boosted
) -> None:
    """A context as the page sent it, and whether the book has the chapter."""
    fields: dict[str, Any] = {
        "operation": OPERATION,
        "chapter_id": chapter_id[:SHOWN],
        "chapter_title": chapter_title[:SHOWN],
        "confidence": confidence[:SHOWN],
        "source": source[:SHOWN],
    }
    if boosted.chapter_id is None:
        logger().warning("chapter context ignored", status="unknown", **fields)
        return
    logger().info(
        "chapter context detected",
        status="detected",
        filtered_count=boosted.of_chapter,
        **fields,
    )
