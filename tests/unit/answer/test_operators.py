from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.check import operators
from functions.answer.check.alignment import tokens_of, words_in
from functions.answer.check.operators import operators_of


def found(text: str) -> list[tuple[str, str]]:
    return [(each.kind, each.group) for each in operators_of(words_in(tokens_of(text)))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It can't tip.", [("ability", "can"), ("negation", "not")]),
        ("As long as it may, it moves.", [("condition", "if"), ("hedge", "may")]),
        ("At most 3, at least 2", [("limit", "utmost"), ("limit", "least")]),
        ("As a result of heat", [("cause", "backward")]),
        ("As a result, heat", [("cause", "forward")]),
        ("They are believed to hold", [("attitude", "think")]),
        ("The arm holds the box.", []),
    ],
)
def test_the_longest_phrase_is_the_operator(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


def test_every_line_of_the_lexicon_has_a_class_and_a_group() -> None:
    text = Path(operators.__file__).with_name("operators.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    names = [line.partition(":")[0] for line in lines]
    assert len(set(names)) == len(names) > 30
    assert all(len(name.split()) == 2 for name in names)
    for line in lines:
        for entry in line.partition(":")[2].split():
            words = entry.strip("*").replace("_", " ")
            first = operators_of(tuple(words.split()))
            assert [each.at for each in first] == [0], entry


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert operators_of(words_in(tokens_of(text))) == operators_of(words_in(tokens_of(text)))
