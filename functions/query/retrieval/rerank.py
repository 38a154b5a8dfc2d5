"""Reranks chunks by how well their sentences fit the question.

The index compares by meaning and by words over whole chunks, and the fusion keeps little of either
score. Scoring the first few again, sentence by sentence, raises the chunk that answers in one
place. Nothing is embedded for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from functions.adapters.qdrant.chunk_search import Hit, SearchResult
from functions.answer.context import Context, SentenceKey, context_of_chunks, sentence_key
from functions.answer.question import names_aspect, read_question
from functions.answer.relevance import coverages, score_words
from functions.book.chunks.chunk import StoredChunk
from functions.book.chunks.passages import sentences_in_passages
from functions.query.retrieval.merge_adjacent import PassageSimilarities, merged_context

DEPTH = 10
"""Chunks that are scored again; the others keep their order."""
BEST_SENTENCE = 0.6
COVERAGE = 0.6
ASPECT = 0.3
"""What a heading adds that names the side of a subject that is asked ("Costs and Limits")."""
PASSAGE = 0.5
"""Weight of a chunk's best passage similarity, above the lowest of the chunks read again."""


def ranked_hits(question: str, result: SearchResult) -> list[tuple[StoredChunk, float]]:
    """The chunks of a search in their final order, with their relevance (0 to 1)."""
    found = stored_hits(result)
    return rank_chunks(question, found, passage_similarities(found, result.hits))


def context_of_result(
    question: str, result: SearchResult, most: int, absent: frozenset[str] = frozenset()
) -> Context:
    """The context of a question: the best chunks of a search of the whole book, and the rare words
    of the question that the book lacks."""
    found = stored_hits(result)
    passages = passage_similarities(found, result.hits)
    ranked = rank_chunks(question, found, passages)
    return replace(merged_context(ranked[:most], result.top_dense, passages), absent=absent)


def stored_hits(result: SearchResult) -> list[tuple[StoredChunk, float]]:
    """The chunks of a search in its order, with its scores."""
    return [(StoredChunk.from_payload(hit.payload), hit.score) for hit in result.hits]


def rank_chunks(
    question: str,
    found: Sequence[tuple[StoredChunk, float]],
    passages: PassageSimilarities | None = None,
) -> list[tuple[StoredChunk, float]]:
    """The chunks reranked, best first, each with its share of the best one's score (0 to 1).

    `found` are chunks with their fused scores, best first; `passages` the passage similarities of
    their sentences, where known. Pure; some milliseconds.
    """
    if not found:
        return []
    top = found[0][1] or 1.0
    head, tail = found[:DEPTH], found[DEPTH:]
    context = context_of_chunks(head, passages=passages)
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
    passages = _best_passages(context)
    for sentence, score in zip(context.sentences, score_words(asked, context), strict=True):
        best[sentence.source] = max(score, best.get(sentence.source, 0.0))
    coverage = coverages(asked, context.words_by_source, context.vocabulary)
    return {
        source.chunk.chunk_id: BEST_SENTENCE * best.get(at, 0.0)
        + COVERAGE * coverage[at]
        + PASSAGE * passages.get(at, 0.0)
        + ASPECT * names_aspect(asked, source.chunk.titles[-1] if source.chunk.titles else "")
        for at, source in enumerate(context.sources)
        if source.chunk is not None
    }


def _best_passages(context: Context) -> dict[int, float]:
    """Each source's best passage similarity, above the lowest of them; empty if unknown."""
    best: dict[int, float] = {}
    for sentence in context.sentences:
        if sentence.passage_similarity is not None:
            known = best.get(sentence.source, -1.0)
            best[sentence.source] = max(sentence.passage_similarity, known)
    lowest = min(best.values(), default=0.0)
    return {at: cosine - lowest for at, cosine in best.items()}


def passage_similarities(
    found: Sequence[tuple[StoredChunk, float]], hits: Sequence[Hit]
) -> PassageSimilarities:
    """The cosine of the passage that holds each sentence, the highest where several do. `found` are
    the chunks of `hits`, one each.

    Sentences of the book have no vectors of their own. A passage has a few sentences, so its cosine
    says which part of a chunk treats what is asked, also in other words.
    """
    best: dict[SentenceKey, float] = {}
    for (chunk, _), hit in zip(found, hits, strict=True):
        if not hit.passages:
            continue
        for at, (part, sentence) in enumerate(sentences_in_passages(chunk.parts)):
            before = [start for start, _ in hit.passages if start <= at]
            last = max(before, default=0)
            cosine = max((c for start, c in hit.passages if start == last), default=None)
            if cosine is not None:
                key = sentence_key(chunk, part, sentence)
                best[key] = max(cosine, best.get(key, -1.0))
    return best
