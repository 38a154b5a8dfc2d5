"""From a question to the context an answer may rest on, and the sections to show beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
from functions.adapters.qdrant.chunk_search import (
    ChapterNames,
    ChunkSearch,
    IndexMismatch,
    IndexMissing,
    SearchFilters,
    SearchResult,
    SearchUnavailable,
)
from functions.answer.answers import SectionLink
from functions.answer.context import Context
from functions.answer.deadline import Deadline
from functions.book.chunks.chunk import StoredChunk
from functions.lifecycle.circuit_breakers import Part
from functions.lifecycle.reply import Notice
from functions.query.retrieval.chapter_boost import (
    CANDIDATES,
    Boosted,
    Place,
    boost_chunks,
    find_chapter,
)
from functions.query.retrieval.highlight_range import TOP_CHUNKS, BlockRange, cut_to_range
from functions.query.retrieval.merge_adjacent import context_of_neighbours
from functions.query.retrieval.passage_similarity import passage_similarities
from functions.query.retrieval.rerank import rank_chunks
from functions.query.retrieval.search_record import record_of_rows, record_of_search
from functions.runtime.logs import logger

MOST_SECTIONS = 10
NOWHERE = Place()
UNBOOSTED = Boosted()
_INDEX_AWAY: tuple[tuple[Part, bool], ...] = (("vectors", False),)
SWITCH_WAITS = (0.1, 0.3, 0.6, 1.0)
"""Seconds between looks for an index that is not there: its name may be changing hands."""


class KeywordStore(Protocol):
    """Keyword search beside the index, for when the index is away."""

    async def search_chunks(
        self, question: str, most: int, wanted: Mapping[str, Any] | None = None, *, seconds: float
    ) -> list[tuple[StoredChunk, float]]:
        """At most `most` chunks with their scores, the best first."""
        ...


class NothingCanSearch(Exception):
    """Neither the index nor the database can search. `asked_index`: the index was tried."""

    def __init__(self, message: str, asked_index: bool = True) -> None:
        super().__init__(message)
        self.asked_index = asked_index


@dataclass(frozen=True, slots=True)
class Found:
    """What a search brought: the context, the ranked sections, what the reader must know, and
    what is recorded of it."""

    context: Context
    sections: tuple[SectionLink, ...]
    notices: tuple[Notice, ...] = ()
    parts: tuple[tuple[Part, bool], ...] = ()
    search: Mapping[str, Any] | None = None
    boosted: Boosted = UNBOOSTED

    def place_fields(self) -> dict[str, Any]:
        """What a response tells of where the reader is (fields of its metadata)."""
        return {
            "chapter_filtered": self.boosted.chapter_id is not None,
            "chapter_id": self.boosted.chapter_id,
            "boost_applied": self.boosted.applied,
            "filtered_count": self.boosted.of_chapter,
        }


async def retrieve_chunks(
    question: str,
    vector: Sequence[float] | None,
    search: ChunkSearch,
    fallback: KeywordStore,
    filters: SearchFilters,
    most: int,
    deadline: Deadline,
    seconds: float,
    within: BlockRange | None = None,
    place: Place = NOWHERE,
    ask_index: bool = True,
) -> Found:
    """Search by meaning and words; by words alone without a vector that fits; in Postgres without
    an index. `within` takes the place of `filters` and `most`: nothing but its blocks is found.
    `place` changes the order, and takes no part within a range. Without `ask_index` the index is
    known to be away.

    Raises NothingCanSearch; IndexMissing and IndexMismatch as the index does: they are set-up
    errors that a fallback would hide.
    """
    if within is not None:
        filters, most, place = within.filters(), TOP_CHUNKS, NOWHERE
    limit = max(most, MOST_SECTIONS)
    candidates = max(limit, CANDIDATES) if place else limit
    if not ask_index:
        return await _search_database(
            question, fallback, filters, most, deadline, seconds, within, place, ()
        )
    try:
        result, notices = await _search_index(
            question, vector, search, filters, candidates, place.chapter, deadline, seconds
        )
    except SearchUnavailable as error:
        logger().error("vector search unavailable", detail=str(error))
        return await _search_database(
            question, fallback, filters, most, deadline, seconds, within, place, _INDEX_AWAY
        )
    found = stored_hits(result)
    # A passage may reach over the edge of a range: what is outside must not rank what is inside.
    passages = passage_similarities(found, result.hits) if within is None else None
    if within is not None:
        found = cut_to_range(found, within)
    found, boosted = boost_chunks(found, result.chapter_id, place.terms)
    chunks = rank_chunks(question, found[:limit], passages)
    return Found(
        # A chunk's cosine speaks for all of it, also for what was cut off.
        context_of_neighbours(
            chunks[:most], result.top_dense if within is None else None, passages
        ),
        sections_of([chunk for chunk, _ in chunks]),
        notices,
        (("vectors", True),),
        record_of_search(result, boosted.factor),
        boosted,
    )


def sections_of(chunks: Sequence[StoredChunk]) -> tuple[SectionLink, ...]:
    """The sections of chunks, each once, where the best of its chunks stands."""
    links: dict[str, SectionLink] = {}
    for chunk in chunks:
        title = " › ".join(chunk.titles[-2:]) or chunk.source_path
        links.setdefault(chunk.url, SectionLink(title=title, url=chunk.url))
    return tuple(links.values())


def ranked_hits(question: str, result: SearchResult) -> list[tuple[StoredChunk, float]]:
    """The chunks of a search in their final order, with their relevance (0 to 1)."""
    found = stored_hits(result)
    return rank_chunks(question, found, passage_similarities(found, result.hits))


def context_of_result(question: str, result: SearchResult, most: int) -> Context:
    """What an answer to the question may rest on: the best chunks of a search of the whole book."""
    found = stored_hits(result)
    passages = passage_similarities(found, result.hits)
    ranked = rank_chunks(question, found, passages)
    return context_of_neighbours(ranked[:most], result.top_dense, passages)


def stored_hits(result: SearchResult) -> list[tuple[StoredChunk, float]]:
    """The chunks of a search in its order, with its scores."""
    return [(StoredChunk.from_payload(hit.payload), hit.score) for hit in result.hits]


async def _search_index(
    question: str,
    vector: Sequence[float] | None,
    search: ChunkSearch,
    filters: SearchFilters,
    limit: int,
    chapter: ChapterNames | None,
    deadline: Deadline,
    seconds: float,
) -> tuple[SearchResult, tuple[Notice, ...]]:
    async def by_words() -> SearchResult:
        return await search.keyword_search(
            question, filters, limit, chapter, timeout_s=deadline.within(seconds)
        )

    words_alone = (Notice("keyword_search"),)
    if vector is None:
        return await _search_switching(by_words, deadline), words_alone
    try:
        found = await _search_switching(
            lambda: search.search(
                question,
                vector,
                filters,
                limit,
                chapter=chapter,
                timeout_s=deadline.within(seconds),
            ),
            deadline,
        )
    except IndexMismatch as error:
        # The book was indexed again with another model than these settings name. Its words find
        # it still, until the settings follow.
        logger().error("index unusable", error=type(error).__name__, detail=str(error))
        return await _search_switching(by_words, deadline), words_alone
    return found, ()


async def _search_switching(
    search: Callable[[], Awaitable[SearchResult]], deadline: Deadline
) -> SearchResult:
    """Search an index whose name may just be given to another collection."""
    for wait in SWITCH_WAITS:
        try:
            return await search()
        except IndexMissing:
            await asyncio.sleep(deadline.within(wait))
    return await search()


async def _search_database(
    question: str,
    fallback: KeywordStore,
    filters: SearchFilters,
    most: int,
    deadline: Deadline,
    seconds: float,
    within: BlockRange | None,
    place: Place,
    parts: tuple[tuple[Part, bool], ...],
) -> Found:
    try:
        rows = await fallback.search_chunks(
            question, 4 * most, filters.to_json(), seconds=deadline.within(seconds)
        )
    except (DatabaseUnavailable, DatabaseRejected) as error:
        raise NothingCanSearch(str(error), asked_index=bool(parts)) from error
    found = rows
    if within is not None:
        rows = cut_to_range(rows, within)
    chapter_id = find_chapter(rows, place.chapter) if place.chapter else None
    rows, boosted = boost_chunks(rows, chapter_id, place.terms)
    rows = rank_chunks(question, rows)[:most]
    return Found(
        context_of_neighbours(rows),
        sections_of([chunk for chunk, _ in rows]),
        (
            Notice("vectors_down"),
            Notice("keyword_search"),
        ),
        parts,
        record_of_rows(found, boosted.factor),
        boosted,
    )
