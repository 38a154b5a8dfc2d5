"""Chunks: the parts of a document that are retrieved and cited. Types only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, Protocol

from functions.book.document import BlockKind, Heading, Policy, Span


@dataclass(frozen=True, slots=True)
class ChunkSentence:
    """A sentence as plain text. In code, a line; in a table, a row.

    `first_line` and `last_line` are lines of the source file, from 1. `quote` is the text as
    rendered on the page, where `text` differs from it (a table's row: its cells).
    """

    text: str
    first_line: int
    last_line: int
    quote: str = ""


@dataclass(frozen=True, slots=True)
class ChunkPart:
    """One block's part of a chunk: `chunk.text[start:end]`."""

    block: int
    kind: BlockKind
    start: int
    end: int
    paragraph: int
    label: str
    sentences: tuple[ChunkSentence, ...]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A document's chapter. `number` is None if it has none."""

    id: str
    number: int | None
    title: str


class ChunkContent(Protocol):
    """Splits a chunk into sentences and passages: the slow half of the work, done on demand."""

    def read_parts(self) -> tuple[ChunkPart, ...]: ...
    def pack_passages(self, parts: tuple[ChunkPart, ...]) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Chunk:
    """A part of one section, from block `first_block` to block `last_block`.

    `"".join(source[s.start:s.end] for s in spans) == text` always holds.
    """

    ordinal: int
    text: str
    spans: tuple[Span, ...]
    headings: tuple[Heading, ...]
    first_block: int
    last_block: int
    policy: Policy
    content: ChunkContent = field(repr=False, compare=False)

    @cached_property
    def hash(self) -> str:
        """The SHA-256 of heading path and text, in hex."""
        titles = "\n".join([heading.title for heading in self.headings])
        return sha256(f"{titles}\n\n{self.text}".encode()).hexdigest()

    @cached_property
    def parts(self) -> tuple[ChunkPart, ...]:
        """The blocks' parts of the chunk with their sentences; computed once."""
        return self.content.read_parts()

    @cached_property
    def passages(self) -> tuple[str, ...]:
        """The short texts, each after the heading, that are embedded for the chunk."""
        return self.content.pack_passages(self.parts)


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk with its location in the book, as index and database store it.

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
        """The chunk as plain JSON, for the index's payload and the database's column."""
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
