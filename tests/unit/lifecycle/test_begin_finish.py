from __future__ import annotations

import asyncio
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import functions.lifecycle.begin_finish
from functions.adapters.postgres.admission import BeginRequest, Begun
from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
from functions.adapters.postgres.query_records import QueryRecord
from functions.answer.deadline import Deadline
from functions.lifecycle.begin_finish import Caller, begin, finish, key_of
from functions.lifecycle.not_served import NotServed
from functions.lifecycle.offline import LocalState
from functions.query.requests import QueryRequest
from functions.runtime.networks import Network
from functions.web.errors import api_error
from functions.web.fields import clean
from functions.web.sentences import FULL, NETWORK_TOO_MANY, NETWORK_TOO_MANY_READERS

CALLER = Caller(Network("198.51.100.0/24", 300), "key-1", "lea")
marks = st.text(" ?!.\t\n", max_size=4)


class Records:
    """A database that says one thing, or fails."""

    def __init__(self, says: Begun | Exception) -> None:
        self.says = says
        self.heard: list[BeginRequest | QueryRecord] = []

    async def begin(self, request: BeginRequest, *, seconds: float) -> Begun:
        return self._answer(request)

    async def finish(self, record: QueryRecord, *, seconds: float) -> None:
        self._answer(record)

    def _answer(self, heard: BeginRequest | QueryRecord) -> Begun:
        self.heard.append(heard)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


async def begun(
    says: Begun | Exception, caller: Caller = CALLER, **more: Any
) -> tuple[Begun, BeginRequest]:
    records: Any = Records(says)
    asked = QueryRequest.model_validate({"question": "What?", "session_id": "s", **more})
    got = await begin(records, LocalState(), asked, caller, "question-key", "cache-key")
    return got, records.heard[0]


async def test_all_that_the_database_must_know_is_told() -> None:
    ticket = "0f8fad5b-d9cb-469f-a165-70867728950e"
    _, told = await begun(Begun("run"), user_id="another", ticket=ticket.upper(), fresh=True)
    assert (told.mode, told.session_id, told.user_id) == ("book-wide", "s", "lea")
    assert (told.question_hash, told.cache_key) == ("question-key", "cache-key")
    assert (told.network, told.network_readers) == ("198.51.100.0/24", 300)
    assert told.idempotency_key == "key-1"
    _, again = await begun(Begun("run"))
    assert again.query_id == told.query_id != again.attempt != told.attempt
    assert (told.ticket, told.fresh) == (ticket, True)


@pytest.mark.parametrize(
    ("says", "status", "code", "sentence", "wait"),
    [
        (
            Begun("limited", retry_after_s=42, most=10), 429, "too_many_questions",
            "You can ask 10 questions a minute. Please try again in 42 seconds.", "42",
        ),
        (
            Begun("limited", limit_of="network", most=100), 429, "network_too_many_questions",
            NETWORK_TOO_MANY.format(most=100, wait="1 second"), "1",
        ),
        (
            Begun("limited", retry_after_s=7, limit_of="new_readers", most=10),
            429, "network_too_many_readers",
            NETWORK_TOO_MANY_READERS.format(most=10, wait="7 seconds"), "7",
        ),
        (Begun("full", retry_after_s=5), 503, "full", FULL, "5"),
        (Begun("expired"), 404, "ticket_expired", None, None),
    ],
)  # fmt: skip
async def test_a_reader_who_must_wait_is_told_how_long(
    says: Begun, status: int, code: str, sentence: str | None, wait: str | None
) -> None:
    with pytest.raises(NotServed) as raised:
        await begun(says)
    told = api_error(raised.value)
    assert (told.status, told.code) == (status, code)
    assert told.headers.get("Retry-After") == wait
    if sentence:
        assert told.message == sentence


@pytest.mark.parametrize("error", [DatabaseUnavailable("away"), DatabaseRejected("no right")])
async def test_a_database_that_is_away_costs_the_reader_nothing(error: Exception) -> None:
    got, _ = await begun(error)
    assert (got.verdict, got.admitted_locally, got.cached) == ("run", True, None)
    # It came with a key: sent again, it is the same query.
    assert (await begun(error))[0].query_id == got.query_id
    record = QueryRecord(
        query_id="q", response_id="r", mode="book-wide", session_id="s", question="?", status="x"
    )
    records: Any = Records(error)
    await finish(records, LocalState(), record, Deadline.after(1))
    assert records.heard == [record]


async def test_the_outbox_loads_while_a_slow_database_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(functions.lifecycle.begin_finish, "SLOW_BEGIN_SECONDS", 0.0)
    loading, outbox = asyncio.Event(), Mock()
    outbox.load = loading.set

    class Silent(Records):
        async def begin(self, request: BeginRequest, *, seconds: float) -> Begun:
            await loading.wait()
            return self._answer(request)

    records: Any = Silent(DatabaseUnavailable("away"))
    asked = QueryRequest.model_validate({"question": "What?", "session_id": "s"})
    async with asyncio.timeout(10):
        got = await begin(records, LocalState(outbox=outbox), asked, CALLER, "question-key")
    assert got.admitted_locally


async def test_each_question_has_an_id_of_its_own() -> None:
    ids = {(await begun(Begun("run"), Caller()))[1].query_id for _ in range(3)}
    assert len(ids) == 3


@given(st.text(), marks, marks)
def test_case_blanks_and_end_marks_do_not_make_another_question(
    text: str, before: str, after: str
) -> None:
    assert key_of(f"{before}{text}{after}") == key_of(text)
    assert key_of("What  is\n a Gait?") == key_of("what is a gait")


texts = st.lists(st.text("ab"), min_size=1, max_size=3)


@given(texts, texts)
def test_other_texts_make_another_key(left: list[str], right: list[str]) -> None:
    assert (key_of(*left) == key_of(*right)) == (left == right)


@given(st.text(st.characters(categories=None)))
def test_cleaned_text_can_be_stored(text: str) -> None:
    cleaned = clean(text)
    assert "\x00" not in cleaned
    assert cleaned.encode().decode() == cleaned
    assert clean(cleaned) == cleaned
