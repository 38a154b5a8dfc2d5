"""The recipe the checker replaces: similar vectors, or shared keywords. Measured beside it."""

from __future__ import annotations

from functions.answer.overlap import keyword_overlap
from quoth.embeddings.minilm import MiniLM

LEAST_COSINE = 0.7
LEAST_OVERLAP = 0.5


def is_similar(model: MiniLM, response: str, context: str) -> bool:
    """Whether a response's vector is like its context's, or it shares half its keywords."""
    said, given = model.encode([response])[0], model.encode([context])[0]
    overlap = keyword_overlap(response, context)
    return float(said @ given) >= LEAST_COSINE or overlap >= LEAST_OVERLAP
