"""The vectors of a chunk's passages in a hit's payload, one byte per dimension.

The index compares the question with every passage, but returns only a chunk's best cosine. These
give the cosine of each passage, so that the sentences of the most similar can be preferred. A
vector of 384 dimensions takes 512 characters, one of 1,536 takes 2,048.
"""

from __future__ import annotations

import base64
import binascii
import math
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

LARGEST = 127


def pack_vectors(vectors: Sequence[Sequence[float]]) -> list[str]:
    """Each vector, scaled to its largest component, as signed bytes in Base64. Its length is lost;
    a cosine does not need it."""
    return [base64.b64encode(_rounded(vector).tobytes()).decode("ascii") for vector in vectors]


def passage_cosines(
    packed: Mapping[str, Any] | None, question: Sequence[float]
) -> tuple[tuple[int, float], ...]:
    """The first sentence of each passage with the passage's cosine to the question, in order.

    Empty if the index holds none, or vectors of another model.
    """
    if not packed:
        return ()
    length = math.hypot(*question)
    found: list[tuple[int, float]] = []
    try:
        for start, text in zip(packed["starts"], packed["vectors"], strict=True):
            vector = array("b", base64.b64decode(text, validate=True))
            if len(vector) != len(question):
                return ()
            found.append((int(start), _cosine(vector, math.hypot(*vector), question, length)))
    except (KeyError, TypeError, ValueError, binascii.Error):
        return ()
    return tuple(found)


def _cosine(
    vector: Sequence[float], length: float, other: Sequence[float], other_length: float
) -> float:
    """By the law of cosines: `math.dist` runs in C, much faster than a sum of products."""
    if not length or not other_length:
        return 0.0
    squares = length * length + other_length * other_length - math.dist(vector, other) ** 2
    return squares / (2 * length * other_length)


def _rounded(vector: Sequence[float]) -> array[int]:
    largest = max(map(abs, vector), default=0.0)
    scale = LARGEST / largest if largest else 0.0
    return array("b", [round(value * scale) for value in vector])
