"""The adapter against everything that speaks `/v1/embeddings`: ours, the test server, OpenAI."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from functions.adapters.openai.embeddings import (
    Embeddings,
    EmbeddingsMismatch,
    EmbeddingsRejected,
)
from quoth.embeddings.app import create_app
from quoth.embeddings.minilm import MiniLM
from tests.openai_server.running import serving
from tests.openai_server.spec import find_reply_error

REAL_KEY = os.environ.get("QUOTH_REAL_OPENAI_KEY", "")


@dataclass(frozen=True)
class Service:
    base_url: str
    api_key: str
    model: str
    dimensions: int

    def embeddings(self, **changes: Any) -> Embeddings:
        settings = {
            "base_url": self.base_url,
            "api_key": self.api_key,
            "model": self.model,
            "dimensions": self.dimensions,
        }
        return Embeddings(**{**settings, **changes})

    def post(self, **changes: Any) -> httpx2.Response:
        body = {"model": self.model, "input": ["A robot."], **changes}
        headers = {"authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        return httpx2.post(f"{self.base_url}/embeddings", json=body, headers=headers, timeout=30)


@pytest.fixture(scope="session")
def local_url() -> Iterator[str]:
    model = MiniLM(threads=1)
    with serving(create_app(model)) as url:
        yield url
    model.close()


@pytest.fixture(
    params=[
        "quoth",
        "test server",
        pytest.param(
            "openai",
            marks=pytest.mark.skipif(not REAL_KEY, reason="QUOTH_REAL_OPENAI_KEY is not set"),
        ),
    ]
)
def service(request: pytest.FixtureRequest) -> Service:
    if request.param == "quoth":
        url = request.getfixturevalue("local_url")
        return Service(url, "", "all-MiniLM-L6-v2", 384)
    if request.param == "test server":
        server = request.getfixturevalue("openai_server")
        return Service(server.base_url, server.api_key, "text-embedding-3-small", 1536)
    return Service("https://api.openai.com/v1", REAL_KEY, "text-embedding-3-small", 1536)


async def test_gives_one_vector_a_text_in_their_order(service: Service) -> None:
    texts = ["Robots have joints.", "Monks kept gardens.", "x = 3"]
    adapter = service.embeddings()
    together = await adapter.embed(texts, 30)
    for text, vector in zip(texts, together, strict=True):
        assert len(vector) == service.dimensions
        assert _cosine(vector, vector) == pytest.approx(1.0, abs=1e-3)
        assert _cosine(vector, (await adapter.embed([text], 30))[0]) > 0.999
    assert _cosine(together[0], together[1]) < 0.9
    await adapter.close()


async def test_keeps_the_order_over_several_batches(service: Service) -> None:
    texts = [f"Sentence number {number}." for number in range(300)]
    adapter = service.embeddings()
    vectors = await adapter.embed(texts, 60)
    assert len(vectors) == 300
    for at in (0, 255, 256, 299):
        assert _cosine(vectors[at], (await adapter.embed([texts[at]], 30))[0]) > 0.999
    await adapter.close()


@pytest.mark.parametrize("change", [{"model": "no-such-model"}, {"base_url": "x"}])
async def test_a_wrong_setting_is_a_rejection_with_a_remedy(
    service: Service, change: dict[str, str]
) -> None:
    if "base_url" in change:
        change = {"base_url": service.base_url.removesuffix("/v1") + "/v9"}
    adapter = service.embeddings(**change)
    with pytest.raises(EmbeddingsRejected, match=r"set another|check it"):
        await adapter.embed(["A robot."], 10)
    await adapter.close()


async def test_an_empty_text_is_rejected(service: Service) -> None:
    adapter = service.embeddings()
    with pytest.raises(EmbeddingsRejected):
        await adapter.embed(["A robot.", ""], 10)
    await adapter.close()


def test_both_encodings_hold_the_same_numbers(service: Service) -> None:
    plain = service.post(encoding_format="float").json()
    packed = service.post(encoding_format="base64").json()
    numbers = array("f", base64.b64decode(packed["data"][0]["embedding"])).tolist()
    assert numbers == pytest.approx(plain["data"][0]["embedding"], abs=1e-3)
    assert plain["data"][0]["index"] == 0
    assert find_reply_error("/v1/embeddings", plain) is None


def test_one_text_may_stand_alone(service: Service) -> None:
    assert len(service.post(input="A robot.").json()["data"]) == 1


@pytest.mark.parametrize(
    ("change", "status", "param"),
    [
        ({"input": []}, 400, "input"),
        ({"input": ""}, 400, "input"),
        ({"input": ["A robot."] * 2049}, 400, "input"),
        ({"input": {"text": "A robot."}}, 400, "input"),
        ({"model": "no-such-model"}, 404, "model"),
        ({"encoding_format": "hex"}, 400, "encoding_format"),
        ({"dimensions": 0}, 400, "dimensions"),
        ({"dimensions": 100_000}, 400, "dimensions"),
        ({"colour": "red"}, 400, None),
    ],
)
def test_bad_requests_get_errors_in_one_form(
    service: Service, change: dict[str, Any], status: int, param: str | None
) -> None:
    response = service.post(**change)
    assert response.status_code == status
    error = response.json()["error"]
    assert set(error) >= {"message", "type", "param", "code"}
    assert error["message"]
    assert error["type"] == "invalid_request_error"
    if param:
        assert param in f"{error['param']} {error['message']}"


async def test_vectors_of_another_width_are_a_mismatch(local_url: str) -> None:
    adapter = Embeddings(local_url, "", "all-MiniLM-L6-v2", 1536)
    with pytest.raises(EmbeddingsMismatch, match="1536 dimensions, the service returned 384"):
        await adapter.embed(["A robot."], 10)
    await adapter.close()


def test_the_command_announces_itself_and_stops_when_told() -> None:
    command = [sys.executable, "-m", "quoth.embeddings", "--port", "0", "--threads", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            word, url = process.stdout.readline().split()
            assert word == "ready"
            models = httpx2.get(f"{url}/models", timeout=10).json()
            assert [model["id"] for model in models["data"]] == ["all-MiniLM-L6-v2"]
            health = httpx2.get(url.replace("/v1", "/healthz"), timeout=10)
            assert health.json() == {"status": "ok"}
        finally:
            process.terminate()
        process.wait(20)


def _cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
