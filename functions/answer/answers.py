"""An answer and its parts. The same types are checked, recorded and sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from functions.answer.check.check_claims import Check, Proof
from functions.answer.gate.calibration import Signals
from functions.answer.layout import ClaimPart, Range, StyledRange
from functions.answer.refusals import RefusalReason
from functions.answer.write.writer import Draft

Status = Literal["answered", "partial", "refused"]


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of the page, with what stands before and after them (W3C text quote selector).

    `is_code`: the words are lines of code. `styles` are those that the book sets `exact` in.
    """

    exact: str
    prefix: str = ""
    suffix: str = ""
    is_code: bool = False
    styles: tuple[StyledRange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Where claims come from: one section of the book, or one place of the selection.

    `quotes` holds every cited range of the section in its order, at least one; `quote` is the
    first. Lines count from 1, `relevance` is between 0 and 1.
    """

    n: int
    kind: Literal["book", "selection"]
    label: str
    chapter: str
    section: str
    subsection: str
    paragraph_id: str
    url: str
    quote: Quote
    quotes: tuple[Quote, ...]
    source_path: str
    lines: tuple[int, int]
    relevance: float
    updated_at: str


@dataclass(frozen=True, slots=True)
class CitedQuote:
    """The citation numbered `n`, and the position of one of its `quotes`, from 0."""

    n: int
    quote: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of the answer: one that passed, or sentences of the book in place of another.

    `citations` are the `n` of its citations; `quotes` are those of their quotes that it rests on.
    `parts` are the blocks of a claim that is whole sentences of the book, in order; other claims
    have none. `emphasis`: which of its characters answer the question, where that is not all of it.
    `styles`: which of them the book sets as code, strong or emphasis.
    """

    text: str
    citations: tuple[int, ...]
    verification: Proof
    quotes: tuple[CitedQuote, ...] = ()
    parts: tuple[ClaimPart, ...] = ()
    emphasis: tuple[Range, ...] = ()
    styles: tuple[StyledRange, ...] = ()


@dataclass(frozen=True, slots=True)
class SectionLink:
    """A section of the book, to be looked at. `text`: its sentence nearest to a question that was
    refused."""

    title: str
    url: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the chain hands back. A refusal has a reason and no claims.

    `checks` are of the draft's claims; `shown` are those of `claims`: checks that passed, and
    quotes. `quoted` are the positions of the checks that quotes stand for. `needs_more`: what was
    asked has to be worked out from the quotes. `draft_rejected`: nothing of the writer's `draft`
    could be shown, and its `checks` say why; the claims are the quote writer's.

    `blocks_outside`: blocks outside a highlighted range that a last check found and took out.
    """

    status: Status
    text: str
    confidence: float
    signals: Signals
    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()
    refusal: RefusalReason | None = None
    draft: Draft | None = None
    checks: tuple[Check, ...] = ()
    shown: tuple[Check, ...] = ()
    quoted: frozenset[int] = frozenset()
    needs_more: bool = False
    quotes_only: bool = False
    writer_failed: bool = False
    draft_rejected: bool = False
    judge_failed: bool = False
    blocks_outside: int = 0
    timings_ms: dict[str, float] = field(default_factory=dict)
