"""The last word on the order of chunks: how well their sentences fit the question's words.

The index compares by meaning and by words over whole chunks. Reading the first few again, sentence
by sentence, brings up the chunk that says it in one place; nothing is encoded for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from functions.answer.context import Context, context_of_chunks
from functions.answer.evidence import covered, read_question, score_words
from functions.answer.words import terms_of
from functions.book.chunks import StoredChunk

DEPTH = 10
"""Chunks that are read again; the order of the rest stays."""
BEST_SENTENCE = 0.3
COVERAGE = 0.6


def rank_chunks(
    question: str, found: Sequence[tuple[StoredChunk, float]]
) -> list[tuple[StoredChunk, float]]:
    """The chunks anew, best first, each with its share of the best one's score (0 to 1).

    `found` are chunks with their fused scores, best first. Pure; some milliseconds.
    """
    if not found:
        return []
    top = found[0][1] or 1.0
    head, tail = found[:DEPTH], found[DEPTH:]
    context = context_of_chunks(head)
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
    terms: dict[int, set[str]] = {}
    for sentence, score in zip(context.sentences, score_words(asked, context), strict=True):
        best[sentence.source] = max(score, best.get(sentence.source, 0.0))
        words = terms.setdefault(sentence.source, set())
        words.update(terms_of(sentence.text))
        for title in context.titles(sentence):
            words.update(terms_of(title))
    return {
        source.chunk.chunk_id: BEST_SENTENCE * best.get(at, 0.0)
        + COVERAGE * covered(asked, frozenset(terms.get(at, ())))
        for at, source in enumerate(context.sources)
        if source.chunk is not None
    }
