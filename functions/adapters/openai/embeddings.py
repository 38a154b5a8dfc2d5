"""Embeds texts with an OpenAI-compatible `/v1/embeddings` service."""

from __future__ import annotations

import asyncio
import base64
import binascii
import random
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from functions.adapters.openai.client import OpenAIClient, OpenAIFailure
from functions.answer.write.writer import Usage
from functions.runtime.metrics import count_tokens, counted_call

BATCH_TEXTS = 256
BATCH_CHARACTERS = 100_000
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 20.0
RETRIED = ("unreachable", "broken", "garbled")


class EmbeddingsUnavailable(Exception):
    """The service did not answer in time. Search by keywords, or retry later."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class EmbeddingsRejected(Exception):
    """The service rejects these requests. The message says which setting to check."""


class EmbeddingsMismatch(Exception):
    """The vectors are invalid, or their dimensions do not match the index."""


class Embeddings:
    """Embeds questions and passages. Vectors come in the order of the texts.

    `patient` retries while the service is busy, up to the time-out: for ingest, where no reader
    waits. `on_usage` is called with the usage of each paid call.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        model: str,
        dimensions: int,
        *,
        patient: bool = False,
        on_usage: Callable[[Usage], None] | None = None,
    ) -> None:
        self._client = OpenAIClient(base_url, api_key)
        self._model = model
        self._dimensions = dimensions
        self._patient = patient
        self._on_usage = on_usage

    async def embed(self, texts: Sequence[str], timeout_s: float) -> list[list[float]]:
        """One vector per text. `timeout_s` bounds all batches together.

        Raises EmbeddingsUnavailable, EmbeddingsRejected or EmbeddingsMismatch.
        """
        until = time.monotonic() + timeout_s
        vectors: list[list[float]] = []
        for batch in _batches(texts):
            answer = await self._call(batch, until)
            self._count(answer)
            vectors.extend(_read_vectors(answer, len(batch), self._dimensions))
        return vectors

    async def close(self) -> None:
        await self._client.close()

    def _count(self, answer: dict[str, Any]) -> None:
        usage = answer.get("usage")  # optional in compatible services
        if isinstance(usage, dict):
            with suppress(TypeError, ValueError):
                tokens = int(usage.get("prompt_tokens", 0))
                count_tokens("embeddings", self._model, tokens, 0)
                if self._on_usage:
                    self._on_usage(Usage(tokens, 0, self._model))

    async def _call(self, batch: list[str], until: float) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self._model, "input": batch, "encoding_format": "base64"}
        if self._model.startswith("text-embedding-3"):
            body["dimensions"] = self._dimensions  # others reject the field; `_read_vectors` checks
        retried = False
        waits = 0
        while True:
            try:
                with counted_call("embeddings", self._model):
                    return await self._client.post("/embeddings", body, until - time.monotonic())
            except OpenAIFailure as failure:
                left = until - time.monotonic()
                if failure.kind in RETRIED and not retried and left > 0:
                    retried = True
                elif failure.kind == "busy" and self._patient:
                    wait = _wait(failure.retry_after_s, waits)
                    if wait >= left:
                        raise EmbeddingsUnavailable(str(failure), wait) from failure
                    await asyncio.sleep(wait)
                    waits += 1
                elif failure.kind in ("rejected", "missing"):
                    raise EmbeddingsRejected(str(failure)) from failure
                else:
                    raise EmbeddingsUnavailable(str(failure), failure.retry_after_s) from failure


def _wait(retry_after_s: float | None, waits: int) -> float:
    if retry_after_s is not None:
        return retry_after_s
    longest = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(waits, 10))
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, not a secret


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    characters = 0
    for text in texts:
        full = len(batch) == BATCH_TEXTS or characters + len(text) > BATCH_CHARACTERS
        if batch and full:
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    if batch:
        yield batch


def _read_vectors(answer: dict[str, Any], count: int, dimensions: int) -> list[list[float]]:
    vectors: dict[int, list[float]] = {}
    try:
        for row in answer["data"]:
            vectors[int(row["index"])] = _read_vector(row["embedding"])
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise EmbeddingsMismatch("The service's vectors could not be read.") from error
    if sorted(vectors) != list(range(count)):
        raise EmbeddingsMismatch(f"Asked for {count} vectors, got {len(vectors)}.")
    widths = {len(vector) for vector in vectors.values()}
    if widths != {dimensions}:
        raise EmbeddingsMismatch(
            f"The index holds vectors of {dimensions} dimensions, the service returned "
            f"{', '.join(map(str, sorted(widths)))}: set the model the book was indexed with, "
            "or index it again."
        )
    return [vectors[at] for at in range(count)]


def _read_vector(value: str | list[float]) -> list[float]:
    if isinstance(value, str):
        # Little-endian float32, as every supported platform stores it.
        return array("f", base64.b64decode(value, validate=True)).tolist()
    return [float(number) for number in value]
