"""The reader on the CPU: pairs of a question and a passage through onnxruntime."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from functions.answer.reader import Passage, Range, Reading
from quoth.model_files import TOKENIZER, ModelFilesMissing, checked_path, cpu_session

WEIGHTS = Path(__file__).with_name("reader.onnx")
MAX_TOKENS = 256
QUESTION_CHARACTERS = 400
LONGEST_SPAN = 30
"""Tokens of the best span."""

Logits = NDArray[np.float32]


class OnnxReader:
    """The model, loaded. Safe to use from several threads.

    Each pair is one run, for `threads` workers shared by all callers: a batch would be padded, and
    holds more memory than it saves time. Raises ModelFilesMissing when the weights are not those
    of this version.
    """

    def __init__(self, threads: int | None = None, weights: Path = WEIGHTS) -> None:
        self._tokenizer = Tokenizer.from_file(str(checked_path(TOKENIZER)))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS, strategy="only_second")
        self._session = cpu_session(_checked(weights))
        self._workers = ThreadPoolExecutor(threads or os.cpu_count() or 1, "reader")

    def read(self, question: str, passages: Sequence[Passage]) -> list[Reading]:
        """A reading of each passage, in order."""
        asked = question[:QUESTION_CHARACTERS]
        return list(self._workers.map(lambda passage: self._read_one(asked, passage), passages))

    def close(self) -> None:
        self._workers.shutdown(cancel_futures=True)

    def _read_one(self, question: str, passage: Passage) -> Reading:
        pair = self._tokenizer.encode(question, passage.text)
        ids = np.array([pair.ids], dtype=np.int64)
        inputs = {"ids": ids, "mask": np.ones_like(ids), "types": np.array([pair.type_ids])}
        answerable, start, end = self._session.run(None, inputs)
        return _reading(float(answerable[0]), start[0], end[0], pair, passage)


def _reading(
    answerable: float, start: Logits, end: Logits, pair: Encoding, passage: Passage
) -> Reading:
    tokens = [
        at
        for at, (kind, (first, last)) in enumerate(zip(pair.type_ids, pair.offsets, strict=True))
        if kind == 1 and last > first
    ]
    if not tokens:
        return Reading(answerable, 0.0, (0.0,) * len(passage.units), (0, 0))
    best, (first, last) = max(
        (start[at] + end[to], (at, to))
        for place, at in enumerate(tokens)
        for to in (max(tokens[place : place + LONGEST_SPAN], key=end.__getitem__),)
    )
    starts, ends = (_shares(logits, tokens) for logits in (start, end))
    return Reading(
        answerable,
        float(best - start[0] - end[0]),
        tuple(_mass(unit, pair, tokens, starts + ends) for unit in passage.units),
        (pair.offsets[first][0], pair.offsets[last][1]),
    )


def _shares(logits: Logits, tokens: Sequence[int]) -> Logits:
    """The probability of each token; what is missing to 1 is that of "no answer"."""
    values = np.exp(logits[[0, *tokens]] - logits[[0, *tokens]].max())
    shares: Logits = (values / values.sum())[1:]
    return shares


def _mass(unit: Range, pair: Encoding, tokens: Sequence[int], shares: Logits) -> float:
    inside = [
        place
        for place, at in enumerate(tokens)
        if pair.offsets[at][0] >= unit[0] and pair.offsets[at][1] <= unit[1]
    ]
    return float(shares[inside].sum() / 2)


def _checked(weights: Path) -> Path:
    """The file, which must be the one its `.sha256` names. Raises ModelFilesMissing."""
    named = weights.with_suffix(".sha256")
    if not weights.is_file() or not named.is_file():
        raise ModelFilesMissing(f"The reader's weights are not at {weights}: reinstall Quoth.")
    if sha256(weights.read_bytes()).hexdigest() != named.read_text().strip():
        raise ModelFilesMissing(f"{weights} is damaged: reinstall Quoth.")
    return weights
