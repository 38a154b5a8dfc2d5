from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from functions.answer.check.facts import read_statement


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It weighs 1,200 kg.", {("1200", "kg")}),
        ("It turns from −1.57 to 1.57 radians.", {("-1.57", ""), ("1.57", "")}),
        ("About 40% of 12 cases", {("40", "%"), ("12", "")}),
        ("forty percent or 40 percent", {("40", ""), ("40", "%")}),
        ("In the 1990s there were seven.", {("1990", ""), ("7", "")}),
    ],
)
def test_numbers_are_read_with_their_units(text: str, numbers: set[tuple[str, str]]) -> None:
    assert numbers <= read_statement(text).numbers


def test_names_are_runs_of_capitals_and_no_common_word_that_opens_a_sentence() -> None:
    names = read_statement("The idea is by Miomir Vukobratović of the Pupin Institute.").names
    assert names == (("miomir", "vukobratovic"), ("pupin", "institute"))


def test_code_is_read_as_it_stands() -> None:
    assert {"joint_state", "getLimit", "rpy"} <= read_statement(
        "joint_state and getLimit come before `rpy`."
    ).codes


def test_a_negation_is_read_with_what_it_denies() -> None:
    (denied,) = read_statement("The foot does not slip on ice.").negated
    assert {"slip", "ice"} <= denied
    assert read_statement("It can't tip.").negated
    assert not read_statement("It can tip.").negated


def test_hedges_absolutes_directions_questions_and_speakers_are_seen() -> None:
    assert read_statement("It may fall if pushed.").hedged
    assert read_statement("It always falls.").absolutes == {"always"}
    assert read_statement("It is higher and faster.").directions == {"higher", "faster"}
    assert read_statement("Does it fall?").question
    assert read_statement("I built it.").speaker
    assert not read_statement("Part I. is old.").speaker


@example("ﾞ")  # nothing is left of it without its accents
@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert read_statement(text) == read_statement(text)
