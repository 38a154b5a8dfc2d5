"""What readers ask about, by the book's own headings, and what the book lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from typing import Literal

from functions.adapters.postgres.analytics_query import Row
from functions.adapters.postgres.analytics_topics import (
    TopicDetailRows,
    read_group_detail,
    read_section_detail,
    read_topic_rows,
)
from functions.adapters.postgres.database import Database
from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.period import Period

Advice = Literal["add", "expand", "rewrite", "none"]


@dataclass(frozen=True, slots=True)
class TopicSection:
    """A section of the book. `chapter` is its chapter's title, `label` its number and title as
    citations name it."""

    title: str
    chapter: str
    chapter_number: int | None
    label: str
    url: str
    source_path: str


@dataclass(frozen=True, slots=True)
class TopicUse:
    """The questions of a period about one section; or, where the book does not treat what is asked
    (`is_missing`), those like a reader's question, which is their name. `section` is then the one
    nearest to them, if any. `helpful` is of readers' ratings, `refused` of questions."""

    topic_id: str
    name: str
    section: TopicSection | None
    is_missing: bool
    queries: int
    share: Share
    mean_confidence: float | None
    low_confidence: Share
    helpful: Share
    refused: Share

    @property
    def advice(self) -> Advice:
        """The recommendation. It takes ten questions, or ratings that chance does not explain."""
        if self.queries >= LEAST_QUERIES:
            if self.is_missing:
                return "add"
            if max(self.refused.value or 0, self.low_confidence.value or 0) >= MUCH:
                return "expand"
        if self.helpful.of >= LEAST_RATINGS and (self.helpful.high or 0) < HELPFUL_ENOUGH:
            return "rewrite"
        return "none"


KINDS = ("section", "group", "missing", "general", "inappropriate")
LEAST_QUERIES = 10
LEAST_RATINGS = 5
MUCH = 0.3
"""Share of refused questions, or of unsure answers."""
HELPFUL_ENOUGH = 0.8
LEAST_SESSIONS = 5
"""Questions of fewer sessions are not shown: they could identify who asked."""


@dataclass(frozen=True, slots=True)
class ChapterUse:
    """The sections of one chapter that were asked about, in any order of the book's."""

    title: str
    queries: int
    sections: tuple[TopicUse, ...]


@dataclass(frozen=True, slots=True)
class Topics:
    """What was asked in a period. Every question is counted once: in a section, in a group of
    `missing`, in `rare` (missing too, but of few readers, or not grouped since `refreshed_at`),
    `general` (greetings, the book as a whole, what no selection answers) or `inappropriate`."""

    period: Period
    refreshed_at: datetime | None
    queries: int
    general: int
    inappropriate: int
    rare: int
    sections: tuple[TopicUse, ...]
    missing: tuple[TopicUse, ...]

    @property
    def topics(self) -> tuple[TopicUse, ...]:
        """Sections and groups, the most asked first."""
        return tuple(sorted((*self.sections, *self.missing), key=lambda use: -use.queries))

    @property
    def chapters(self) -> tuple[ChapterUse, ...]:
        """The sections by chapter, in the order of the chapters' numbers."""
        return tuple(_chapters(self.sections))


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """A question as stored (masked), and its outcome."""

    question: str
    queries: int
    mean_confidence: float | None
    refused: int


@dataclass(frozen=True, slots=True)
class SectionUse:
    """How many questions are nearest to a section."""

    section: TopicSection
    queries: int


@dataclass(frozen=True, slots=True)
class TopicDetail:
    """One topic. `samples` are withheld below `LEAST_SESSIONS`; `weeks` are (Monday, queries) of
    the whole period; `rank` is 1 for the most asked."""

    period: Period
    rank: int
    use: TopicUse
    sessions: int
    samples: tuple[SampleQuestion, ...]
    nearest: tuple[SectionUse, ...]
    weeks: tuple[tuple[date, int], ...]

    @property
    def withheld(self) -> bool:
        return self.sessions < LEAST_SESSIONS


async def read_topics(database: Database, period: Period) -> Topics:
    """The topics of a period. Raises what the database raises."""
    rows = await read_topic_rows(database, period)
    by_kind = {kind: [row for row in rows.topics if row["kind"] == kind] for kind in KINDS}
    counts = {kind: sum(row["queries"] for row in own) for kind, own in by_kind.items()}
    total, sections = sum(counts.values()), by_kind["section"]
    missing = tuple(
        _use(row, total, row["question"], rows.chapters, is_missing=True)
        for row in by_kind["group"]
        if row["sessions"] >= LEAST_SESSIONS
    )
    return Topics(
        period=period,
        refreshed_at=rows.refreshed_at,
        queries=total,
        general=counts["general"],
        inappropriate=counts["inappropriate"],
        rare=counts["missing"] + counts["group"] - sum(use.queries for use in missing),
        sections=tuple(
            _use(row, total, name, rows.chapters, is_missing=False)
            for row, name in zip(sections, _names(sections), strict=True)
        ),
        missing=missing,
    )


def advised(topics: Topics) -> tuple[TopicUse, ...]:
    """The topics with a recommendation, the most asked first."""
    return tuple(use for use in topics.topics if use.advice != "none")


async def read_topic(database: Database, period: Period, topic_id: str) -> TopicDetail | None:
    """One topic with its questions; None when it has none in the period."""
    topics = await read_topics(database, period)
    use = next((use for use in topics.topics if use.topic_id == topic_id), None)
    return None if use is None else await read_detail(database, topics, use)


async def read_detail(database: Database, topics: Topics, use: TopicUse) -> TopicDetail:
    """One of the topics with its questions."""
    if use.section is not None and not use.is_missing:
        path, url = use.section.source_path, use.section.url
        rows = await read_section_detail(database, topics.period, path, url)
    else:
        rows = await read_group_detail(database, topics.period, use.topic_id)
    return _detail(topics.period, topics.topics.index(use) + 1, use, rows)


def _detail(period: Period, rank: int, use: TopicUse, rows: TopicDetailRows) -> TopicDetail:
    shown = rows.samples if rows.sessions >= LEAST_SESSIONS else ()
    samples = tuple(
        SampleQuestion(row["question"], row["queries"], row["mean_confidence"], row["refused"])
        for row in shown
    )
    nearest = ((_section(row), row["queries"]) for row in rows.nearest if use.is_missing)
    return TopicDetail(
        period=period,
        rank=rank,
        use=use,
        sessions=rows.sessions,
        samples=samples,
        nearest=tuple(SectionUse(section, queries) for section, queries in nearest if section),
        weeks=tuple((row["monday"], row["queries"]) for row in rows.weeks),
    )


def _chapters(sections: Sequence[TopicUse]) -> Iterator[ChapterUse]:
    def place(use: TopicUse) -> tuple[bool, int, str]:
        section = use.section
        number = section.chapter_number if section else None
        return (number is None, number or 0, section.chapter if section else "")

    for (_, _, title), uses in groupby(sorted(sections, key=place), key=place):
        own = tuple(uses)
        yield ChapterUse(title, sum(use.queries for use in own), own)


def _use(
    row: Row, total: int, name: str, chapters: Mapping[str, str], *, is_missing: bool
) -> TopicUse:
    return TopicUse(
        topic_id=row["id"],
        name=name,
        section=_section(row, chapters.get(row["chapter"], "")),
        is_missing=is_missing,
        queries=row["queries"],
        share=Share.of_counts(row["queries"], total),
        mean_confidence=row["confidences"] / row["with_confidence"]
        if row["with_confidence"]
        else None,
        low_confidence=Share.of_counts(row["unsure"], row["with_confidence"]),
        helpful=Share.of_counts(row["helpful"], row["rated"]),
        refused=Share.of_counts(row["refused"], row["queries"]),
    )


def _names(rows: Sequence[Row]) -> list[str]:
    """The titles of sections; one that several have stands behind the title above it."""
    titles = [_title(row) for row in rows]
    times = Counter(titles)
    return [
        f"{row['parent']} › {title}" if times[title] > 1 and row["parent"] else title
        for row, title in zip(rows, titles, strict=True)
    ]


def _section(row: Row, chapter: str = "") -> TopicSection | None:
    if row["url"] is None:
        return None
    number = row["chapter_number"]
    if number and chapter and not chapter.lower().startswith(("chapter", "part")):
        chapter = f"Chapter {number}: {chapter}"
    return TopicSection(
        title=_title(row),
        chapter=chapter,
        chapter_number=number,
        label=row["label"] or "",
        url=row["url"],
        source_path=row["source_path"] or "",
    )


def _title(row: Row) -> str:
    return row["title"] or row["label"] or row["source_path"] or ""
