"""The passage similarity of each sentence: the cosine of the passage that holds it. Pure.

Sentences of the book have no vectors of their own. A passage has a few sentences, so its cosine
says which part of a chunk treats what is asked, also in other words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from functions.adapters.qdrant.chunk_search import Hit
from functions.answer.context import SentenceKey, sentence_key
from functions.book.chunks.chunk import StoredChunk
from functions.book.chunks.passages import sentences_in_passages

PassageSimilarities = Mapping[SentenceKey, float]


def passage_similarities(
    found: Sequence[tuple[StoredChunk, float]], hits: Sequence[Hit]
) -> PassageSimilarities:
    """The cosine of each sentence's passage, the highest where several hold it. `found` are the
    chunks of `hits`, one each."""
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
