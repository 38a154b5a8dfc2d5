"""The writer's side of the chain: what it is given and what it hands back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from functions.answer.context import Context
from functions.answer.deadline import Deadline


class WriterFailed(Exception):
    """The writer could not write: quotes are given instead."""


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """One sentence of an answer and the ids of the sentences it rests on."""

    text: str
    sentence_ids: tuple[str, ...]


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


class Writer(Protocol):
    """Writes a draft from numbered sentences, and judges claims the rules could not."""

    async def write(self, question: str, context: Context, deadline: Deadline) -> Draft: ...

    async def entails(self, pairs: Sequence[tuple[str, str]], deadline: Deadline) -> list[bool]:
        """For each (claim, evidence): does the evidence say the claim?"""
        ...
