"""What the reader and the writer of the chunk index share: its schema and its search bodies.

One point per chunk. A point holds the multivector `dense` (one vector per short passage of the
chunk, compared by MaxSim), the payload fields below, and under `chunk` what the caller wants back
with a hit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid5

DENSE = "dense"
SEARCH_TEXT = "search_text"
ACTIVE = "active"
CHUNK_ID = "chunk_id"
DOCUMENT_ID = "document_id"
SOURCE_PATH = "source_path"
VERSION = "version"
LOCALE = "locale"
CHAPTER_ID = "chapter_id"
GENERATION = "generation"
POLICY = "policy"
FIRST_BLOCK = "first_block"
LAST_BLOCK = "last_block"
CHUNK = "chunk"

POINT_NAMESPACE = UUID("8f4f1c5e-6a0b-4c39-9b5f-0e2f3b6f7d21")

RETURNED = [CHUNK_ID, DOCUMENT_ID, GENERATION, CHUNK]
"""Payload fields a hit brings along."""

Json = dict[str, Any]


class IndexMissing(Exception):
    """There is no such collection: index the book first, or correct the collection's name."""


class IndexMismatch(Exception):
    """The collection was built otherwise (vector size, payload indexes): index the book again."""


@dataclass(frozen=True, slots=True)
class ChunkPoint:
    """A chunk as it is indexed.

    `vectors` has one row per passage. `search_text` is the chunk's text with its heading titles in
    front. `chunk` is opaque here but for `ordinal`, the chunk's place in its document, by which
    two generations of one chunk are told to be the same. Blocks are numbered within the document,
    first and last included.
    """

    chunk_id: str
    document_id: str
    source_path: str
    version: str
    locale: str
    chapter_id: str
    generation: int
    policy: str
    first_block: int
    last_block: int
    search_text: str
    vectors: Sequence[Sequence[float]]
    chunk: Mapping[str, Any]

    @property
    def point_id(self) -> str:
        """A UUID that differs between generations, so that two of them can stand side by side."""
        name = "\n".join([self.document_id, str(self.generation), self.chunk_id])
        return str(uuid5(POINT_NAMESPACE, name))

    def payload(self, active: bool) -> Json:
        return {
            CHUNK_ID: self.chunk_id,
            DOCUMENT_ID: self.document_id,
            SOURCE_PATH: self.source_path,
            VERSION: self.version,
            LOCALE: self.locale,
            CHAPTER_ID: self.chapter_id,
            GENERATION: self.generation,
            ACTIVE: active,
            POLICY: self.policy,
            FIRST_BLOCK: self.first_block,
            LAST_BLOCK: self.last_block,
            SEARCH_TEXT: self.search_text,
            CHUNK: dict(self.chunk),
        }


def vectors_config(size: int) -> Json:
    return {
        DENSE: {
            "size": size,
            "distance": "Cosine",
            "multivector_config": {"comparator": "max_sim"},
        }
    }


def payload_indexes() -> dict[str, Json]:
    """Field to index: each field that a filter names, and the text that BM25 reads."""
    keyword, integer = {"type": "keyword"}, {"type": "integer"}
    return {
        CHUNK_ID: keyword,
        DOCUMENT_ID: keyword,
        SOURCE_PATH: keyword,
        VERSION: keyword,
        LOCALE: keyword,
        CHAPTER_ID: keyword,
        POLICY: keyword,
        GENERATION: integer,
        FIRST_BLOCK: integer,
        LAST_BLOCK: integer,
        ACTIVE: {"type": "bool"},
        SEARCH_TEXT: {
            "type": "text",
            "tokenizer": "word",
            "lowercase": True,
            "ascii_folding": True,
            "stopwords": "english",
            "stemmer": {"type": "snowball", "language": "english"},
            "scoring": True,
        },
    }


def matches(field: str, value: str | int | bool) -> Json:
    return {"key": field, "match": {"value": value}}


def matches_any(field: str, values: Sequence[str]) -> Json:
    return {"key": field, "match": {"any": list(values)}}


def in_range(field: str, **bounds: int) -> Json:
    """`bounds`: gte, gt, lte, lt."""
    return {"key": field, "range": bounds}


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """What a hit must be; None or empty asks nothing.

    `blocks` is the first and the last block of a range within `document_id`: a chunk counts only
    when all of its blocks lie inside.
    """

    version: str | None = None
    locale: str | None = None
    document_id: str | None = None
    policies: tuple[str, ...] = ()
    blocks: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if self.blocks is not None and self.document_id is None:
            raise ValueError("a block range needs the document it counts in")


@dataclass(frozen=True, slots=True)
class ChapterBoost:
    """Multiplies the fused score of the chunks of one chapter; it never adds or removes a hit."""

    chapter_id: str
    factor: float


def hybrid_search(
    question: str,
    vector: Sequence[float],
    filters: SearchFilters,
    limit: int,
    prefetch: int,
    boost: ChapterBoost | None,
) -> Json:
    """Three searches for one round trip: fused (with payload), dense alone, BM25 alone (scores)."""
    condition = filter_body(filters)
    dense = _dense(vector, condition)
    text = _text(question, condition)
    fused: Json = {
        "prefetch": [dense | {"limit": prefetch}, text | {"limit": prefetch}],
        "query": {"fusion": "dbsf"},
    }
    if boost is not None:
        # Both lists are kept whole until the boost has spoken, else it could only reorder the top.
        inner = fused | {"limit": 2 * prefetch}
        fused = {"prefetch": [inner], "query": {"formula": _boosted(boost)}}
    return {
        "searches": [
            fused | {"limit": limit, "with_payload": RETURNED},
            dense | {"limit": limit, "with_payload": False},
            text | {"limit": limit, "with_payload": False},
        ]
    }


def text_search(question: str, filters: SearchFilters, limit: int) -> Json:
    """BM25 alone, with payload."""
    text = _text(question, filter_body(filters))
    return {"searches": [text | {"limit": limit, "with_payload": RETURNED}]}


def filter_body(filters: SearchFilters) -> Json:
    must = [matches(ACTIVE, True)]
    wanted = {
        VERSION: filters.version,
        LOCALE: filters.locale,
        DOCUMENT_ID: filters.document_id,
    }
    must += [matches(field, value) for field, value in wanted.items() if value is not None]
    if filters.policies:
        must.append(matches_any(POLICY, filters.policies))
    if filters.blocks is not None:
        first, last = filters.blocks
        must += [in_range(FIRST_BLOCK, gte=first), in_range(LAST_BLOCK, lte=last)]
    return {"must": must}


def _dense(vector: Sequence[float], condition: Json) -> Json:
    return {"query": [list(vector)], "using": DENSE, "filter": condition}


def _text(question: str, condition: Json) -> Json:
    return {"query": {"text": question}, "using": SEARCH_TEXT, "filter": condition}


def _boosted(boost: ChapterBoost) -> Json:
    in_chapter = {"mult": [boost.factor - 1.0, matches(CHAPTER_ID, boost.chapter_id)]}
    return {"mult": ["$score", {"sum": [1.0, in_chapter]}]}
