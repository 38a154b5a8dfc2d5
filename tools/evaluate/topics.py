"""Are questions about one part of the book put into one topic?

The author's golden questions name where each is answered. Of all that the book answers, grouped as
the dashboard groups them, the adjusted Rand index with those places is told; beside it that of
k-means on TF-IDF of the same questions, once alone and once with the headings found for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from functions.adapters.qdrant.schema import SearchFilters
from functions.analytics.topics.clustering import (
    group_count,
    group_points,
    heading_text,
    headings_of,
    points_of,
)
from functions.analytics.topics.names import leading_heading, name_of, name_topics
from functions.query.retrieval.rerank import ranked_hits
from quoth.calibrate.local_index import chunks_of_book, open_stage
from quoth.commands.evaluation import CannotMeasure
from quoth.golden.questions import read_golden

PEER_SEEDS = range(5)
LEVELS = ("section", "page", "chapter")


async def evaluate_topics(book: Path, golden: Path) -> dict[str, Any]:
    """Adjusted Rand indexes by level of the book, as many groups as the level has parts; and the
    topics at the number the dashboard would choose. Raises CannotMeasure, BadRow."""
    questions = [q for q in read_golden(golden) if q.wanted == "answer"]
    texts = [q.question for q in questions]
    async with open_stage() as stage:
        chunks = chunks_of_book(book)
        await stage.add(chunks)
        known = {each.chunk.chunk_id: each.chunk for each in chunks}
        vectors = await stage.embeddings.embed(texts, 600.0)
        found: list[str] = []
        for text, vector in zip(texts, vectors, strict=True):
            result = await stage.search.search(text, vector, SearchFilters(), 5)
            hits = ranked_hits(text, result)
            found.append(hits[0][0].chunk_id if hits else "")
        names = sorted({name for name in found if name})
        headings = {
            name: heading_text(known[name].chapter.title, known[name].titles) for name in names
        }
        of_headings = dict(
            zip(names, await stage.embeddings.embed(list(headings.values()), 600.0), strict=True)
        )
    alone = points_of(vectors, [None] * len(texts))
    points = points_of(vectors, [of_headings.get(name) for name in found])
    weights = np.ones(len(texts), dtype=np.float32)
    labels = {level: [_part(q.sections[0], level) for q in questions] for level in LEVELS}
    figures: dict[str, Any] = {"questions": len(texts)}
    for level, truth in labels.items():
        count = len(set(truth))
        with_headings = [
            f"{t} {headings.get(name, '')}" for t, name in zip(texts, found, strict=True)
        ]
        figures[level] = {
            "parts": count,
            "ari": _index(truth, group_points(points, weights, count).labels.tolist()),
            "questions_alone": _index(truth, group_points(alone, weights, count).labels.tolist()),
            "kmeans_tfidf": _peer(truth, texts, count),
            "kmeans_tfidf_with_headings": _peer(truth, with_headings, count),
        }
    groups = group_points(points, weights, group_count(len(texts)))
    paths = [headings_of(known[n].chapter.title, known[n].titles) if n else [] for n in found]
    members = [np.flatnonzero(groups.labels == at) for at in range(len(groups.centroids))]
    figures["topics"] = [
        name_of(leading_heading((paths[i], 1) for i in own), terms)
        for own, terms in zip(
            members, name_topics([[texts[i] for i in own] for own in members]), strict=True
        )
    ]
    return figures


def _part(section: str, level: str) -> str:
    page = section.split("#", 1)[0]
    return {"section": section, "page": page, "chapter": page.split("/", 1)[0]}[level]


def _index(truth: Sequence[str], labels: Sequence[int]) -> float:
    try:
        from sklearn.metrics import adjusted_rand_score
    except ImportError as error:
        raise CannotMeasure("scikit-learn is needed: uv sync --group bench") from error
    return round(float(adjusted_rand_score(truth, labels)), 3)


def _peer(truth: Sequence[str], texts: Sequence[str], count: int) -> float:
    """The mean over a few seeds: one alone is luck."""
    try:
        from sklearn.cluster import KMeans
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ImportError as error:
        raise CannotMeasure("scikit-learn is needed: uv sync --group bench") from error
    matrix = TfidfVectorizer(stop_words="english").fit_transform(texts)
    scores = [
        _index(truth, KMeans(count, n_init=10, random_state=seed).fit_predict(matrix).tolist())
        for seed in PEER_SEEDS
    ]
    return round(sum(scores) / len(scores), 3)
