"""Selections of the sample book and of no book, and how `selected` is asked about them."""

from __future__ import annotations

import uuid
from pathlib import Path

from tests.integration.events import Function, Reply
from tests.integration.sample_stage import BOOK

ZMP_PAGE = "docs/03-balance-and-walking/02-zero-moment-point.md"
PASSAGE = (
    "The ZMP is used for dynamic balance control in bipedal walking: the motion is planned and "
    "corrected so that the ZMP stays inside the support polygon. As long as it does, the "
    "supporting foot stays flat on the ground and does not begin to rotate about its edge."
)
FOREIGN = (
    "The lighthouse of Pellworm was lit in 1907. Its lamp can be seen from a distance of twenty "
    "nautical miles. Couples have been marrying in its small round chamber since 1998."
)


def ask(function: Function, question: str, text: str, **more: object) -> Reply:
    return function.post(
        "/query-selected-text",
        {
            "question": question,
            "selected_text": text,
            "session_id": str(uuid.uuid4()),
            **more,
        },
    )


def line_of(text: str, path: str = ZMP_PAGE) -> int:
    lines = Path(BOOK / path).read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)
