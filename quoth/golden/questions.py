"""The author's golden questions: what the book must answer, and what it must refuse. Types only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Wanted = Literal["answer", "overview", "refusal"]


@dataclass(frozen=True, slots=True)
class Place:
    """A part of the book's source: a file's lines, the first and the last included."""

    source_path: str
    first_line: int
    last_line: int
    name: str


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A question and what it must get.

    `sections` and `page` are as written: each section answers the question by itself. `line` is
    where the question stands in its file, from 1.
    `kind` groups refusals: "near-scope" or "out-of-book".
    """

    question: str
    wanted: Wanted
    line: int
    sections: tuple[str, ...] = ()
    page: str = ""
    phrases: tuple[str, ...] = ()
    kind: str = ""
