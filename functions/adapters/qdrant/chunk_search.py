"""Searches the chunk index, over Qdrant's REST interface.

Not through `qdrant-client`: importing it adds half a second to a cold start, and a search needs
only one endpoint.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx2

from functions.adapters.qdrant.passage_vectors import passage_cosines
from functions.adapters.qdrant.schema import (
    CHAPTER_ID,
    CHUNK,
    CHUNK_ID,
    DOCUMENT_ID,
    GENERATION,
    PASSAGES,
    ChapterNames,
    IndexMismatch,
    IndexMissing,
    Json,
    SearchFilters,
    hybrid_search,
    text_search,
    word_searches,
)

__all__ = [
    "ChapterNames",
    "ChunkSearch",
    "Hit",
    "IndexMismatch",
    "IndexMissing",
    "SearchFilters",
    "SearchResult",
    "SearchUnavailable",
]

PREFETCH = 200
OK, NOT_FOUND, REFUSED_BODY, REFUSED_KEY = 200, 404, (400, 422), (401, 403)


class SearchUnavailable(Exception):
    """The vector index did not answer: use another search, or try again later."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A found chunk; `payload` is what was stored with it.

    `score` is for ordering only. `dense_score` (cosine of its best passage) and
    `bm25_score` are None if the chunk is not among the best `limit` of that search alone.
    `passages` has the cosine of each passage with the number, from 0, of its first sentence; it is
    empty without vectors to compare.
    """

    chunk_id: str
    score: float
    dense_score: float | None
    bm25_score: float | None
    payload: Mapping[str, Any]
    passages: tuple[tuple[int, float], ...] = ()

    @property
    def cosine(self) -> float | None:
        """The cosine of its best passage and the question; None where no vector was compared."""
        if self.dense_score is not None:
            return self.dense_score
        return max((cosine for _, cosine in self.passages), default=None)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first, and the best raw score of each search (None if it found nothing).

    `chapter_id` is the index's id of the requested chapter, None if there is none.
    """

    hits: tuple[Hit, ...]
    top_dense: float | None
    top_bm25: float | None
    chapter_id: str | None = None


class ChunkSearch:
    """Reads one collection. Every method raises `SearchUnavailable`, `IndexMissing` (no such
    collection) or `IndexMismatch` (built for another embedding model or by another version)."""

    def __init__(
        self,
        url: str,
        api_key: str | None,
        collection: str,
        timeout_s: float,
        client: httpx2.AsyncClient | None = None,
    ) -> None:
        self._endpoint = f"{url.rstrip('/')}/collections/{quote(collection, safe='')}/points/query"
        self._headers = {"api-key": api_key} if api_key else {}
        self._collection = collection
        self._timeout_s = timeout_s
        self._client = client or httpx2.AsyncClient()

    async def search(
        self,
        question: str,
        vector: Sequence[float],
        filters: SearchFilters,
        limit: int,
        prefetch: int = PREFETCH,
        chapter: ChapterNames | None = None,
        timeout_s: float | None = None,
    ) -> SearchResult:
        """The best chunks by vectors and keywords together, in one round trip.

        `prefetch` is how many of each search are fused. `timeout_s` bounds the whole call.
        """
        body = hybrid_search(question, vector, filters, limit, max(prefetch, limit), chapter)
        fused, dense, text, *named = await self._query(body, timeout_s)
        hits = _hits(fused, _scores(dense), _scores(text), vector)
        return SearchResult(hits, _top(dense), _top(text), _chapter_id(named))

    async def keyword_search(
        self,
        question: str,
        filters: SearchFilters,
        limit: int,
        chapter: ChapterNames | None = None,
        timeout_s: float | None = None,
    ) -> SearchResult:
        """The best chunks by keywords alone, for when there is no embedding of the question."""
        body = text_search(question, filters, limit, chapter)
        text, *named = await self._query(body, timeout_s)
        return SearchResult(_hits(text, {}, _scores(text)), None, _top(text), _chapter_id(named))

    async def absent_words(
        self, words: Sequence[str], filters: SearchFilters, timeout_s: float | None = None
    ) -> frozenset[str]:
        """Those of the words that no chunk has, in any inflection."""
        if not words:
            return frozenset()
        found = await self._query(word_searches(words, filters), timeout_s)
        return frozenset(word for word, hits in zip(words, found, strict=True) if not hits)

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _query(self, body: Json, timeout_s: float | None) -> list[list[Json]]:
        allowed = self._timeout_s if timeout_s is None else timeout_s
        try:
            # The client's own time-out is per read; a slow response could exceed it unnoticed.
            async with asyncio.timeout(allowed):
                response = await self._client.post(
                    f"{self._endpoint}/batch", json=body, headers=self._headers, timeout=allowed
                )
        except (TimeoutError, httpx2.TimeoutException) as error:
            raise SearchUnavailable(
                f"the vector index did not answer within {allowed:g} s; try again later"
            ) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise SearchUnavailable(
                f"the vector index cannot be reached ({type(error).__name__}); "
                "check its address and that it runs"
            ) from error
        self._check_status(response)
        return _result_lists(response, len(body["searches"]))

    def _check_status(self, response: httpx2.Response) -> None:
        status = response.status_code
        if status == OK:
            return
        if status == NOT_FOUND:
            raise IndexMissing(
                f"there is no collection {self._collection!r}; index the book first, "
                "or correct the collection's name"
            )
        said = _error_text(response)
        if status in REFUSED_BODY:
            raise IndexMismatch(
                f"the collection {self._collection!r} was built for another embedding model or by "
                f"another version; index the book again with `quoth rebuild` ({said})"
            )
        if status in REFUSED_KEY:
            raise SearchUnavailable("the vector index refuses the API key; check the key")
        raise SearchUnavailable(f"the vector index answers {status}; try again later ({said})")


def _result_lists(response: httpx2.Response, expected: int) -> list[list[Json]]:
    try:
        lists = [each["points"] for each in response.json()["result"]]
    except (ValueError, KeyError, TypeError) as error:
        raise SearchUnavailable(
            "what answers at the vector index's address is not Qdrant; check the address"
        ) from error
    if len(lists) != expected:
        raise SearchUnavailable(f"the vector index answered {len(lists)} of {expected} searches")
    return lists


def _error_text(response: httpx2.Response) -> str:
    try:
        return str(response.json()["status"]["error"])[:300]
    except (ValueError, KeyError, TypeError):
        return f"HTTP {response.status_code}"


def _scores(points: list[Json]) -> dict[str, float]:
    return {point["id"]: point["score"] for point in points}


def _top(points: list[Json]) -> float | None:
    return points[0]["score"] if points else None


def _hits(
    points: list[Json],
    dense: Mapping[str, float],
    text: Mapping[str, float],
    vector: Sequence[float] = (),
) -> tuple[Hit, ...]:
    """Hits in the given order. Of a document that is being replaced, only the newest generation
    counts: an answer must not mix two versions."""
    newest: dict[str, int] = {}
    for point in points:
        document, generation = _generation(point)
        newest[document] = max(generation, newest.get(document, generation))
    return tuple(
        Hit(
            chunk_id=point["payload"][CHUNK_ID],
            score=point["score"],
            dense_score=dense.get(point["id"]),
            bm25_score=text.get(point["id"]),
            payload=point["payload"][CHUNK],
            passages=passage_cosines(point["payload"].get(PASSAGES), vector) if vector else (),
        )
        for point in points
        if point["payload"][GENERATION] == newest[point["payload"][DOCUMENT_ID]]
    )


def _chapter_id(named: list[list[Json]]) -> str | None:
    return next((point["payload"][CHAPTER_ID] for points in named for point in points), None)


def _generation(point: Json) -> tuple[str, int]:
    return point["payload"][DOCUMENT_ID], point["payload"][GENERATION]
