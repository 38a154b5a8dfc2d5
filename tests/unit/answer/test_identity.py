from __future__ import annotations

import pytest

from functions.answer.check.entity_names import identifies_another

EVIDENCE = (
    "Steam engines drove ships and mills, and the turbines of the mill were wooden.",
    "The courts of the member states apply the law; a treaty is the source of law.",
)


@pytest.mark.parametrize(
    "said",
    [
        "That is steam turbines.",
        "Steam engines drove ships and mills. That was the wooden mill.",
        "It is called the wooden ship.",
        "They were the courts of law.",
        "The answer is the wooden courts",
    ],
)
def test_a_name_whose_words_stand_apart_is_another(said: str) -> None:
    assert identifies_another(said, EVIDENCE)


@pytest.mark.parametrize(
    "said",
    [
        "That is steam engines.",
        "They are the courts of the member states.",
        "It is the source of law.",
        "Steam engines drove ships. It was so.",
        "Engines drove ships and mills, which were wooden.",
        "It is the law that the courts of all member states apply to ships and mills alike.",
    ],
)
def test_a_name_that_stands_there_or_a_longer_statement_is_left_to_the_other_rules(
    said: str,
) -> None:
    assert not identifies_another(said, EVIDENCE)
