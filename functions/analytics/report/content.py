"""The content of a report, whatever its format. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from functions.analytics.metrics.period import Period
from functions.analytics.metrics.reviews import Audits
from functions.analytics.metrics.roi import Roi
from functions.analytics.metrics.summary import Summary
from functions.analytics.topics.outcomes import TopicDetail, Topics, TopicUse, advised

TOP = 8
MOST_ADVICE = 3
MOST_LACKING = 5


@dataclass(frozen=True, slots=True)
class Report:
    """The metrics of a period; `roi` compares them with the period before."""

    book: str
    """The title of the book's opening page; "" where it has none."""
    roi: Roi
    summary: Summary
    topics: Topics
    audits: Audits
    lacking: tuple[TopicDetail, ...]
    """The most asked groups of questions that the book does not treat."""

    @property
    def top(self) -> tuple[TopicUse, ...]:
        return self.topics.topics[:TOP]

    @property
    def advised(self) -> tuple[TopicUse, ...]:
        """The sections with a recommendation, the most asked first."""
        return tuple(use for use in advised(self.topics) if not use.is_missing)[:MOST_ADVICE]


def report_name(period: Period, ending: str) -> str:
    """A file name that sorts by its period."""
    return f"quoth-report-{period.first}-to-{period.last}.{ending}"
