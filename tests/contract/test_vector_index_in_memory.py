"""The same search bodies against the in-memory mode of `qdrant-client`, written independently.

It only knows the default tokenizer, so both sides index the text with that one here.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from qdrant_client import AsyncQdrantClient, models

from functions.adapters.qdrant.schema import (
    ACTIVE,
    SEARCH_TEXT,
    ChapterNames,
    SearchFilters,
    hybrid_search,
    payload_indexes,
    text_search,
    vectors_config,
)
from quoth.qdrant.app import create_app
from tests.contract.chunk_points import SIZE, chunk

CHUNKS = 60
PLAIN_TEXT_INDEX = {"type": "text", "scoring": True}
WORDS = ["robot", "motor", "torque", "sensor", "gait", "balance", "camera", "lidar", "arm", "joint"]


@dataclass(frozen=True)
class Both:
    """The same points in the local server and in the client's memory."""

    local: httpx2.AsyncClient
    memory: AsyncQdrantClient
    generator: random.Random

    def question(self) -> str:
        return " ".join(self.generator.choices(WORDS, k=3))

    def vector(self) -> list[float]:
        return [self.generator.gauss(0, 1) for _ in range(SIZE)]

    async def search(self, body: dict[str, Any]) -> tuple[list[Any], list[Any]]:
        answer = await self.local.post("/collections/book/points/query/batch", json=body)
        local = [each["points"] for each in answer.raise_for_status().json()["result"]]
        requests = [models.QueryRequest.model_validate(each) for each in body["searches"]]
        answers = await self.memory.query_batch_points("book", requests)
        return local, [each.model_dump(mode="json")["points"] for each in answers]


@pytest.fixture(params=[1, 2, 3])
async def both(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Both]:
    app = create_app(tmp_path)
    transport = httpx2.ASGITransport(app)
    local = httpx2.AsyncClient(transport=transport, base_url="http://qdrant.test")
    memory = AsyncQdrantClient(":memory:")
    both = Both(local, memory, random.Random(request.param))
    config = {"vectors": vectors_config(SIZE)}
    (await local.put("/collections/book", json=config)).raise_for_status()
    settings = models.CreateCollection.model_validate(config)
    await memory.create_collection("book", vectors_config=settings.vectors)
    for field, schema in (payload_indexes() | {SEARCH_TEXT: PLAIN_TEXT_INDEX}).items():
        body = {"field_name": field, "field_schema": schema}
        (await local.put("/collections/book/index", json=body)).raise_for_status()
    text_index = models.TextIndexParams.model_validate(PLAIN_TEXT_INDEX)
    await memory.create_payload_index("book", SEARCH_TEXT, text_index)
    points = [random_point(both, n) for n in range(CHUNKS)]
    body = {"points": points}
    (await local.put("/collections/book/points?wait=true", json=body)).raise_for_status()
    await memory.upsert("book", models.PointsList.model_validate(body).points)
    yield both
    await local.aclose()
    await memory.close()
    app.state.store.close()


def random_point(both: Both, n: int) -> dict[str, Any]:
    generator = both.generator
    made = chunk(
        n,
        " ".join(generator.choices(WORDS, k=generator.randint(3, 30))),
        version=generator.choice(["1.0", "2.0"]),
        chapter_id=f"ch{n % 4}",
        chunk={"ordinal": n, "chapter": {"number": n % 4}},
        vectors=[both.vector() for _ in range(generator.randint(1, 4))],
    )
    payload = made.payload(active=generator.random() < 0.8)
    return {"id": made.point_id, "vector": {"dense": made.vectors}, "payload": payload}


def scores(points: list[Any]) -> dict[str, float]:
    return {point["id"]: point["score"] for point in points}


@pytest.mark.parametrize(
    "filters",
    [
        SearchFilters(),
        SearchFilters(version="1.0"),
        SearchFilters("2.0", "en", "docs/intro.md", (4, 90)),
    ],
)
@pytest.mark.parametrize("chapter", [None, ChapterNames(("ch2", "Ch2")), ChapterNames((), 2)])
async def test_hybrid_search_finds_the_same_with_the_same_scores(
    both: Both, filters: SearchFilters, chapter: ChapterNames | None
) -> None:
    body = hybrid_search(both.question(), both.vector(), filters, CHUNKS, CHUNKS, chapter)
    local, memory = await both.search(body)
    for ours, theirs in zip(local, memory, strict=True):
        assert ours
        assert scores(ours) == pytest.approx(scores(theirs), rel=1e-4, abs=1e-4)
        ordered = [point["score"] for point in ours]
        assert ordered == sorted(ordered, reverse=True)


async def test_bm25_puts_the_chunks_in_the_same_order(both: Both) -> None:
    local, memory = await both.search(text_search(both.question(), SearchFilters(), CHUNKS))
    theirs = scores(memory[0])
    assert len(local[0]) == len(theirs) > CHUNKS // 2
    # Equal scores may come in either order, so the order is judged by the other side's scores.
    in_our_order = [theirs[point["id"]] for point in local[0]]
    assert in_our_order == pytest.approx(sorted(theirs.values(), reverse=True), rel=1e-4)


async def test_a_hit_brings_the_same_payload(both: Both) -> None:
    local, memory = await both.search(text_search(both.question(), SearchFilters(), 5))
    ours = {point["id"]: point["payload"] for point in local[0]}
    theirs = {point["id"]: point["payload"] for point in memory[0]}
    shared = ours.keys() & theirs.keys()
    assert len(shared) >= 3
    assert all(ours[each] == theirs[each] for each in shared)
    assert all(ACTIVE not in payload for payload in ours.values())
