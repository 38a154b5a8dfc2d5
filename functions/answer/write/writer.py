"""The interface of writers, and their drafts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from functions.answer.context import Context
from functions.answer.deadline import Deadline

_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")
MOST_CLAIMS = 30
LONGEST_CLAIM = 1_000
"""Characters of one claim."""
MOST_SENTENCE_IDS = 20
LONGEST_ID = 20
LONGEST_OUTPUT = 20_000
"""Characters of a writer's whole output; two thousand tokens are about half of it."""


class WriterFailed(Exception):
    """The writer failed; the answer is quotes instead."""


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """A sentence of an answer, or sentences of the book, and the ids of those it is based on.

    `answering`: which sentences of a quote answer the question; the others go with them.
    """

    text: str
    sentence_ids: tuple[str, ...]
    answering: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model call used. `model` is the name the service returned."""

    input_tokens: int
    output_tokens: int
    model: str


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer before it is checked. `raw` is the writer's output as it came."""

    status: Literal["full", "partial", "none"]
    claims: tuple[DraftClaim, ...]
    raw: str = ""
    usage: Usage | None = None


def draft_of(
    status: Literal["full", "partial", "none"],
    claims: Iterable[tuple[str, Sequence[str]]],
    raw: str,
    usage: Usage | None,
) -> Draft:
    """A draft from what a model wrote, within bounds. What goes beyond them is left out, and a
    "full" answer without it is a partial one."""
    if status == "none":
        return Draft("none", (), raw[:LONGEST_OUTPUT], usage)
    # No database keeps a NUL, and an id never has one.
    given = [
        (_BLANK_LINES.sub("\n\n", text.replace("\0", "")).strip(), tuple(ids))
        for text, ids in claims
    ]
    given = [(text, ids) for text, ids in given if text]
    kept = tuple(
        DraftClaim(text, ids)
        for text, ids in given[:MOST_CLAIMS]
        if len(text) <= LONGEST_CLAIM
        and len(ids) <= MOST_SENTENCE_IDS
        and not any("\0" in id or len(id) > LONGEST_ID for id in ids)
    )
    if not given:
        return Draft("none", (), raw[:LONGEST_OUTPUT], usage)
    whole = len(kept) == len(given)
    return Draft(status if whole else "partial", kept, raw[:LONGEST_OUTPUT], usage)


class Writer(Protocol):
    """Writes a draft from numbered sentences. Raises WriterFailed."""

    async def write(self, question: str, context: Context, deadline: Deadline) -> Draft: ...
