"""Groups points of length 1 by their directions: spherical k-means with weights. Pure.

Starting from the centroids of an earlier grouping keeps groups what they were, where the points
allow it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Labels = NDArray[np.int64]

MOST_GROUPS = 40
MOST_ROUNDS = 40
MOST_FITTED = 4_000
"""Points that make the groups, the heaviest; the others only join them."""
MOST_STARTS, LEAST_STARTS, MOST_TRIED = 8, 2, 8_000
"""Tries from other first centroids, where there is no earlier grouping: as many as make so many
points. Of many points one try is like another."""
NEAR = 0.45
"""A question with this cosine, at least, to the questions of a group belongs to it."""
SAME = 0.7
"""Centroids with this cosine, at least, are of one topic at two times."""


@dataclass(frozen=True, slots=True)
class Groups:
    """`labels[i]` is the group of point i; `centroids` have length 1; `fit` is the mean cosine of
    a point to its centroid, weighted."""

    labels: Labels
    centroids: Floats
    fit: float


def group_count(points: int) -> int:
    """How many groups so many distinct points are put into."""
    return max(1, min(MOST_GROUPS, round(math.sqrt(points / 2))))


def unit(points: NDArray[Any]) -> Floats:
    """The same directions with length 1; what has none stays 0."""
    lengths = np.linalg.norm(points, axis=-1, keepdims=True)
    return np.asarray(points / np.where(lengths == 0, 1, lengths), dtype=np.float32)


def group_points(
    points: Floats, weights: Floats, count: int, earlier: Floats | None = None
) -> Groups:
    """`count` groups at most: one with no point in it is left out.

    `points` (n, d) of length 1, n at least 1; `weights` (n,) above 0; `earlier` (m, d) or None.
    The same input gives the same groups.
    """
    count = min(count, len(points))
    if len(points) > MOST_FITTED:
        heaviest = np.argsort(-weights, kind="stable")[:MOST_FITTED]
        fitted = group_points(points[heaviest], weights[heaviest], count, earlier)
        return _settle(points, weights, fitted.centroids, rounds=1)
    random = np.random.default_rng(7)
    if earlier is not None and len(earlier):
        return _settle(points, weights, _seed(points, weights, count, random, earlier[:count]))
    starts = max(LEAST_STARTS, min(MOST_STARTS, MOST_TRIED // len(points)))
    tries = [_settle(points, weights, _seed(points, weights, count, random)) for _ in range(starts)]
    return max(tries, key=lambda groups: groups.fit)


def join_groups(points: Floats, groups: Floats) -> Labels:
    """The nearest group of each point, -1 where none is near."""
    if not len(points) or not len(groups):
        return np.full(len(points), -1, dtype=np.int64)
    cosines = points @ groups.T
    return np.where(cosines.max(axis=1) >= NEAR, cosines.argmax(axis=1), -1)


def match_groups(new: Floats, old: Floats) -> dict[int, int]:
    """Which new centroid goes on with which old one: the nearest pairs first, none used twice."""
    if not len(new) or not len(old):
        return {}
    cosines = new @ old.T
    matched: dict[int, int] = {}
    while cosines.max() >= SAME:
        at, was = np.unravel_index(int(cosines.argmax()), cosines.shape)
        matched[int(at)] = int(was)
        cosines[at, :] = cosines[:, was] = -2.0
    return matched


def _seed(
    points: Floats,
    weights: Floats,
    count: int,
    random: np.random.Generator,
    first: Floats | None = None,
) -> Floats:
    """First centroids: each further one is a point far from those before it, the best of a few
    drawn (greedy k-means++)."""
    if first is None or not len(first):
        first = points[[_draw(weights, random)]]
    chosen = list(first)
    nearest = (points @ first.T).max(axis=1)
    while len(chosen) < count:
        chances = weights * np.clip(1 - nearest, 0, None)
        drawn = [_draw(chances, random) for _ in range(2 + int(math.log(count)))]
        near = np.maximum(nearest[:, None], points @ points[drawn].T)
        best = int((weights @ near).argmax())
        chosen.append(points[drawn[best]])
        nearest = near[:, best]
    return np.stack(chosen)


def _draw(chances: Floats, random: np.random.Generator) -> int:
    """A point by its chance; the first where all chances are 0."""
    total = np.cumsum(chances, dtype=np.float64)
    if not total[-1] > 0:
        return 0
    drawn = int(np.searchsorted(total, random.random() * total[-1], side="right"))
    return min(drawn, len(chances) - 1)


def _settle(
    points: Floats, weights: Floats, centroids: Floats, rounds: int = MOST_ROUNDS
) -> Groups:
    labels = np.full(len(points), -1, dtype=np.int64)
    for _ in range(rounds):
        cosines = points @ centroids.T
        found = cosines.argmax(axis=1)
        if np.array_equal(found, labels):
            break
        labels = found
        member = np.zeros((len(points), len(centroids)), dtype=np.float32)
        member[np.arange(len(points)), labels] = weights
        sums = member.T @ points
        used = np.linalg.norm(sums, axis=1) > 0
        centroids = np.where(used[:, None], unit(sums), centroids)
    present, labels = np.unique(labels, return_inverse=True)
    centroids = centroids[present]
    own = np.einsum("ij,ij->i", points, centroids[labels])
    fit = float(np.average(own, weights=weights))
    return Groups(labels.astype(np.int64), centroids, fit)


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
