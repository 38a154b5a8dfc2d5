"""A question that nothing can answer waits, and is answered when the parts are back."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

import functions.query.app
import functions.selected.app
from tests.integration.events import Function, opened
from tests.integration.standing import PAGE, Standing
from tests.integration.standing_answers import BALANCE, ask, recorded

pytest_plugins = ("tests.integration.standing_fixtures",)

# Word for word: this is promised to readers.
UNAVAILABLE = "AI assistant is temporarily unavailable. Please try again in a few moments."
PASSAGE = (
    "The ZMP is used for dynamic balance control in bipedal walking: the motion is planned and "
    "corrected so that the ZMP stays inside the support polygon. As long as it does, the "
    "supporting foot stays flat"
)


@pytest.fixture
def query(parts: Standing) -> Iterator[Function]:
    settings = parts.settings("query", retry_minutes=15)
    with opened(functions.query.app, settings) as function:
        yield function


def test_defers_what_nothing_can_answer_and_answers_it_when_the_parts_are_back(
    query: Function, parts: Standing
) -> None:
    asked = f"{BALANCE} Write to lea@school.example."
    without_queue = parts.settings("query", outbox_endpoint="http://127.0.0.1:9")
    with parts.postgres_stopped(), parts.qdrant_killed():
        deferred = ask(query, asked).answer
        (kept,) = parts.queued("query")
        ticket = deferred["ticket"]["id"]
        away = query.get(f"/tickets/{ticket}")
        other = ask(query).answer
        with opened(functions.query.app, without_queue) as keeping_nothing:
            unkept = ask(keeping_nothing)
    assert (deferred["status"], deferred["response"]) == ("deferred", UNAVAILABLE)
    assert deferred["ticket"]["poll_after_ms"] > 0
    assert deferred["ticket"]["eta_s"] == 15 * 60
    assert "lea@" not in json.dumps(kept)
    assert BALANCE in kept["body"]["request"]["question"]
    away.error(503, "queue_unavailable")
    assert int(away.headers["retry-after"]) > 0
    # What can be kept nowhere gets no ticket.
    assert unkept.error(503, "unavailable") == UNAVAILABLE
    assert int(unkept.headers["retry-after"]) > 0

    query.forget_failures()
    waits = query.get(f"/tickets/{ticket}").answer
    assert (waits["status"], waits["sentence"], waits["eta_s"]) == ("queued", UNAVAILABLE, 15 * 60)
    forged = ticket[:-1] + ("0" if ticket[-1] != "0" else "1")
    assert query.get(f"/tickets/{forged}").answer["status"] == "expired"

    assert parts.retry("selected")["answered"] == 0
    assert parts.retry("query") == {"stored": 2, "answered": 2, "given_up": 0, "waiting": 0}
    done = query.get(f"/tickets/{ticket}").answer
    assert done["status"] == "done"
    assert "dynamic balance control" in done["answer"]["response"]
    assert done["answer"]["query_id"] == deferred["query_id"]
    assert parts.retry("query") == {"stored": 0, "answered": 0, "given_up": 0, "waiting": 0}
    for each in (deferred, other):
        assert recorded(parts, each["query_id"]) == [("answered",)]


def test_keeps_a_deferred_query_in_postgres_when_that_can_until_its_time_is_over(
    query: Function, parts: Standing
) -> None:
    parts.sql("ALTER FUNCTION search_chunks RENAME TO search_nothing")
    with parts.qdrant_killed():
        deferred, too_old = ask(query).answer, ask(query).answer
        forgotten = ask(query, session="lea@school.example").answer
        assert deferred["response"] == UNAVAILABLE
        assert {each["kind"] for each in parts.queued("query")} == {"look"}
        assert parts.sql("SELECT status FROM admissions WHERE query_id = %s",
                         (deferred["query_id"],)) == [("deferred",)]  # fmt: skip
        state = query.get(f"/tickets/{deferred['ticket']['id']}").answer
        assert state["status"] == "queued"
        # Nothing is back: it waits on, and nobody else tries it meanwhile.
        assert parts.retry("query")["waiting"] == 3
        assert parts.retry("query")["waiting"] == 3
    parts.sql("ALTER FUNCTION search_nothing RENAME TO search_chunks")
    parts.sql(
        "UPDATE deferred_queries SET next_at = clock_timestamp(), deferred_at = deferred_at"
        " - CASE WHEN query_id = %s THEN interval '2 days' ELSE '0' END",
        (too_old["query_id"],),
    )
    assert "lea@" not in str(parts.sql("SELECT request FROM deferred_queries"))
    assert parts.sql("SELECT forget_session('lea@school.example')") == [(1,)]
    state = query.get(f"/tickets/{forgotten['ticket']['id']}").answer
    assert state["answer"] is None
    assert parts.retry("query") == {"stored": 0, "answered": 1, "given_up": 1, "waiting": 0}
    assert recorded(parts, deferred["query_id"]) == [("answered",)]
    assert recorded(parts, too_old["query_id"]) == [("refused",)]
    done = query.get(f"/tickets/{too_old['ticket']['id']}").answer
    assert (done["status"], done["answer"]["response"]) == ("done", UNAVAILABLE)


def test_a_selection_that_cannot_be_proven_waits_masked_and_only_its_own_function_answers_it(
    parts: Standing,
) -> None:
    settings = parts.settings("selected", require_verified_source=True)
    source = {"source": {"source_path": PAGE}}
    asked = {"question": f"{BALANCE} (call +1 202 555 0143)", "selected_text": PASSAGE}
    with opened(functions.selected.app, settings) as selected, ExitStack() as away:
        away.enter_context(parts.postgres_stopped())
        session = {"session_id": str(uuid.uuid4())}
        deferred = selected.post("/query-selected-text", asked | session | source).answer
        (kept,) = parts.queued("selected")
    assert (deferred["status"], deferred["response"]) == ("deferred", UNAVAILABLE)
    assert deferred["in_selected_text"] is False
    assert kept["body"]["request"]["selected_text"] == PASSAGE
    assert "202 555" not in json.dumps(kept)
    assert parts.retry("query") == {"stored": 0, "answered": 0, "given_up": 0, "waiting": 0}
    retried = parts.retry("selected", require_verified_source=True)
    assert retried == {"stored": 1, "answered": 1, "given_up": 0, "waiting": 0}
    assert recorded(parts, deferred["query_id"]) == [("answered",)]
    with opened(functions.query.app, parts.settings("query")) as query:
        done = query.get(f"/tickets/{deferred['ticket']['id']}").answer
    assert (done["status"], done["answer"]["mode"]) == ("done", "selected-text")
    assert "dynamic balance control" in done["answer"]["response"]
