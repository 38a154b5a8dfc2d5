"""What an administrator is told. Shapes only; docs/reference/metrics.md defines each figure.

Shares are from 0 to 1, times in milliseconds, money in the currency of the settings (the cost of
the model always in US dollars). None: nothing was there to make the figure from.

Reviews and coverage have their shapes in review_shapes.py, returns in roi_shapes.py.

    summary.read_summary(database, period) -> Summary
    validation.read_validation(database, period) -> Validation
    chapter_figures.read_chapters(database, period) -> ChapterFigures
    review_list.read_review_list(database, period, wanted, before, most) -> ReviewPage
    review_list.mark(database, response_id, mark) -> None
    coverage.read_coverage(database, period) -> Coverage
    roi.read_roi(database, period) -> Roi
    roi_settings.read_settings(database) / save_settings(database, settings)
    audits.read_audits(database, period) -> Audits
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from functions.analytics.metrics.confidence_intervals import Estimate, Share
from functions.analytics.metrics.period import Period

HELPFUL_TARGET = 0.80
"""SC-006."""
VALIDATION_TARGET = 0.95
GROUNDING_TARGET = 0.95
"""SC-002."""


@dataclass(frozen=True, slots=True)
class DayFigures:
    """One day. Counts are of queries, `rated` and `helpful` of readers' ratings of them."""

    day: date
    queries: int
    answered: int
    refused: int
    low_confidence: int
    high_confidence: int
    with_confidence: int
    limited: int
    rated: int
    helpful: int
    mean_ms: float | None
    p95_ms: float | None
    cost_usd: float


@dataclass(frozen=True, slots=True)
class WeekFigures:
    """A week of UTC, from Monday: readers' names change with it, and nothing counts them longer."""

    monday: date
    queries: int
    readers: int
    per_reader: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """What happened in a period.

    `days` holds every day of the period; `missing_days` those whose queries were deleted before
    their sums were made. `weeks` are those that begin in the period.
    """

    period: Period
    as_of: datetime
    queries: int
    answered: int
    """In full or in part."""
    partial: int
    refused: int
    queries_by_mode: dict[str, int]
    refusals_by_reason: dict[str, int]
    repeated: int
    cached: int
    mean_ms: float | None
    p95_ms: float | None
    helpful: Share
    """Of readers' ratings."""
    refusals: Share
    """Of queries."""
    false_refusals: Estimate
    """Of refusals, from those that were reviewed."""
    low_confidence: Share
    """Of checked answers."""
    high_confidence: Share
    """Of the queries that have a confidence (SC-009)."""
    limited: Share
    """Of answers: quotes only."""
    checked: int
    """Answers that claim something, each claim checked. A greeting's does not."""
    counted: int
    """Of the checked: not repeated within minutes, and not voted down."""
    confirmed: int
    """Of the counted: readers said that they helped."""
    cost_usd: float
    sessions: int
    queries_per_session: float | None
    queries_per_reader_week: float | None
    weeks: tuple[WeekFigures, ...]
    days: tuple[DayFigures, ...]
    missing_days: tuple[date, ...]


@dataclass(frozen=True, slots=True)
class ModeValidation:
    """What the check did in one mode."""

    mode: str
    passed: Share
    mean_similarity: float | None
    mean_overlap: float | None
    p95_ms: float | None


@dataclass(frozen=True, slots=True)
class ThresholdEffect:
    """What the gate at another confidence would have done to the same queries.

    `refused_more`: answers below it, with what readers and reviewers had said of these;
    `asked_more`: queries refused now that would have been tried, with what reviewers said. What
    would have been answered to those, nobody knows.
    """

    threshold: float
    refused_more: int
    of_these_helpful: int
    of_these_not_helpful: int
    of_these_wrong: int
    asked_more: int
    of_these_should_have_answered: int
    of_these_good_refusals: int


@dataclass(frozen=True, slots=True)
class Validation:
    """ADR-003's figures. False negatives are refusals that reviewers call wrong; false positives
    answers that reviewers or audits do."""

    period: Period
    as_of: datetime
    passed: Share
    target: float
    modes: tuple[ModeValidation, ...]
    mean_similarity: float | None
    false_negatives: Estimate
    false_positives: Estimate
    gate: float
    thresholds: tuple[ThresholdEffect, ...]


@dataclass(frozen=True, slots=True)
class Alarm:
    """A figure with its limit. `raised` is None where there is no figure."""

    name: Literal["detection", "latency", "errors"]
    value: float | None
    limit: float
    raised: bool | None


@dataclass(frozen=True, slots=True)
class ChapterUse:
    """How the queries that came from one chapter fared."""

    chapter_id: str
    queries: int
    answered: int
    helpful: Share


@dataclass(frozen=True, slots=True)
class ChapterFigures:
    """ADR-007's figures. `detected`: of the queries that a page sent a chapter with, those whose
    chapter the book knows. `boost` is the mean factor, where there was one."""

    period: Period
    as_of: datetime
    detected: Share
    with_chapter: Share
    """Of book-wide queries: those a page sent a chapter with."""
    boosted: Share
    """Of the detected."""
    mean_boost: float | None
    search_ms: float | None
    """Mean time of a search with a chapter."""
    search_ms_without: float | None
    p95_search_ms: float | None
    """Of a search with a chapter."""
    errors: int
    """Requests of the two query functions in which something failed, answered or not."""
    error_share: float | None
    errors_by_type: dict[str, int]
    alarms: tuple[Alarm, ...]
    chapters: tuple[ChapterUse, ...]


@dataclass(frozen=True, slots=True)
class AuditRound:
    """The verdicts on one day's sample. `by`: a person's, or the model's."""

    day: date
    by: Literal["human", "model"]
    answers: int
    grounded: Share
    relevant: Share


@dataclass(frozen=True, slots=True)
class Audits:
    """Are statements traceable to their sources (SC-002)? People's verdicts, and a model's."""

    period: Period
    target: float
    human: Share
    model: Share
    rounds: tuple[AuditRound, ...]
