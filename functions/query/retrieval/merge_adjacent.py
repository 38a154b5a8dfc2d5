"""Chunks that follow each other in one section are read as the one stretch they are. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from functions.answer.context import Context, context_of_chunks
from functions.book.chunks.chunk import ChunkPart, StoredChunk
from functions.query.retrieval.passage_similarity import PassageSimilarities

Found = Sequence[tuple[StoredChunk, float]]
PARTED = "\n\n"


def context_of_neighbours(
    found: Found, dense: float | None = None, passages: PassageSimilarities | None = None
) -> Context:
    """The context of chunks, best first, with neighbours joined to one source.

    A joined source stands where its best chunk stood and has its relevance; it knows its members.
    """
    groups = _groups(found)
    joined = [(_join([chunk for chunk, _ in group]), group) for group in groups]
    context = context_of_chunks(
        [(chunk, max(score for _, score in group)) for chunk, group in joined], dense, passages
    )
    members = {chunk.chunk_id: tuple(group) for chunk, group in joined if len(group) > 1}
    if not members:
        return context
    return replace(
        context,
        sources=tuple(
            replace(source, members=members.get(source.chunk.chunk_id, ()))
            if source.chunk
            else source
            for source in context.sources
        ),
    )


def _groups(found: Found) -> list[list[tuple[StoredChunk, float]]]:
    """The chunks in runs of neighbours, each in the book's order; the runs by their best chunk."""
    groups: list[list[tuple[StoredChunk, float]]] = []
    for each in found:
        touching = [group for group in groups if _touches(group, each[0])]
        kept = [group for group in groups if group not in touching]
        merged = sorted([each, *(row for group in touching for row in group)],
                        key=lambda row: row[0].ordinal)  # fmt: skip
        at = groups.index(touching[0]) if touching else len(groups)
        kept.insert(at, merged)
        groups = kept
    return groups


def _touches(group: list[tuple[StoredChunk, float]], chunk: StoredChunk) -> bool:
    return any(_place(other) == _place(chunk) and abs(other.ordinal - chunk.ordinal) == 1
               for other, _ in group)  # fmt: skip


def _place(chunk: StoredChunk) -> tuple[object, ...]:
    return (chunk.document_id, chunk.generation, chunk.titles, chunk.url)


def _join(chunks: list[StoredChunk]) -> StoredChunk:
    """Neighbours as one chunk, under the name of the first. What both have, it has once."""
    first = chunks[0]
    if len(chunks) == 1:
        return first
    texts: list[str] = []
    parts: list[ChunkPart] = []
    seen: set[tuple[int, int, str]] = set()
    base = 0
    for chunk in chunks:
        for part in chunk.parts:
            fresh = tuple(
                sentence
                for sentence in part.sentences
                if (part.block, sentence.first_line, sentence.text) not in seen
            )
            parts.append(
                replace(part, start=base + part.start, end=base + part.end, sentences=fresh)
            )
        seen.update(
            (part.block, sentence.first_line, sentence.text)
            for part in chunk.parts
            for sentence in part.sentences
        )
        texts.append(chunk.text)
        base += len(chunk.text) + len(PARTED)
    quotes_only = any(chunk.policy == "quote-only" for chunk in chunks)
    return replace(
        first,
        text=PARTED.join(texts),
        parts=tuple(parts),
        policy="quote-only" if quotes_only else first.policy,
    )
