"""What a reviewer sees: queries to look at, and how the book's sections fare. Shapes only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.period import Period

Concern = Literal["low_confidence", "not_helpful", "refused", "flagged"]
Verdict = Literal["good_refusal", "should_have_answered", "right_answer", "wrong_answer", "fixed"]


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """Where an answer points to."""

    label: str
    url: str
    quote: str


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One query that somebody should look at. Texts as stored: masked."""

    query_id: str
    response_id: str
    asked_at: datetime
    mode: str
    question: str
    answer: str
    status: str
    refusal_reason: str | None
    confidence: float | None
    concerns: tuple[Concern, ...]
    helpful: int
    not_helpful: int
    comments: tuple[str, ...]
    places: tuple[CitedPlace, ...]
    section: str
    """The section its best chunk stands in, where the book still has it."""
    section_url: str
    verdict: Verdict | None
    note: str
    is_golden: bool


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """Some of the list, and how many there are in all. `next` continues it."""

    items: tuple[ReviewItem, ...]
    total: int
    unreviewed: int
    next: str | None


@dataclass(frozen=True, slots=True)
class SectionCoverage:
    """How the questions fared whose best chunk stands in one section."""

    source_path: str
    title: str
    url: str
    queries: int
    answered: Share
    high_confidence: Share
    mean_confidence: float | None
    not_helpful: int
    gaps: int
    """Refusals, low confidence or negative verdicts, each query once."""


@dataclass(frozen=True, slots=True)
class EditEffect:
    """A document before and after it was last changed, as many days on each side as there are."""

    source_path: str
    title: str
    edited_at: datetime
    days: float
    before: SectionCoverage
    after: SectionCoverage


@dataclass(frozen=True, slots=True)
class Coverage:
    """Sections by their gaps, the most first, and what edits did."""

    period: Period
    as_of: datetime
    sections: tuple[SectionCoverage, ...]
    edits: tuple[EditEffect, ...]
