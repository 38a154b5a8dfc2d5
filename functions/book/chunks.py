"""Chunks: the stretches of a document that are found, read and cited. Types only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from functions.book.documents import BlockKind, Heading, Policy, Span


@dataclass(frozen=True, slots=True)
class ChunkSentence:
    """A sentence as a reader sees it: plain text, no Markdown. In code, a line; in a table, a row.

    `first_line` and `last_line` are lines of the source file, from 1. `quote` is the text as the
    page shows it where `text` is not (a table's row: its cells with a blank between).
    """

    text: str
    first_line: int
    last_line: int
    quote: str = ""


@dataclass(frozen=True, slots=True)
class ChunkPart:
    """One block's stretch of a chunk: `chunk.text[start:end]`."""

    block: int
    kind: BlockKind
    start: int
    end: int
    paragraph: int
    label: str
    sentences: tuple[ChunkSentence, ...]


@dataclass(frozen=True, slots=True)
class Chapter:
    """The chapter a document stands in. `number` is None when the book numbers none."""

    id: str
    number: int | None
    title: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of one section.

    `"".join(source[s.start:s.end] for s in spans) == text` always holds. `passages` are the short
    texts (heading in front, at most 90 words) whose vectors stand for the chunk. `hash` is the
    SHA-256 of heading path and text, in hex.
    """

    ordinal: int
    text: str
    spans: tuple[Span, ...]
    headings: tuple[Heading, ...]
    parts: tuple[ChunkPart, ...]
    passages: tuple[str, ...]
    hash: str
    policy: Policy = ""

    @property
    def first_block(self) -> int:
        return self.parts[0].block

    @property
    def last_block(self) -> int:
        return self.parts[-1].block


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk with its place in the book, as the index and the database keep it.

    `place` is the citation label without the paragraph ("Chapter 1, Section 1.1"); `url` the
    link to its section in the built site; `updated_at` an ISO 8601 time.
    """

    chunk_id: str
    document_id: str
    source_path: str
    version: str
    locale: str
    generation: int
    ordinal: int
    text: str
    hash: str
    titles: tuple[str, ...]
    chapter: Chapter
    section: str
    subsection: str
    place: str
    url: str
    policy: Policy
    updated_at: str
    parts: tuple[ChunkPart, ...]

    def to_payload(self) -> dict[str, Any]:
        """As plain JSON, for the index's payload and the database's column."""
        return asdict(self)

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> StoredChunk:
        """The inverse of `to_payload`. KeyError or TypeError on a payload of another shape."""
        parts = tuple(
            ChunkPart(**{**part, "sentences": tuple(ChunkSentence(**s) for s in part["sentences"])})
            for part in payload["parts"]
        )
        return cls(
            **{
                **payload,
                "titles": tuple(payload["titles"]),
                "chapter": Chapter(**payload["chapter"]),
                "parts": parts,
            }
        )
