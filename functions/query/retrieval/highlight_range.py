"""A highlighted range of blocks: chunks are cut to it, and answers checked against it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from functions.adapters.qdrant.schema import SearchFilters
from functions.answer.answers import Answer
from functions.answer.cite import cite, marked_text
from functions.answer.context import Context, Sentence
from functions.answer.refusals import REFUSALS
from functions.book.chunks.chunk import StoredChunk
from functions.runtime.logs import logger

TOP_CHUNKS = 3
"""Chunks of a range that an answer may use."""


@dataclass(frozen=True, slots=True)
class BlockRange:
    """The blocks from `first` to `last`, both included, of the document at `source_path`.

    An empty version or locale asks nothing: the path alone names one document.
    """

    source_path: str
    first: int
    last: int
    version: str = ""
    locale: str = ""

    def filters(self) -> SearchFilters:
        """What a chunk must be to hold any block of the range."""
        return SearchFilters(
            version=self.version or None,
            locale=self.locale or None,
            source_path=self.source_path,
            blocks=(self.first, self.last),
        )

    def holds(self, source_path: str, block: int) -> bool:
        return source_path == self.source_path and self.first <= block <= self.last


def cut_to_range(
    chunks: Sequence[tuple[StoredChunk, float]], within: BlockRange
) -> list[tuple[StoredChunk, float]]:
    """The chunks cut to their blocks in the range; those without any are left out."""
    cut = ((cut_chunk(chunk, within), score) for chunk, score in chunks)
    return [(chunk, score) for chunk, score in cut if chunk is not None]


def cut_chunk(chunk: StoredChunk, within: BlockRange) -> StoredChunk | None:
    """The chunk's blocks inside the range as a chunk of their own; None when there are none.

    It keeps its id, its headings and its link. Text and hash are those of the blocks inside.
    """
    kept = [part for part in chunk.parts if within.holds(chunk.source_path, part.block)]
    if len(kept) == len(chunk.parts):
        return chunk
    if not kept:
        return None
    start = min(part.start for part in kept)
    text = chunk.text[start : max(part.end for part in kept)]
    above = "\n".join(chunk.titles)
    return replace(
        chunk,
        text=text,
        hash=hashlib.sha256(f"{above}\n\n{text}".encode()).hexdigest(),
        parts=tuple(replace(part, start=part.start - start, end=part.end - start) for part in kept),
    )


def keep_inside(answer: Answer, context: Context, within: BlockRange | None) -> Answer:
    """A last check, independent of `cut_to_range`: the answer without claims that cite a block
    outside the range, and with the number of such blocks.

    Blocks outside that the writer was given and did not cite count as well. A number above 0 is a
    defect, and logged.
    """
    if within is None:
        return answer
    blocks = {sentence.id: _block_of(sentence, context) for sentence in context.sentences}
    outside = {block for block in blocks.values() if not within.holds(*block)}
    if not outside:
        return answer
    logger().error("blocks outside the range", blocks_outside=len(outside))
    answer = replace(answer, blocks_outside=len(outside))
    kept = tuple(
        check
        for check in answer.shown
        if all(blocks[i] not in outside for i in check.claim.sentence_ids)
    )
    if answer.refusal is not None or len(kept) == len(answer.shown):
        return answer
    if not kept:
        return replace(
            answer,
            status="refused",
            refusal="not_grounded",
            text=REFUSALS["not_grounded"],
            claims=(),
            citations=(),
            shown=(),
        )
    claims, citations = cite(kept, context)
    return replace(
        answer,
        status="partial",
        text=marked_text(claims, citations),
        claims=claims,
        citations=citations,
        shown=kept,
    )


def _block_of(sentence: Sentence, context: Context) -> tuple[str, int]:
    chunk = context.sources[sentence.source].chunk
    return (chunk.source_path if chunk else "", sentence.block)
