"""The vectors of a chunk's passages in a hit's payload, one byte per dimension.

The index compares the question with every passage, but returns only a chunk's best cosine. These
give the cosine of each passage, so that the sentences of the most similar can be preferred. A
vector of 384 dimensions takes 512 characters, one of 1,536 takes 2,048.
"""

from __future__ import annotations

import base64
import binascii
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from functions.answer.text.vectors import cosines

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
    try:
        starts = map(int, packed["starts"])
        vectors = (array("b", base64.b64decode(text, validate=True)) for text in packed["vectors"])
        # A vector of another size is a ValueError too.
        return tuple(zip(starts, cosines(question, vectors), strict=True))
    except (KeyError, TypeError, ValueError, binascii.Error):
        return ()


def _rounded(vector: Sequence[float]) -> array[int]:
    largest = max(map(abs, vector), default=0.0)
    scale = LARGEST / largest if largest else 0.0
    return array("b", [round(value * scale) for value in vector])
