from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from functions.answer.text import synonyms
from functions.answer.text.synonyms import are_opposite, counterparts, forms_of, synonym_match
from functions.answer.text.words import stem


@pytest.mark.parametrize(
    ("word", "other", "worth"),
    [
        ("won", "win", 1.0),
        ("written", "wrote", 1.0),
        ("Canadian", "Canada", 1.0),
        ("television", "TV", 1.0),
        ("robot", "robots", 1.0),
        ("invaded", "invasion", 1.0),
        ("build", "construct", 0.8),
        ("built", "construct", 0.8),
        ("stabilise", "stabilize", 1.0),
        ("lamp", "robot", 0.0),
        ("win", "lose", 0.0),
        ("increase", "decrease", 0.0),
        ("1996", "1997", 0.0),
    ],
)
def test_words_of_one_family_stand_for_each_other(word: str, other: str, worth: float) -> None:
    one, two = stem(word.lower()), stem(other.lower())
    assert synonym_match(one, frozenset({two, "else"})) == worth
    assert (two in counterparts(one, frozenset({two, "else"}))) is (worth > 0)


def test_nothing_stands_among_nothing() -> None:
    assert synonym_match("robot", frozenset()) == 0.0
    assert forms_of("robot") == frozenset()


def test_no_word_is_a_synonym_of_its_opposite() -> None:
    lines = Path(synonyms.__file__).with_name("synonyms.txt").read_text("utf-8").splitlines()
    members = [line.split() for line in lines if line and line[0] not in "#["]
    assert len(members) > 100
    for line in members:
        pairs = combinations(map(stem, line), 2)
        assert not any(are_opposite(one, other) for one, other in pairs), line


@pytest.mark.parametrize(
    ("one", "other", "opposed"),
    [
        ("faster", "slower", True),
        ("input", "output", True),
        ("valid", "invalid", True),
        ("connect", "disconnect", True),
        ("put", "input", False),
        ("robot", "robots", False),
        ("robot", "arm", False),
    ],
)
def test_opposites_are_listed_or_have_a_prefix_of_negation(
    one: str, other: str, opposed: bool
) -> None:
    assert are_opposite(stem(one), stem(other)) is opposed
    assert are_opposite(stem(other), stem(one)) is opposed
