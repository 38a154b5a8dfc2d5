"""MiniLM that knows a question it was asked before: `python -m tests.load.remembering --port PORT`.

For the crowd it stands in the place of OpenAI, whose processors are others than ours: the same
vectors, without the work. The stages of the tests share one, for most of them read one book.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import cache

import numpy as np

from quoth.embeddings.__main__ import serve
from quoth.embeddings.minilm import MiniLM, Vectors


class RememberingMiniLM(MiniLM):
    """Encodes each text once."""

    def __init__(self, threads: int | None = None) -> None:
        super().__init__(threads)
        self._known: dict[str, Vectors] = {}

    def encode(self, texts: Sequence[str]) -> Vectors:
        for text in texts:
            if text not in self._known:
                self._known[text] = super().encode([text])[0]
        return np.stack([self._known[text] for text in texts])


@cache
def remembering_model() -> RememberingMiniLM:
    """One for the process."""
    return RememberingMiniLM()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.load.remembering")
    parser.add_argument("--port", type=int, default=0)
    serve(RememberingMiniLM(), parser.parse_args().port)


if __name__ == "__main__":
    main()
