"""Gathers the context of an overview from the outline, instead of a search."""

from __future__ import annotations

from dataclasses import dataclass, field

from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
from functions.adapters.postgres.outline_records import OutlineRecords
from functions.answer.answers import SectionLink
from functions.answer.context import Context
from functions.answer.deadline import Deadline
from functions.book.outline import Outline, OutlineEntry, outline_of
from functions.query.overviews.book_facts import FACTS, Fact, entries_of, matter_of
from functions.query.overviews.compose import (
    MOST_QUESTIONS,
    OverviewWriter,
    fact_rows,
    gather_rows,
    rows_of,
)
from functions.query.overviews.parse import Overview
from functions.query.overviews.resolve import BookPart, UnknownPart, resolve_target
from functions.query.requests import QueryRequest
from functions.query.retrieval.retrieve import Found
from functions.runtime.logs import logger

CLOSEST = 3
SECONDS = 2.5
NOTHING = Found(Context((), ()), ())


@dataclass(frozen=True, slots=True)
class GatheredOverview:
    """What was found, the writer of its claims, and what to ask next when the part was guessed.

    `line`: what is said instead where the book does not tell a fact about itself.
    """

    found: Found
    writer: OverviewWriter
    clarify: tuple[str, ...] = ()
    line: str = ""


@dataclass
class Overviews:
    """Keeps the outline of the content version that was read last."""

    records: OutlineRecords
    _version: str = ""
    _entries: list[OutlineEntry] = field(default_factory=list)

    async def gather(
        self, overview: Overview, asked: QueryRequest, content_version: str, deadline: Deadline
    ) -> GatheredOverview | None:
        """The overview; without sentences when the book has no such part. None when the words
        name no heading, or the database is away: then the question is searched for."""
        try:
            outline = outline_of(
                await self._outline(content_version, deadline),
                (asked.page.version or None) if asked.page else None,
                (asked.page.locale or None) if asked.page else None,
            )
            if overview.fact is not None:
                return await self._fact(overview.fact, outline, deadline)
            part = resolve_target(overview.target, outline, asked.page, asked.chapter_context)
            if isinstance(part, UnknownPart):
                return GatheredOverview(
                    Found(NOTHING.context, _links(part.closest)[:CLOSEST]), OverviewWriter()
                )
            if part is None or not outline.pages:
                return None
            rows = rows_of(part, overview.wants, outline)
            ids = list(dict.fromkeys(row.entry.chunk_id for row in rows))
            chunks = await self.records.chunks(ids, seconds=deadline.within(SECONDS))
        except (DatabaseUnavailable, DatabaseRejected) as error:
            logger().error("outline unavailable", error=type(error).__name__, detail=str(error))
            return None
        context, writer = gather_rows(rows, chunks)
        return GatheredOverview(
            Found(context, _beside(part, outline)),
            writer,
            _questions(outline) if part.guessed else (),
        )

    async def _fact(self, fact: Fact, outline: Outline, deadline: Deadline) -> GatheredOverview:
        pages = matter_of(outline)
        read = [*entries_of(pages), *(chapter.pages[0].entries[0] for chapter in outline.chapters)]
        ids = list(dict.fromkeys(entry.chunk_id for entry in read))
        chunks = await self.records.chunks(ids, seconds=deadline.within(SECONDS))
        context, writer = gather_rows(fact_rows(fact, outline, chunks), chunks)
        opening = _links(tuple(page.entries[0] for page in pages))[:CLOSEST]
        line = "" if writer.claims else FACTS[fact].line
        return GatheredOverview(Found(context, opening), writer, line=line)

    async def _outline(self, content_version: str, deadline: Deadline) -> list[OutlineEntry]:
        if not content_version or content_version != self._version:
            self._entries = await self.records.outline(seconds=deadline.within(SECONDS))
            self._version = content_version
        return self._entries


def _links(entries: tuple[OutlineEntry, ...]) -> tuple[SectionLink, ...]:
    found = {entry.url: SectionLink(title=entry.title, url=entry.url) for entry in entries}
    return tuple(found.values())


def _beside(part: BookPart, outline: Outline) -> tuple[SectionLink, ...]:
    """Further reading: the pages that come after the part, then those before it."""
    if part.kind == "book":
        return ()
    pages = outline.pages
    at = pages.index(part.pages[-1])
    near = [*pages[at + 1 :], *reversed(pages[: pages.index(part.pages[0])])]
    return _links(tuple(page.entries[0] for page in near[: 2 * CLOSEST]))


def _questions(outline: Outline) -> tuple[str, ...]:
    """A question for each of the first chapters."""
    return tuple(
        f"What does chapter {chapter.chapter.number} cover?"
        if chapter.chapter.number is not None
        else f"What is the chapter “{chapter.label}” about?"
        for chapter in outline.chapters[:MOST_QUESTIONS]
    )
