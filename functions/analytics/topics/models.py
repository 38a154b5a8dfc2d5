"""Topics as an administrator is shown them. Shapes only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.period import Period

Advice = Literal["add", "expand", "rewrite", "none"]


@dataclass(frozen=True, slots=True)
class TopicSection:
    """The section of the book that most of a topic's questions found. `chapter` is its title,
    `label` its number and title as citations name it."""

    title: str
    chapter: str
    label: str
    url: str
    source_path: str


@dataclass(frozen=True, slots=True)
class TopicUse:
    """One topic in a period. `helpful` is of readers' ratings, `refused` of queries."""

    topic_id: str
    name: str
    terms: tuple[str, ...]
    section: TopicSection | None
    queries: int
    sessions: int
    share: Share
    mean_confidence: float | None
    low_confidence: Share
    helpful: Share
    refused: Share
    first_seen: datetime

    @property
    def advice(self) -> Advice:
        """What to do in the book. From ten queries on, or five ratings: fewer say nothing."""
        if self.queries >= LEAST_QUERIES and (self.refused.value or 0) >= MUCH_REFUSED:
            return "add" if self.section is None else "expand"
        if self.queries >= LEAST_QUERIES and (self.low_confidence.value or 0) >= MUCH_UNSURE:
            return "add" if self.section is None else "expand"
        if self.helpful.of >= LEAST_RATINGS and (self.helpful.value or 0) < HELPFUL_ENOUGH:
            return "rewrite"
        return "none"


LEAST_QUERIES = 10
LEAST_RATINGS = 5
MUCH_REFUSED = 0.3
MUCH_UNSURE = 0.3
HELPFUL_ENOUGH = 0.8
LEAST_SESSIONS = 5
"""A topic that fewer sessions asked about shows no question: it could tell who asked."""


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of a period, the most asked first.

    `queries` are all of the period; `other` are those in no topic yet (asked since `refreshed_at`,
    or too rare). `refreshed_at` is None before the first grouping.
    """

    period: Period
    refreshed_at: datetime | None
    queries: int
    other: int
    topics: tuple[TopicUse, ...]


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """A question as stored (masked), and how it fared."""

    question: str
    queries: int
    mean_confidence: float | None
    refused: int


@dataclass(frozen=True, slots=True)
class SectionUse:
    """How many of a topic's queries found their answer in a section."""

    section: TopicSection
    queries: int


@dataclass(frozen=True, slots=True)
class TopicDetail:
    """One topic. `samples` are withheld below `LEAST_SESSIONS`; `weeks` are (Monday, queries) of
    the whole period; `rank` is 1 for the most asked."""

    period: Period
    rank: int
    use: TopicUse
    withheld: bool
    samples: tuple[SampleQuestion, ...]
    sections: tuple[SectionUse, ...]
    weeks: tuple[tuple[date, int], ...]
