"""Cosines of embeddings, in C: over lists of numbers `math.dist` is faster than numpy, which would
have to be imported and to copy them first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Between -1 and 1; 0 for a vector of zeros."""
    return cosines(one, [other])[0]


def cosines(one: Sequence[float], others: Iterable[Sequence[float]]) -> list[float]:
    """The cosine of one vector with each of the others, by the law of cosines."""
    length = math.hypot(*one)
    found = []
    for other in others:
        sides = length * (other_length := math.hypot(*other))
        squares = length * length + other_length * other_length - math.dist(one, other) ** 2
        found.append(squares / (2 * sides) if sides else 0.0)
    return found
