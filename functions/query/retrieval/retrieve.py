"""From a question to the context of its answer, and the sections to show beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, TypeVar

from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
from functions.adapters.qdrant.chunk_search import (
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
from functions.answer.gate.unknown_names import rare_words
from functions.answer.question import in_searched_words
from functions.book.chunks.chunk import StoredChunk
from functions.lifecycle.circuit_breakers import Part
from functions.lifecycle.reply import Notice
from functions.query.retrieval.chapter_boost import (
    CANDIDATES,
    Boosted,
    ReaderPosition,
    boost_chunks,
    find_chapter,
)
from functions.query.retrieval.highlight_range import TOP_CHUNKS, BlockRange, cut_to_range
from functions.query.retrieval.merge_adjacent import merged_context
from functions.query.retrieval.rerank import passage_similarities, rank_chunks, stored_hits
from functions.query.retrieval.search_record import record_of_rows, record_of_search
from functions.runtime.logs import logger

T = TypeVar("T")
MOST_SECTIONS = 10
SHORTEST_S = 0.5
NOWHERE = ReaderPosition()
UNBOOSTED = Boosted()
_INDEX_AWAY: tuple[tuple[Part, bool], ...] = (("vectors", False),)
SWITCH_WAITS = (0.1, 0.3, 0.6)
"""Seconds between attempts at a missing index: its name may be moving to another collection."""


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
    """The result of a search: the context, the ranked sections, notices to the reader, and the
    record of it."""

    context: Context
    sections: tuple[SectionLink, ...]
    notices: tuple[Notice, ...] = ()
    parts: tuple[tuple[Part, bool], ...] = ()
    search: Mapping[str, Any] | None = None
    boosted: Boosted = UNBOOSTED

    def place_fields(self) -> dict[str, Any]:
        """The metadata of a response about the reader's position."""
        return {
            "chapter_filtered": self.boosted.chapter_id is not None,
            "chapter_id": self.boosted.chapter_id,
            "boost_applied": self.boosted.applied,
            "filtered_count": self.boosted.of_chapter,
        }


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is searched for, and how long the index, then the database, may take.

    `vector` is the question's; without one, words are compared alone. `within` replaces `filters`
    and `most`: nothing but its blocks is found. `position` changes the order, except in a range.
    """

    question: str
    vector: Sequence[float] | None
    filters: SearchFilters
    most: int
    deadline: Deadline
    seconds: float
    within: BlockRange | None = None
    position: ReaderPosition = NOWHERE

    def share(self) -> SearchRequest:
        """The request with the time of one store: `seconds`, and some even past the deadline,
        since nothing can be answered without a search."""
        allowed = max(SHORTEST_S, self.deadline.within(self.seconds))
        return replace(self, deadline=Deadline.after(allowed))


async def retrieve_chunks(
    asked: SearchRequest, search: ChunkSearch, fallback: KeywordStore, *, ask_index: bool = True
) -> Found:
    """Search by meaning and words; by words alone without a vector that fits; in Postgres without
    an index. Without `ask_index` the index is known to be unavailable.

    Raises NothingCanSearch; IndexMissing and IndexMismatch as the index does: they are set-up
    errors that a fallback would hide.
    """
    if within := asked.within:
        asked = replace(asked, filters=within.filters(), most=TOP_CHUNKS, position=NOWHERE)
    if not ask_index:
        return await _search_database(asked, fallback, ())
    limit = max(asked.most, MOST_SECTIONS)
    shared = asked.share()
    try:
        result, notices = await _search_index(
            shared, search, max(limit, CANDIDATES) if asked.position else limit
        )
        words = () if within else rare_words(asked.question)
        absent = await _search_switching(partial(search.absent_words, words, asked.filters), shared)
    except SearchUnavailable as error:
        logger().error("vector search unavailable", detail=str(error))
        return await _search_database(asked, fallback, _INDEX_AWAY)
    found = stored_hits(result)
    # A passage may reach over the edge of a range: what is outside must not rank what is inside.
    passages = None if within else passage_similarities(found, result.hits)
    if within:
        found = cut_to_range(found, within)
    found, boosted = boost_chunks(found, result.chapter_id, asked.position.terms)
    ranked = rank_chunks(asked.question, found[:limit], passages)
    # A chunk's cosine is that of all of it, including what was cut off.
    dense = None if within else result.top_dense
    return Found(
        replace(
            merged_context(ranked[: asked.most], dense, passages),
            absent=absent,
            cosines={hit.chunk_id: hit.cosine for hit in result.hits if hit.cosine is not None},
        ),
        sections_of([chunk for chunk, _ in ranked]),
        notices,
        (("vectors", True),),
        record_of_search(result, absent, boosted.factor),
        boosted,
    )


def sections_of(chunks: Sequence[StoredChunk]) -> tuple[SectionLink, ...]:
    """The sections of chunks, each once, at the rank of its best chunk."""
    links: dict[str, SectionLink] = {}
    for chunk in chunks:
        title = " › ".join(chunk.titles[-2:]) or chunk.source_path
        links.setdefault(chunk.url, SectionLink(title=title, url=chunk.url))
    return tuple(links.values())


async def _search_index(
    asked: SearchRequest, search: ChunkSearch, limit: int
) -> tuple[SearchResult, tuple[Notice, ...]]:
    words = in_searched_words(asked.question)
    by_words = partial(search.keyword_search, words, asked.filters, limit, asked.position.chapter)
    words_alone = (Notice("keyword_search"),)
    if asked.vector is None:
        return await _search_switching(by_words, asked), words_alone
    by_meaning = partial(
        search.search,
        words,
        asked.vector,
        asked.filters,
        limit,
        chapter=asked.position.chapter,
    )
    try:
        return await _search_switching(by_meaning, asked), ()
    except IndexMismatch as error:
        # The book was indexed again with another model than these settings name. Keyword search
        # still works until the settings follow.
        logger().error("index unusable", error=type(error).__name__, detail=str(error))
        return await _search_switching(by_words, asked), words_alone


async def _search_switching(search: Callable[..., Awaitable[T]], asked: SearchRequest) -> T:
    """Search an index whose name may just be moving to another collection."""
    for wait in SWITCH_WAITS:
        try:
            return await search(timeout_s=asked.deadline.left())
        except IndexMissing:
            await asyncio.sleep(asked.deadline.within(wait))
    return await search(timeout_s=asked.deadline.left())


async def _search_database(
    asked: SearchRequest, fallback: KeywordStore, parts: tuple[tuple[Part, bool], ...]
) -> Found:
    seconds = asked.share().deadline.left()
    try:
        rows = await fallback.search_chunks(
            asked.question, 4 * asked.most, asked.filters.to_json(), seconds=seconds
        )
    except (DatabaseUnavailable, DatabaseRejected) as error:
        raise NothingCanSearch(str(error), asked_index=bool(parts)) from error
    found = cut_to_range(rows, asked.within) if asked.within else rows
    chapter = asked.position.chapter
    found, boosted = boost_chunks(
        found, find_chapter(found, chapter) if chapter else None, asked.position.terms
    )
    ranked = rank_chunks(asked.question, found)[: asked.most]
    return Found(
        merged_context(ranked),
        sections_of([chunk for chunk, _ in ranked]),
        (Notice("vectors_down"), Notice("keyword_search")),
        parts,
        record_of_rows(rows, boosted.factor),
        boosted,
    )
