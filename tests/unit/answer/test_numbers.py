from __future__ import annotations

import pytest

from functions.answer.check.alignment import tokens_of
from functions.answer.check.numbers import Amount, amounts_of, has_wrong_number

TOLD = "It can lift 25 kg. The battery lasts 200 hours. It has three legs."


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("It weighs 1,200 kg.", [("1200", "kg")]),
        ("From −1.57 to 1.57 radians", [("-1.57", ""), ("1.57", "rad")]),
        ("About 40% of 12 cases", [("40", "%"), ("12", "")]),
        ("forty percent or 40 percent", [("40", "%"), ("40", "%")]),
        ("It costs $3.", [("3", "$")]),
        ("It took 5 milliseconds.", [("5", "ms")]),
    ],
)
def test_numbers_are_read_with_their_units(text: str, amounts: list[tuple[str, str]]) -> None:
    assert [(each.value, each.unit) for each in amounts_of(tokens_of(text))] == amounts


def test_a_number_is_read_with_the_nouns_after_it() -> None:
    assert list(amounts_of(tokens_of("three long legs, two arms"))) == [
        Amount("3", "", ("long", "leg")),
        Amount("2", "", ("arm",)),
    ]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("It can lift 25 kilograms.", False),
        ("The battery lasts for 200 h.", False),
        ("It has 3 legs.", False),
        ("It can lift 26 kg.", True),
        ("It can lift 25 hours.", True),
        ("It has 25 legs.", True),
        ("It has 200 legs.", True),
        ("It can lift.", False),
    ],
)
def test_a_number_belongs_to_its_unit_and_its_noun(text: str, wrong: bool) -> None:
    given = tokens_of(TOLD)
    page = frozenset(token.key for token in given if token.is_number)
    assert has_wrong_number(tokens_of(text), [given], page) is wrong
