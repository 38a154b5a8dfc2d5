from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from functions.answer.check.facts import claims_something, has_speaker, read_statement


def test_names_are_runs_of_capitals_and_no_common_word_that_opens_a_sentence() -> None:
    names = read_statement("The idea is by Miomir Vukobratović of the Pupin Institute.").names
    assert names == (("miomir", "vukobratovic"), ("pupin", "institute"))


def test_code_is_read_as_it_stands() -> None:
    assert {"joint_state", "getLimit", "rpy"} <= read_statement(
        "joint_state and getLimit come before `rpy`."
    ).codes


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("I built it.", True),
        ("It is mine.", False),
        ("Part I. is old.", False),
        ("i think so", True),
    ],
)
def test_the_first_person_is_a_speaker(text: str, speaks: bool) -> None:
    assert has_speaker(text) is speaks


@pytest.mark.parametrize(
    ("text", "claims"),
    [("That is a great question!", False), ("Yes.", False), ("The foot slips.", True), ("", False)],
)
def test_a_courtesy_claims_nothing(text: str, claims: bool) -> None:
    assert claims_something(text) is claims


@example("ﾞ")  # nothing is left of it without its accents
@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert read_statement(text) == read_statement(text)
