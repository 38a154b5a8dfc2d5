"""Folding in Python and in the database is one and the same."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from functions.book.fold import fold_text, fold_texts
from tests.postgres_fixtures import BookDatabase

NASTY = [
    "“Physical AI” isn’t — in any sense — ‘new’…",
    "soft\u00adhyphen, no\u00a0break, zero\u200bwidth, \ufeffmark, thin\u2009space",
    "e\u0301 and \u00e9, A\u030a and \u00c5 and \u212b, \u1e9b\u0323",
    "ﬁrst oﬃce ﬂow ﬀ ﬄ ﬅ ﬆ",
    "−1 ≠ -1 ‑ ‐ – — ―, 5′ 6″",
    "a\tb\r\nc\x0bd\x0ce\x1cf\x85g\u2028h\u2029i\u3000j",
    "한국어 \u1112\u1161\u11ab, עברית \u200fright\u200e, 👩\u200d🚀\ufe0f, 𝒳",
    "C:\\path\\n %s $1 'quoted' \"double\" `code` E'\\x' [a-z]+ \\u0041",
    "",
    " \u00a0\u200b\n",
]
# The two know Unicode of different years; a character new to one of them may compose in the other.
KNOWN = st.characters(exclude_categories=("Cs", "Cn"), exclude_characters="\x00")


@pytest.fixture(scope="module")
def connection(module_database: BookDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(module_database.dsn(), autocommit=True) as opened:
        yield opened


def folded_by_database(connection: psycopg.Connection, text: str) -> str:
    row = connection.execute("SELECT fold_text(%s)", (text,)).fetchone()
    assert row is not None
    return str(row[0])


@pytest.mark.parametrize("text", NASTY)
def test_agrees_on_text_that_was_set_or_copied_oddly(
    connection: psycopg.Connection, text: str
) -> None:
    assert folded_by_database(connection, text) == fold_text(text)


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(text=st.text(KNOWN, max_size=80))
def test_agrees_on_any_text(connection: psycopg.Connection, text: str) -> None:
    assert folded_by_database(connection, text) == fold_text(text)


def test_agrees_on_every_character(connection: psycopg.Connection) -> None:
    characters = [
        chr(code)
        for code in range(1, sys.maxunicode + 1)
        if unicodedata.category(chr(code)) not in ("Cs", "Cn", "Co")
    ]
    rows = connection.execute(
        "SELECT wanted.character, fold_text(wanted.character) FROM unnest(%s::text[]) AS wanted"
        " (character)",
        (characters,),
    ).fetchall()
    assert [row for row in rows if row[1] != fold_text(row[0])] == []


def test_finds_a_selection_however_it_was_copied() -> None:
    source = "The robot's “eﬃcient” gait — see below… — isn't\u00a0new."
    copied = 'robot’s "efficient"\n gait - see  below... - isn\'t new'
    assert fold_text(copied) in fold_text(source)


def test_keeps_what_tells_two_texts_apart() -> None:
    assert len({fold_text(text) for text in ("1.5 m", "15 m", "-15 m", "15 M", "¹5 m")}) == 5


@given(texts=st.lists(st.text(max_size=20)))
def test_folded_blocks_join_to_the_folded_text_and_each_is_where_it_is_said_to_be(
    texts: list[str],
) -> None:
    folded = fold_texts(texts)
    pieces = [folded.text[start : start + length] for start, length in folded.ranges]
    assert pieces == [fold_text(text) for text in texts]
    assert "".join(pieces) == folded.text
