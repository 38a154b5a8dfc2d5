"""How the embeddings adapter calls: batches, retries, time-outs, and what it says when it fails."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from email.utils import formatdate
from typing import Any

import pytest

from functions.adapters.openai.embeddings import (
    Embeddings,
    EmbeddingsMismatch,
    EmbeddingsRejected,
    EmbeddingsUnavailable,
)
from tests.openai_server.replies import Dropped, Failure, Slow, Vectors
from tests.openai_server.service import API_KEY, OpenAIServer


@pytest.fixture
async def scripted(openai_server: OpenAIServer) -> AsyncIterator[Embeddings]:
    adapter = Embeddings(openai_server.base_url, API_KEY, "text-embedding-3-small", 8)
    yield adapter
    await adapter.close()


@pytest.fixture
async def patient(openai_server: OpenAIServer) -> AsyncIterator[Embeddings]:
    adapter = Embeddings(openai_server.base_url, API_KEY, "text-embedding-3-small", 8, patient=True)
    yield adapter
    await adapter.close()


async def test_asks_nothing_for_no_text(openai_server: OpenAIServer, scripted: Embeddings) -> None:
    assert await scripted.embed([], 5) == []
    assert openai_server.requests == []


async def test_the_index_of_a_vector_says_which_text_it_is_of(
    openai_server: OpenAIServer, scripted: Embeddings
) -> None:
    rows = [{"index": 1, "embedding": [1.0] * 8}, {"index": 0, "embedding": [0.0] * 8}]
    openai_server.script(Failure(200, body=json.dumps({"data": rows})), on="embeddings")
    assert await scripted.embed(["first", "second"], 30) == [[0.0] * 8, [1.0] * 8]


async def test_an_answer_with_vectors_missing_is_a_mismatch(
    openai_server: OpenAIServer, scripted: Embeddings
) -> None:
    body = '{"object": "list", "data": [{"index": 1, "embedding": "AAAA"}]}'
    openai_server.script(Failure(200, body=body), on="embeddings")
    with pytest.raises(EmbeddingsMismatch):
        await scripted.embed(["A robot."], 30)


async def test_batches_stay_under_256_texts_and_100_000_characters(
    openai_server: OpenAIServer, scripted: Embeddings
) -> None:
    texts = ["short"] * 600 + ["long " * 5000] * 9 + ["longer " * 20_000, "end"]
    assert len(await scripted.embed(texts, 30)) == len(texts)
    inputs = [request.body["input"] for request in openai_server.requests]
    assert [text for batch in inputs for text in batch] == texts
    for batch in inputs:
        assert len(batch) <= 256
        assert len(batch) == 1 or sum(map(len, batch)) <= 100_000


async def test_sends_dimensions_only_to_models_that_know_them(
    openai_server: OpenAIServer, scripted: Embeddings
) -> None:
    openai_server.embed = lambda texts: [[0.5] * 384 for _ in texts]
    local = Embeddings(openai_server.base_url, API_KEY, "all-MiniLM-L6-v2", 384)
    await scripted.embed(["A robot."], 30)
    await local.embed(["A robot."], 30)
    await local.close()
    first, second = (request.body for request in openai_server.requests)
    assert first["dimensions"] == 8
    assert "dimensions" not in second


@pytest.mark.parametrize("failure", [Dropped(), Failure(503)], ids=str)
async def test_tries_once_more_after_a_passing_failure(
    openai_server: OpenAIServer, scripted: Embeddings, failure: Any
) -> None:
    openai_server.script(failure, on="embeddings")
    assert len(await scripted.embed(["A robot."], 30)) == 1
    assert len(openai_server.requests) == 2


async def test_gives_up_after_the_second_failure(
    openai_server: OpenAIServer, patient: Embeddings
) -> None:
    openai_server.script(Failure(503), Dropped(), on="embeddings")
    with pytest.raises(EmbeddingsUnavailable):
        await patient.embed(["A robot."], 30)
    assert len(openai_server.requests) == 2


async def test_a_reader_does_not_wait_for_a_busy_service(
    openai_server: OpenAIServer, scripted: Embeddings
) -> None:
    openai_server.script(Failure(429, retry_after="7"), on="embeddings")
    with pytest.raises(EmbeddingsUnavailable) as caught:
        await scripted.embed(["A robot."], 30)
    assert caught.value.retry_after_s == 7.0
    assert len(openai_server.requests) == 1


async def test_ingest_waits_for_a_busy_service(
    openai_server: OpenAIServer, patient: Embeddings
) -> None:
    openai_server.script(
        Failure(429, retry_after="0.2"),
        Failure(429),
        Failure(429, retry_after="0"),
        on="embeddings",
    )
    assert len(await patient.embed(["A robot."], 30)) == 1
    assert len(openai_server.requests) == 4


async def test_ingest_does_not_wait_past_its_time_out(
    openai_server: OpenAIServer, patient: Embeddings
) -> None:
    in_an_hour = formatdate(time.time() + 3600, usegmt=True)
    openai_server.script(Failure(429, retry_after=in_an_hour), on="embeddings")
    with pytest.raises(EmbeddingsUnavailable) as caught:
        await patient.embed(["A robot."], 30)
    assert caught.value.retry_after_s == pytest.approx(3600, abs=60)


async def test_a_slow_service_is_unavailable_at_the_time_out(
    openai_server: OpenAIServer, patient: Embeddings
) -> None:
    openai_server.script(Slow(8, Vectors()), on="embeddings")
    with pytest.raises(EmbeddingsUnavailable, match="within"):
        await patient.embed(["A robot."], 2)
    assert len(openai_server.requests) == 1


async def test_a_refused_connection_is_unavailable() -> None:
    adapter = Embeddings("http://127.0.0.1:9/v1", "", "all-MiniLM-L6-v2", 384)
    with pytest.raises(EmbeddingsUnavailable, match="Could not reach"):
        await adapter.embed(["A robot."], 30)


@pytest.mark.parametrize("key", ["", "sk-wrong"])
async def test_a_refused_key_is_named_as_the_remedy(openai_server: OpenAIServer, key: str) -> None:
    adapter = Embeddings(openai_server.base_url, key, "text-embedding-3-small", 8)
    with pytest.raises(EmbeddingsRejected, match="check the OpenAI key"):
        await adapter.embed(["A robot."], 30)
    await adapter.close()


async def test_an_account_without_credit_is_not_waited_for(
    openai_server: OpenAIServer, patient: Embeddings
) -> None:
    openai_server.script(Failure(429, "insufficient_quota"), on="embeddings")
    with pytest.raises(EmbeddingsRejected, match="credit"):
        await patient.embed(["A robot."], 30)


def test_works_from_one_event_loop_after_another(openai_server: OpenAIServer) -> None:
    adapter = Embeddings(openai_server.base_url, API_KEY, "text-embedding-3-small", 8)

    async def embed() -> int:
        vectors = await adapter.embed(["A robot."], 30)
        await adapter.close()
        return len(vectors)

    assert [asyncio.run(embed()), asyncio.run(embed())] == [1, 1]
