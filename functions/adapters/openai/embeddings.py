"""Embeds texts with an OpenAI-compatible `/v1/embeddings` service."""

from __future__ import annotations

import base64
import binascii
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from openai import omit

from functions.adapters.openai.client import OpenAIClient, OpenAIFailure
from functions.answer.write.writer import Usage
from functions.runtime.metrics import count_tokens, counted_call

BATCH_TEXTS = 256
BATCH_CHARACTERS = 100_000
PATIENT_RETRIES = 100
"""More than fit into any time-out."""
LONGEST_BODY = 32 * 1024 * 1024
"""256 vectors of 3,072 numbers in decimals have about 16 MB."""


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
        self._client = OpenAIClient(base_url, api_key, longest_body=LONGEST_BODY)
        self._retries = PATIENT_RETRIES if patient else 1
        self._model = model
        self._dimensions = dimensions
        self._on_usage = on_usage

    async def embed(self, texts: Sequence[str], timeout_s: float) -> list[list[float]]:
        """One vector per text. `timeout_s` bounds all batches together.

        Raises EmbeddingsUnavailable, EmbeddingsRejected or EmbeddingsMismatch.
        """
        until = time.monotonic() + timeout_s
        vectors: list[list[float]] = []
        for batch in _batches(texts):
            answer = await self._call(batch, until - time.monotonic())
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

    async def _call(self, batch: list[str], timeout_s: float) -> dict[str, Any]:
        # Others reject `dimensions`; `_read_vectors` checks.
        is_sized = self._model.startswith("text-embedding-3")
        try:
            with counted_call("embeddings", self._model):
                async with self._client.calling(timeout_s, retries=self._retries) as sdk:
                    # Read here: the SDK's type is of lists, and filling 256 of them takes a second.
                    answer = await sdk.embeddings.with_raw_response.create(
                        model=self._model,
                        input=batch,
                        encoding_format="base64",
                        dimensions=self._dimensions if is_sized else omit,
                    )
                    body = answer.http_response.json()
        except OpenAIFailure as failure:
            if failure.kind in ("rejected", "missing"):
                raise EmbeddingsRejected(str(failure)) from failure
            raise EmbeddingsUnavailable(str(failure), failure.retry_after_s) from failure
        return body if isinstance(body, dict) else {}


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
