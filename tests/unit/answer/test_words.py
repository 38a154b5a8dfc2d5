from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.text.words import is_common, matches, stem, terms_of, weight, words_of


def test_words_are_folded_and_names_of_code_come_apart() -> None:
    assert words_of("Vukobratović's jointLimit, 1.57 rad; don't") == [
        "vukobratovic", "joint", "limit", "1.57", "rad", "don't",
    ]  # fmt: skip


def test_letters_of_any_style_are_the_same_letters() -> None:
    assert words_of("𝑨nkle ＺＭＰ Ångström") == ["ankle", "zmp", "angstrom"]


def test_terms_are_stems_without_the_words_that_say_nothing() -> None:
    assert terms_of("The robots were walking to the robot") == ("robot", "walk", "robot")


def test_a_word_of_the_same_root_counts_for_less_than_the_word() -> None:
    known = frozenset({"invad", "plane"})
    assert matches("invad", known) == 1.0
    assert matches("invas", known) == 0.8
    assert matches("robot", frozenset({"sensor"})) == 0.0
    assert matches("1907", frozenset({"1908"})) == 0.0


@pytest.mark.parametrize(("rarer", "commoner"), [("gyroscop", "time"), ("zmp", "year")])
def test_a_rare_word_weighs_more(rarer: str, commoner: str) -> None:
    assert weight(rarer) > weight(commoner)
    assert is_common("year")
    assert not is_common("zmp")


@given(st.text())
def test_any_text_has_words(text: str) -> None:
    for word in words_of(text):
        assert word == word.lower() != ""
        assert 0 <= weight(stem(word)) <= 1.5
        assert matches(stem(word), frozenset({stem(word)})) == 1.0
