"""A pattern that is only looked for where a sign of it stands is found as before."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.check import facts
from functions.runtime.privacy import personal_data
from functions.runtime.privacy.secret_forms import LABELS_BEGIN


@given(st.from_regex(facts._CODE))
def test_every_code_has_a_sign(text: str) -> None:
    assert facts._CODE_SIGN.search(text)


@pytest.mark.parametrize("form", personal_data.SECRETS)
@given(data=st.data())
def test_every_key_has_a_piece(form: str, data: st.DataObject) -> None:
    without = form.replace(LABELS_BEGIN, "")  # texts with it are rarely found
    secret = data.draw(st.from_regex(re.compile(without)))
    assert [*re.finditer(form, secret)] or not [*re.finditer(without, secret)]
    (rules,) = (each for each in personal_data._rules() if each.kind == "key")
    assert rules.may_hold(secret, secret.casefold())
