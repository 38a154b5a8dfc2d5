"""The key of a cached answer: equal questions share it, anything else that an answer depends on
changes it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from functions.answer.write.quote_writer import QuoteWriter
from functions.lifecycle.choose_writer import ChosenWriter, Writers
from functions.query.cache_keys import cache_key
from functions.query.intents.classify import Intent
from functions.query.requests import QueryRequest
from functions.runtime.prices import shipped_prices

QUOTES = Writers(QuoteWriter(3), shipped_prices())
WRITTEN = replace(QUOTES, large=ChosenWriter(QuoteWriter(3), "a-model", judge_model="a-judge"))
ASKED = QueryRequest(question="What is a servo?", session_id="one")


def key(asked: QueryRequest = ASKED, most: int = 3, writers: Writers = QUOTES, read: bool = False):
    return cache_key(asked, Intent(), most, writers, is_read=read)


def test_two_sessions_share_an_answer() -> None:
    assert key() == key(ASKED.model_copy(update={"session_id": "two"}))


@pytest.mark.parametrize(
    "other",
    [
        key(ASKED.model_copy(update={"question": "What is a motor?"})),
        key(most=2),
        key(writers=WRITTEN),
        key(read=True),
    ],
    ids=["question", "quotes", "writer", "reader"],
)
def test_what_an_answer_depends_on_changes_its_key(other: str | None) -> None:
    assert other not in (None, key())
