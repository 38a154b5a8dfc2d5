"""Groups questions into topics that are stable from week to week.

Questions are embedded here, not when they are asked: readers do not wait for it, only redacted text
is sent, and all vectors are of one model. A vector is deleted with its question.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from functions.adapters.aws.secrets import SecretUnavailable, secret
from functions.adapters.openai.embeddings import (
    Embeddings,
    EmbeddingsMismatch,
    EmbeddingsRejected,
    EmbeddingsUnavailable,
)
from functions.adapters.postgres.topic_records import (
    Asked,
    KnownTopic,
    NewTopic,
    TopicRecords,
    new_topic_id,
    vector_hash,
)
from functions.analytics.topics.clustering import (
    Floats,
    Labels,
    group_count,
    group_points,
    heading_text,
    headings_of,
    join_groups,
    match_groups,
    pack,
    points_of,
    unit,
    unpack,
)
from functions.analytics.topics.names import leading_heading, name_of, name_topics
from functions.runtime.logs import logger
from functions.runtime.settings import Settings

OPENAI = "https://api.openai.com/"
FRESH = timedelta(hours=24)
AGAIN = timedelta(minutes=1)
BATCH = 128
LEAST_FOUND = 0.25
UNNAMED = "various questions"

Vectors = Mapping[bytes, Sequence[float]]


@dataclass(frozen=True, slots=True)
class Refreshed:
    """Outcome of a grouping. `questions` are distinct; those without a vector are not grouped."""

    topics: int
    questions: int
    grouped: int
    embedded: int


async def refresh_if_stale(
    records: TopicRecords, embeddings: Embeddings, seconds: float
) -> Refreshed | None:
    """Group again after a day, or after a minute while questions lack vectors; else None."""
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
    for each in asked:
        if heading := _heading(each):
            texts[vector_hash(heading)] = heading
    vectors: dict[bytes, Sequence[float]] = {
        key: unpack(packed) for key, packed in (await records.vectors(list(texts))).items()
    }
    missing = [text for key, text in texts.items() if key not in vectors]
    embedded = await _embed(missing, records, embeddings, time.monotonic() + seconds)
    vectors.update(embedded)
    known = await records.known()
    topics = await asyncio.to_thread(_group, asked, vectors, known)
    grouped = sum(len(topic.keys) for topic in topics)
    await records.replace(topics, started, questions, grouped)
    return Refreshed(len(topics), questions, grouped, len(embedded))


async def _embed(
    texts: Sequence[str], records: TopicRecords, embeddings: Embeddings, until: float
) -> dict[bytes, Sequence[float]]:
    done: dict[bytes, Sequence[float]] = {}
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
        new = {vector_hash(text): vector for text, vector in zip(batch, vectors, strict=True)}
        await records.keep_vectors({key: pack(vector) for key, vector in new.items()})
        done.update(new)
    return done


def _heading(asked: Asked) -> str:
    return heading_text(asked.section["chapter"], asked.titles) if asked.section else ""


def _is_embedded(asked: Asked, vectors: Vectors) -> bool:
    heading = _heading(asked)
    return vector_hash(asked.question) in vectors and (
        not heading or vector_hash(heading) in vectors
    )


def _group(asked: Sequence[Asked], vectors: Vectors, known: Sequence[KnownTopic]) -> list[NewTopic]:
    """Questions that found something are grouped; the others join a group whose questions are like
    them, or make groups of their own: what readers miss in the book."""
    asked = [each for each in asked if _is_embedded(each, vectors)]
    if not asked:
        return []
    points = points_of(
        [vectors[vector_hash(each.question)] for each in asked],
        [vectors[vector_hash(_heading(each))] if _heading(each) else None for each in asked],
    )
    # As the logarithm: what a whole class was told to ask must not pull every group to itself.
    weights = np.asarray([1 + np.log(each.times) for each in asked], dtype=np.float32)
    with_section = np.asarray([each.section is not None for each in asked])
    labels = np.full(len(asked), -1, dtype=np.int64)
    centroids = points[:0]
    for found in (True, False):
        these = np.flatnonzero((with_section == found) & (labels < 0))
        if not len(these):
            continue
        before = [_centroid(topic) for topic in known if topic.current and topic.found == found]
        groups = group_points(
            points[these],
            weights[these],
            group_count(len(these)),
            np.stack(before) if before else None,
        )
        labels[these] = groups.labels + len(centroids)
        centroids = np.concatenate([centroids, groups.centroids])
        if found:
            others = np.flatnonzero(~with_section)
            alone = unit(np.asarray([vectors[vector_hash(each.question)] for each in asked]))
            means = unit(
                np.stack([alone[labels == at].mean(axis=0) for at in range(len(centroids))])
            )
            labels[others] = join_groups(points[others], means)
    return _topics(asked, labels, centroids, known)


def _topics(
    asked: Sequence[Asked], labels: Labels, centroids: Floats, known: Sequence[KnownTopic]
) -> list[NewTopic]:
    members = [
        [asked[int(at)] for at in np.flatnonzero(labels == group)]
        for group in range(len(centroids))
    ]
    old = np.stack([_centroid(topic) for topic in known]) if known else centroids[:0]
    matched = match_groups(centroids, old)
    terms = name_topics([[each.question for each in own] for own in members])
    topics: list[NewTopic] = []
    for at, own in enumerate(members):
        before = known[matched[at]] if at in matched else None
        heading = leading_heading((_path(each), each.times) for each in own)
        topics.append(
            NewTopic(
                topic_id=before.topic_id if before else new_topic_id(),
                name=_name(heading, terms[at], before),
                terms=terms[at],
                section=_section(own),
                found=any(each.section for each in own),
                centroid=centroids[at].astype("<f4").tobytes(),
                keys=tuple(each.key for each in own),
            )
        )
    return topics


def _centroid(topic: KnownTopic) -> Floats:
    return np.frombuffer(topic.centroid, dtype="<f4").astype(np.float32)


def _name(heading: str, terms: Sequence[str], before: KnownTopic | None) -> str:
    """The old name while it still fits: a topic should not be renamed weekly."""
    kept = before.name if before else UNNAMED
    said = kept.removeprefix(heading).removeprefix(": ")
    if kept.startswith(heading) and all(term in terms for term in said.split(", ") if term):
        return kept
    return name_of(heading, terms) or UNNAMED


def _path(asked: Asked) -> tuple[str, ...]:
    """The distinct headings above a question's best chunk."""
    return tuple(headings_of(asked.section["chapter"], asked.titles)) if asked.section else ()


def _section(members: Sequence[Asked]) -> Mapping[str, str] | None:
    """The section of most of a topic's questions; None where few have one."""
    counts: Counter[str] = Counter()
    sections: dict[str, Mapping[str, str]] = {}
    total = 0
    for each in members:
        total += each.times
        if each.section:
            counts[each.section["url"]] += each.times
            sections[each.section["url"]] = each.section
    if counts.total() < LEAST_FOUND * total or not counts:
        return None
    return sections[counts.most_common(1)[0][0]]


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
