"""Merges adjacent chunks of one section into one source. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from functions.answer.context import Context, SentenceKey, context_of_chunks
from functions.book.chunks.chunk import ChunkPart, StoredChunk

RankedChunks = Sequence[tuple[StoredChunk, float]]
PassageSimilarities = Mapping[SentenceKey, float]
PARTED = "\n\n"


def merged_context(
    found: RankedChunks, dense: float | None = None, passages: PassageSimilarities | None = None
) -> Context:
    """The context of chunks, best first, with adjacent ones merged into one source.

    A merged source has the rank and the relevance of its best chunk, and keeps its members.
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


def _groups(found: RankedChunks) -> list[list[tuple[StoredChunk, float]]]:
    """Runs of adjacent chunks, each in the book's order; the run of the best chunk first."""
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
    return any(
        abs(other.ordinal - chunk.ordinal) == 1 and _section_key(other) == _section_key(chunk)
        for other, _ in group
    )


def _section_key(chunk: StoredChunk) -> tuple[object, ...]:
    return (chunk.document_id, chunk.generation, chunk.titles, chunk.url)


def _join(chunks: list[StoredChunk]) -> StoredChunk:
    """Adjacent chunks as one, with the id of the first. Sentences of both are in it once."""
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
