"""The last word on the order of chunks: how well their sentences fit the question.

The index compares by meaning and by words over whole chunks, and the fusion keeps little more than
who was far ahead in one of them. Reading the first few again, sentence by sentence, brings up the
chunk that says it in one place, and its nearness counts as it is; nothing is encoded for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from functions.answer.context import Context, context_of_chunks
from functions.answer.relevance import coverages, read_question, score_words
from functions.book.chunks.chunk import StoredChunk
from functions.query.retrieval.passage_similarity import Nearness

DEPTH = 10
"""Chunks that are read again; the order of the rest stays."""
BEST_SENTENCE = 0.6
COVERAGE = 0.6
NEARNESS = 0.5
"""What a chunk's best cosine counts, from the least near of those read again."""


def rank_chunks(
    question: str, found: Sequence[tuple[StoredChunk, float]], near: Nearness | None = None
) -> list[tuple[StoredChunk, float]]:
    """The chunks anew, best first, each with its share of the best one's score (0 to 1).

    `found` are chunks with their fused scores, best first; `near` is how near their sentences
    stand, where that is known. Pure; some milliseconds.
    """
    if not found:
        return []
    top = found[0][1] or 1.0
    head, tail = found[:DEPTH], found[DEPTH:]
    context = context_of_chunks(head, near=near)
    fits = _fits(question, context)
    scored = [
        (chunk, max(0.0, score / top) + fits.get(chunk.chunk_id, 0.0)) for chunk, score in head
    ]
    scored.sort(key=lambda pair: -pair[1])  # stable: ties keep the index's order
    best = scored[0][1] or 1.0
    least = scored[-1][1]
    rest = [(chunk, min(least, max(0.0, score / top))) for chunk, score in tail]
    return [(chunk, score / best) for chunk, score in (*scored, *rest)]


def _fits(question: str, context: Context) -> dict[str, float]:
    """What is added to a chunk's score, by chunk id."""
    asked = read_question(question)
    best: dict[int, float] = {}
    nearest = _nearest(context)
    for sentence, score in zip(context.sentences, score_words(asked, context), strict=True):
        best[sentence.source] = max(score, best.get(sentence.source, 0.0))
    coverage = coverages(asked, context.words_by_source, context.vocabulary)
    return {
        source.chunk.chunk_id: BEST_SENTENCE * best.get(at, 0.0)
        + COVERAGE * coverage[at]
        + NEARNESS * nearest.get(at, 0.0)
        for at, source in enumerate(context.sources)
        if source.chunk is not None
    }


def _nearest(context: Context) -> dict[int, float]:
    """The best cosine of each source above that of the least near one; nothing if unknown."""
    if not context.nearness:
        return {}
    best: dict[int, float] = {}
    for sentence, cosine in zip(context.sentences, context.nearness, strict=True):
        best[sentence.source] = max(cosine, best.get(sentence.source, -1.0))
    least = min(best.values())
    return {at: cosine - least for at, cosine in best.items()}
