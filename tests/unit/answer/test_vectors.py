from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.text.vectors import cosine, cosines

NUMBERS = st.floats(-1, 1, allow_nan=False, allow_subnormal=False)
VECTORS = st.lists(NUMBERS, min_size=8, max_size=8).filter(lambda v: math.hypot(*v) > 0.01)


@given(VECTORS, st.lists(VECTORS, max_size=3))
def test_a_cosine_is_the_dot_product_of_unit_vectors(
    one: list[float], others: list[list[float]]
) -> None:
    expected = [
        sum(a * b for a, b in zip(one, other, strict=True)) / math.hypot(*one) / math.hypot(*other)
        for other in others
    ]
    assert cosines(one, others) == pytest.approx(expected, abs=1e-9)


def test_a_vector_of_zeros_is_similar_to_nothing() -> None:
    assert cosine([0.0, 0.0], [1.0, 0.0]) == cosine([1.0, 0.0], [0.0, 0.0]) == 0.0


def test_vectors_of_different_sizes_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="dim"):
        cosine([1.0, 0.0], [1.0])
