"""Counts in sentences for people."""

from __future__ import annotations

import pytest

from functions.runtime.plural import plural


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 chunks"), (1, "1 chunk"), (2, "2 chunks"), (1065, "1065 chunks")]
)
def test_only_one_is_singular(count: int, said: str) -> None:
    assert plural(count, "chunk") == said


def test_a_plural_may_be_another_word() -> None:
    assert [plural(n, "query", "queries") for n in (1, 2)] == ["1 query", "2 queries"]
