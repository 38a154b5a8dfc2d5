"""Where a question stands among questions: its own vector and that of the headings it found. Pure.

Questions are short, and two about one section share few words. The headings above the chunk that a
question found stand in the same space, so they count as well, and more. A refusal has none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from functions.analytics.topics.clustering import Floats, unit

FOUND_WEIGHT = 2.0


def points_of(
    questions: Sequence[Sequence[float]], found: Sequence[Sequence[float] | None]
) -> Floats:
    """(n, d) of length 1, from vectors of n questions and of the headings found, None without."""
    points = unit(np.asarray(questions, dtype=np.float32))
    have = [at for at, vector in enumerate(found) if vector is not None]
    if have:
        headings = unit(np.asarray([found[at] for at in have], dtype=np.float32))
        points[have] = unit(points[have] + FOUND_WEIGHT * headings)
    return points


def heading_text(chapter: str, titles: Sequence[str]) -> str:
    """What is embedded of a chunk's place: its chapter, page and sections."""
    return ". ".join(headings_of(chapter, titles))


def headings_of(chapter: str, titles: Sequence[str]) -> list[str]:
    """The headings above a chunk, the chapter's first, none twice."""
    return list(dict.fromkeys(title for title in (chapter, *titles) if title))


def pack(vector: Sequence[float]) -> bytes:
    """A vector as it is stored: one byte for each dimension, scaled to the largest."""
    given = np.asarray(vector, dtype=np.float32)
    largest = float(np.abs(given).max(initial=0.0))
    return np.round(given * (127 / largest if largest else 0)).astype(np.int8).tobytes()


def unpack(stored: bytes) -> Sequence[float]:
    """The direction of a stored vector; its length is lost."""
    vector: Sequence[float] = np.frombuffer(stored, dtype=np.int8).astype(np.float32)  # type: ignore[assignment]
    return vector
