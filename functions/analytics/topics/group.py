"""Groups the questions that the book does not treat around readers' own questions.

Questions are embedded here, not when they are asked: readers do not wait for it, only redacted text
is sent, and all vectors are of one model. A vector is deleted with its question.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from functions.adapters.aws.secrets import SecretUnavailable, secret
from functions.adapters.openai.embeddings import (
    Embeddings,
    EmbeddingsMismatch,
    EmbeddingsRejected,
    EmbeddingsUnavailable,
)
from functions.adapters.postgres.topic_records import Asked, Member, TopicRecords, vector_hash
from functions.runtime.logs import logger
from functions.runtime.settings import Settings

OPENAI = "https://api.openai.com/"
FRESH = timedelta(hours=26)
"""A page groups only where the daily schedule has not."""
AGAIN = timedelta(minutes=1)
BATCH = 128
ALIKE = 0.6
"""Questions with this cosine, at least, ask for the same."""
BLOCK = 1_000
MOST_LEADERS = 4_000
"""Questions among which leaders are chosen, the most asked; the others only join them."""

Floats = NDArray[np.float32]
Vectors = Mapping[bytes, Floats]


@dataclass(frozen=True, slots=True)
class Refreshed:
    """Outcome of a grouping. `questions` are distinct; those without a vector are not grouped."""

    groups: int
    questions: int
    grouped: int
    embedded: int


async def refresh_if_stale(
    records: TopicRecords, embeddings: Embeddings, seconds: float
) -> Refreshed | None:
    """Group if the schedule has not, or after a minute while vectors are missing; else None."""
    last = await records.state()
    if last is not None:
        age = datetime.now(UTC) - last.refreshed_at
        if age < (FRESH if last.is_whole else AGAIN):
            return None
    return await refresh_topics(records, embeddings, seconds)


async def refresh_topics(
    records: TopicRecords, embeddings: Embeddings, seconds: float
) -> Refreshed:
    """Embed new questions for at most `seconds`, and group all that have a vector.

    Raises what the database raises. When embedding fails, new questions wait for the next run.
    """
    started = await records.now()
    asked, questions = await records.asked()
    texts = {vector_hash(each.question): each.question for each in asked}
    stored = await records.vectors(list(texts))
    vectors = {key: unpack(packed) for key, packed in stored.items()}
    missing = [text for key, text in texts.items() if key not in vectors]
    embedded = await _embed(missing, records, embeddings, time.monotonic() + seconds)
    vectors.update(embedded)
    members = await asyncio.to_thread(group_questions, asked, vectors)
    await records.replace(members, started, questions)
    groups = len({member.leader for member in members})
    return Refreshed(groups, questions, len(members), len(embedded))


def group_questions(asked: Sequence[Asked], vectors: Vectors) -> list[Member]:
    """Each question with a vector, in the group of the leader that is most like it.

    Leaders are chosen one after the other: the question that most others are like, counted as often
    as they were asked. A question that leads already goes first, so that groups keep their names.
    """
    asked = [each for each in asked if vector_hash(each.question) in vectors]
    if not asked:
        return []
    points = _unit(np.stack([vectors[vector_hash(each.question)] for each in asked]))
    first = points[:MOST_LEADERS]
    weights = np.asarray([each.times for each in asked[:MOST_LEADERS]], dtype=np.float32)
    leads = np.asarray([each.leads for each in asked[:MOST_LEADERS]])
    leaders = choose_leaders(first, weights, leads)
    members = []
    for start in range(0, len(asked), BLOCK):
        likeness = points[start : start + BLOCK] @ points[leaders].T
        best, nearest = likeness.max(axis=1), likeness.argmax(axis=1)
        for at, each in enumerate(asked[start : start + BLOCK]):
            leader = asked[leaders[nearest[at]]]
            if best[at] < ALIKE or leader is each:
                members.append(Member(each.key, each.key, 1.0))
            else:
                members.append(Member(each.key, leader.key, min(1.0, float(best[at]))))
    return members


def choose_leaders(points: Floats, weights: Floats, leads: NDArray[np.bool_]) -> list[int]:
    """The indexes of leaders among `points` (n, d) of length 1: each point is like one of them.

    A greedy dominating set: the point whose unassigned neighbours weigh most comes next; points
    that `leads` come before all others.
    """
    alike = points @ points.T >= ALIKE
    np.fill_diagonal(alike, val=True)
    free = np.ones(len(points), dtype=bool)
    gains = alike @ weights
    leaders: list[int] = []
    while free.any():
        rank = np.where(free, gains + leads * weights.sum(), -1.0)
        leader = int(rank.argmax())
        leaders.append(leader)
        taken = alike[leader] & free
        gains -= alike[:, taken] @ weights[taken]
        free &= ~taken
    return leaders


async def _embed(
    texts: Sequence[str], records: TopicRecords, embeddings: Embeddings, until: float
) -> dict[bytes, Floats]:
    done: dict[bytes, Floats] = {}
    for start in range(0, len(texts), BATCH):
        batch = texts[start : start + BATCH]
        left = until - time.monotonic()
        if left <= 0:
            logger().info("questions wait for their vectors", waiting=len(texts) - start)
            break
        try:
            vectors = await embeddings.embed(batch, left)
        except (EmbeddingsUnavailable, EmbeddingsRejected, EmbeddingsMismatch) as error:
            logger().error("questions not embedded", error=type(error).__name__, detail=str(error))
            break
        new = {vector_hash(text): pack(vector) for text, vector in zip(batch, vectors, strict=True)}
        await records.keep_vectors(new)
        done.update({key: unpack(packed) for key, packed in new.items()})
    return done


def pack(vector: Sequence[float]) -> bytes:
    """A vector as it is stored: one byte for each dimension, scaled to the largest."""
    given = np.asarray(vector, dtype=np.float32)
    largest = float(np.abs(given).max(initial=0.0))
    return np.round(given * (127 / largest if largest else 0)).astype(np.int8).tobytes()


def unpack(stored: bytes) -> Floats:
    """The direction of a stored vector; its length is lost."""
    return np.frombuffer(stored, dtype=np.int8).astype(np.float32)


def _unit(points: Floats) -> Floats:
    lengths = np.linalg.norm(points, axis=-1, keepdims=True)
    return np.asarray(points / np.where(lengths == 0, 1, lengths), dtype=np.float32)


def embeddings_of(settings: Settings) -> Embeddings | None:
    """The embeddings of the settings; None for OpenAI without a key."""
    try:
        key = secret(settings, "openai_api_key")
    except SecretUnavailable as error:
        logger().error("no key for embeddings", reason=str(error))
        return None
    if not key and settings.embeddings_base_url.startswith(OPENAI):
        return None
    return Embeddings(
        settings.embeddings_base_url,
        key or "embedded",
        settings.embedding_model,
        settings.embedding_dimensions,
    )
