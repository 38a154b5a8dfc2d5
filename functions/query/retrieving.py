"""From a question to the context an answer may rest on, and the sections to show beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from functions.adapters.chunk_search import (
    ChunkSearch,
    IndexMismatch,
    IndexMissing,
    SearchFilters,
    SearchResult,
    SearchUnavailable,
)
from functions.adapters.database import DatabaseRejected, DatabaseUnavailable
from functions.answer.context import Context, context_of_chunks
from functions.answer.deadline import Deadline
from functions.answer.refusals import KEYWORD_SEARCH, VECTORS_DOWN
from functions.book.chunks import StoredChunk
from functions.logs import logger
from functions.query.ranking import rank_chunks
from functions.web.responses import NoticeBody, SectionLink

MOST_SECTIONS = 10
SWITCH_WAITS = (0.1, 0.3, 0.6, 1.0)
"""Seconds between looks for an index that is not there: its name may be changing hands."""


class KeywordStore(Protocol):
    """Keyword search beside the index, for when the index is away."""

    async def search_chunks(
        self, question: str, most: int, *, seconds: float
    ) -> list[tuple[StoredChunk, float]]: ...


class NothingCanSearch(Exception):
    """Neither the index nor the database can search."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search brought: the context, the ranked sections, and what the reader must know."""

    context: Context
    sections: tuple[SectionLink, ...]
    notices: tuple[NoticeBody, ...] = ()
    parts: tuple[tuple[str, bool], ...] = ()


async def retrieve_chunks(
    question: str,
    vector: Sequence[float] | None,
    search: ChunkSearch,
    fallback: KeywordStore,
    filters: SearchFilters,
    most: int,
    deadline: Deadline,
    seconds: float,
) -> Found:
    """Search by meaning and words; by words alone without a vector that fits; in Postgres without
    an index.

    Raises NothingCanSearch; IndexMissing and IndexMismatch as the index does: they are set-up
    errors that a fallback would hide.
    """
    limit = max(most, MOST_SECTIONS)

    try:
        result, notices = await _search_index(
            question, vector, search, filters, limit, deadline, seconds
        )
    except SearchUnavailable as error:
        logger().error("vector search unavailable", detail=str(error))
        return await _search_database(question, fallback, filters, most, deadline, seconds)
    chunks = ranked_hits(question, result)
    return Found(
        context_of_chunks(chunks[:most], result.top_dense),
        sections_of([chunk for chunk, _ in chunks]),
        notices,
        (("vectors", True),),
    )


def sections_of(chunks: Sequence[StoredChunk]) -> tuple[SectionLink, ...]:
    """The sections of chunks, each once, in their order."""
    links = {
        chunk.url: SectionLink(
            title=" › ".join(chunk.titles[-2:]) or chunk.source_path, url=chunk.url
        )
        for chunk in reversed(chunks)
    }
    return tuple(dict(reversed(links.items())).values())


def ranked_hits(question: str, result: SearchResult) -> list[tuple[StoredChunk, float]]:
    """The chunks of a search in their final order, with their relevance (0 to 1)."""
    return rank_chunks(
        question, [(StoredChunk.from_payload(hit.payload), hit.score) for hit in result.hits]
    )


async def _search_index(
    question: str,
    vector: Sequence[float] | None,
    search: ChunkSearch,
    filters: SearchFilters,
    limit: int,
    deadline: Deadline,
    seconds: float,
) -> tuple[SearchResult, tuple[NoticeBody, ...]]:
    async def by_words() -> SearchResult:
        return await search.keyword_search(
            question, filters, limit, timeout_s=deadline.within(seconds)
        )

    words_alone = (NoticeBody(code="keyword_search", text=KEYWORD_SEARCH),)
    if vector is None:
        return await _search_switching(by_words, deadline), words_alone
    try:
        found = await _search_switching(
            lambda: search.search(
                question, vector, filters, limit, timeout_s=deadline.within(seconds)
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
) -> Found:
    try:
        rows = await fallback.search_chunks(question, 4 * most, seconds=deadline.within(seconds))
    except (DatabaseUnavailable, DatabaseRejected) as error:
        raise NothingCanSearch(str(error)) from error
    rows = [(chunk, rank) for chunk, rank in rows if _passes(chunk, filters)][:most]
    return Found(
        context_of_chunks(rank_chunks(question, rows)),
        sections_of([chunk for chunk, _ in rows]),
        (
            NoticeBody(code="vectors_down", text=VECTORS_DOWN),
            NoticeBody(code="keyword_search", text=KEYWORD_SEARCH),
        ),
        (("vectors", False),),
    )


def _passes(chunk: StoredChunk, filters: SearchFilters) -> bool:
    return (
        filters.version in (None, chunk.version)
        and filters.locale in (None, chunk.locale)
        and filters.document_id in (None, chunk.document_id)
    )
