from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.web.sessions import InvalidToken, read_token, sign_token

KEY = "k" * 32
ORIGIN = "https://book.example"
texts = st.text(max_size=120)


@given(texts, texts, texts)
def test_a_token_is_of_its_session_and_its_site_and_of_no_other(
    session: str, origin: str, other: str
) -> None:
    read = read_token(KEY, sign_token(KEY, session, origin, 100), 99.9)
    assert read.is_of(KEY, session)
    assert read.is_from(KEY, origin)
    assert read.is_of(KEY, other) == (_stored(other) == _stored(session))
    assert read.is_from(KEY, other) == (_stored(other) == _stored(origin))


def _stored(text: str) -> bytes:
    return text.encode("utf-8", "replace")


@pytest.mark.parametrize("now", [100, 100.5, 10**9])
def test_a_token_ends(now: float) -> None:
    with pytest.raises(InvalidToken):
        read_token(KEY, sign_token(KEY, "s", ORIGIN, 100), now)


def test_a_token_of_another_key_is_forged() -> None:
    with pytest.raises(InvalidToken):
        read_token("x" * 32, sign_token(KEY, "s", ORIGIN, 100), 1)


@given(st.data())
def test_no_changed_token_is_taken(data: st.DataObject) -> None:
    token = sign_token(KEY, "s", ORIGIN, 100)
    at = data.draw(st.integers(0, len(token)))
    until = data.draw(st.integers(at, len(token)))
    changed = token[:at] + data.draw(st.text(max_size=8)) + token[until:]
    if changed == token:
        return
    with pytest.raises(InvalidToken):
        read_token(KEY, changed, 1)


@given(st.text(max_size=200))
def test_no_text_is_a_token(text: str) -> None:
    with pytest.raises(InvalidToken):
        read_token(KEY, text, 1)


def test_a_later_end_is_forged() -> None:
    *_, session, origin, signature = sign_token(KEY, "s", ORIGIN, 100).split(".")
    later = base64.urlsafe_b64encode((10**10).to_bytes(8, "big")).rstrip(b"=").decode()
    with pytest.raises(InvalidToken):
        read_token(KEY, ".".join([later, session, origin, signature]), 1)


def test_a_token_holds_neither_the_session_nor_the_site() -> None:
    token = sign_token(KEY, "ada@example.org", ORIGIN, 100)
    read = b"".join(base64.urlsafe_b64decode(part + "===") for part in token.split("."))
    assert b"ada" not in read
    assert b"book" not in read
