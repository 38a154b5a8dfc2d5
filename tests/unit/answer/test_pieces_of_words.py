"""A pattern that is only looked for where pieces of its words stand is found as before."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer import statements
from functions.answer.words import may_hold
from functions.privacy import personal_data

PAIRS = [
    (statements._NEGATION, statements._NEGATING),
    (statements._HEDGE, statements._HEDGING),
    (statements._ABSOLUTE, statements._BEING_ABSOLUTE),
    (statements._SUPERLATIVE, statements._ABOVE_ALL),
    (statements._COMPARED, statements._COMPARING),
]


@pytest.mark.parametrize(("pattern", "pieces"), PAIRS)
@given(data=st.data())
def test_every_match_has_a_piece(
    pattern: re.Pattern[str], pieces: tuple[str, ...], data: st.DataObject
) -> None:
    assert may_hold(data.draw(st.from_regex(pattern)), pieces)


@given(st.from_regex(statements._CODE))
def test_every_code_has_a_sign(text: str) -> None:
    assert statements._CODE_SIGN.search(text)


@pytest.mark.parametrize("form", personal_data.SECRETS)
@given(data=st.data())
def test_every_key_has_a_piece(form: str, data: st.DataObject) -> None:
    secret = data.draw(st.from_regex(re.compile(form)))
    (rules,) = (each for each in personal_data._rules() if each.kind == "key")
    assert any(piece in secret.casefold() for piece in rules.hints)
