"""From a question to the context an answer may rest on, and the sections to show beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from functions.adapters.chunk_search import (
    ChunkSearch,
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
    """Search by meaning and words; by words alone without a vector; in Postgres without an index.

    Raises NothingCanSearch; IndexMissing and IndexMismatch as the index does: they are set-up
    errors that a fallback would hide.
    """
    limit = max(most, MOST_SECTIONS)
    try:
        if vector is None:
            result = await search.keyword_search(
                question, filters, limit, timeout_s=deadline.within(seconds)
            )
            notices: tuple[NoticeBody, ...] = (
                NoticeBody(code="keyword_search", text=KEYWORD_SEARCH),
            )
        else:
            result = await search.search(
                question, vector, filters, limit, timeout_s=deadline.within(seconds)
            )
            notices = ()
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
