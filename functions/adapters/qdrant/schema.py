"""The schema and the search bodies of the chunk index, for its reader and its writer.

One point per chunk. A point has the multivector `dense` (one vector per passage, compared by
MaxSim), the payload fields below, and under `chunk` the chunk itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid5

from functions.adapters.qdrant.passage_vectors import pack_vectors

DENSE = "dense"
SEARCH_TEXT = "search_text"
ACTIVE = "active"
CHUNK_ID = "chunk_id"
DOCUMENT_ID = "document_id"
SOURCE_PATH = "source_path"
VERSION = "version"
LOCALE = "locale"
CHAPTER_ID = "chapter_id"
CHAPTER_NUMBER = "chunk.chapter.number"
GENERATION = "generation"
POLICY = "policy"
FIRST_BLOCK = "first_block"
LAST_BLOCK = "last_block"
CHUNK = "chunk"
PASSAGES = "passages"

EXCLUDED = "exclude"
"""The policy of what must not be found. Ingest leaves it out, and searches filter it too."""

POINT_NAMESPACE = UUID("8f4f1c5e-6a0b-4c39-9b5f-0e2f3b6f7d21")

RETURNED = [CHUNK_ID, DOCUMENT_ID, GENERATION, CHUNK, PASSAGES]
"""Payload fields of a hit."""

Json = dict[str, Any]


class IndexMissing(Exception):
    """There is no such collection: index the book first, or correct the collection's name."""


class IndexMismatch(Exception):
    """The collection has another schema (vector size, payload indexes): index the book again."""


@dataclass(frozen=True, slots=True)
class ChunkPoint:
    """A chunk as it is indexed.

    `vectors` has one row per passage. `search_text` is the chunk's text after its heading titles.
    `chunk` is opaque here, except for its chapter's number. Blocks are numbered within the
    document, first and last included. `starts` has the number of each passage's first sentence,
    from 0; without it a hit has no cosines of passages.
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
    starts: Sequence[int] = ()

    @property
    def point_id(self) -> str:
        """A UUID that differs between generations, so that two of them can coexist."""
        name = "\n".join([self.document_id, str(self.generation), self.chunk_id])
        return str(uuid5(POINT_NAMESPACE, name))

    def payload(self, active: bool) -> Json:
        """The payload. Searches find only active points."""
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
            PASSAGES: {"starts": list(self.starts), "vectors": pack_vectors(self.vectors)}
            if self.starts
            else None,
        }


def vectors_config(size: int) -> Json:
    """One multivector per point: `size` dimensions per passage, compared by MaxSim."""
    return {
        DENSE: {
            "size": size,
            "distance": "Cosine",
            "multivector_config": {"comparator": "max_sim"},
        }
    }


def payload_indexes() -> dict[str, Json]:
    """The indexed fields: those of filters, and the text for BM25."""
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
        CHAPTER_NUMBER: integer,
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
    """Conditions on hits; None means any. Excluded text is never a hit.

    `blocks` is the first and last block of a range within the document at `source_path`: a chunk
    matches if any of its blocks is inside, so the caller must cut off the rest.
    """

    version: str | None = None
    locale: str | None = None
    source_path: str | None = None
    blocks: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if self.blocks is not None and self.source_path is None:
            raise ValueError("a block range needs the document it counts in")

    def to_json(self) -> Json:
        """The conditions that are set, for a search outside the index."""
        first, last = self.blocks or (None, None)
        conditions = {
            VERSION: self.version,
            LOCALE: self.locale,
            SOURCE_PATH: self.source_path,
            FIRST_BLOCK: first,
            LAST_BLOCK: last,
        }
        return {field: value for field, value in conditions.items() if value is not None}


@dataclass(frozen=True, slots=True)
class ChapterNames:
    """A page's chapter: the ids the index may have for it, and its number."""

    ids: tuple[str, ...]
    number: int | None = None


def hybrid_search(
    question: str,
    vector: Sequence[float],
    filters: SearchFilters,
    limit: int,
    prefetch: int,
    chapter: ChapterNames | None = None,
) -> Json:
    """The searches of one round trip: fused (with payload), dense alone, BM25 alone (scores), and
    if a chapter is given, one of its chunks, to show that the book has it."""
    condition = filter_body(filters)
    dense = _dense(vector, condition)
    text = _text(question, condition)
    fused: Json = {
        "prefetch": [dense | {"limit": prefetch}, text | {"limit": prefetch}],
        "query": {"fusion": "dbsf"},
    }
    return {
        "searches": [
            fused | {"limit": limit, "with_payload": RETURNED},
            dense | {"limit": limit, "with_payload": False},
            text | {"limit": limit, "with_payload": False},
            *_of_chapter(filters, chapter),
        ]
    }


def text_search(
    question: str, filters: SearchFilters, limit: int, chapter: ChapterNames | None = None
) -> Json:
    """BM25 alone, with payload; and a chunk of the chapter, if one is given."""
    text = _text(question, filter_body(filters))
    found = text | {"limit": limit, "with_payload": RETURNED}
    return {"searches": [found, *_of_chapter(filters, chapter)]}


def word_searches(words: Sequence[str], filters: SearchFilters) -> Json:
    """One search a word for any chunk that has it."""
    condition = filter_body(filters)
    return {
        "searches": [_text(word, condition) | {"limit": 1, "with_payload": False} for word in words]
    }


def filter_body(filters: SearchFilters) -> Json:
    """The filter of every search: active, not excluded, and the given conditions."""
    must = [matches(ACTIVE, True)]
    wanted = {
        VERSION: filters.version,
        LOCALE: filters.locale,
        SOURCE_PATH: filters.source_path,
    }
    must += [matches(field, value) for field, value in wanted.items() if value is not None]
    if filters.blocks is not None:
        first, last = filters.blocks
        must += [in_range(FIRST_BLOCK, lte=last), in_range(LAST_BLOCK, gte=first)]
    return {"must": must, "must_not": [matches(POLICY, EXCLUDED)]}


def _dense(vector: Sequence[float], condition: Json) -> Json:
    return {"query": [list(vector)], "using": DENSE, "filter": condition}


def _text(question: str, condition: Json) -> Json:
    return {"query": {"text": question}, "using": SEARCH_TEXT, "filter": condition}


def _of_chapter(filters: SearchFilters, chapter: ChapterNames | None) -> list[Json]:
    if chapter is None:
        return []
    named = [matches_any(CHAPTER_ID, chapter.ids)] if chapter.ids else []
    if chapter.number is not None:
        named.append(matches(CHAPTER_NUMBER, chapter.number))
    condition = filter_body(filters) | {"should": named}
    return [{"filter": condition, "limit": 1, "with_payload": [CHAPTER_ID]}]
