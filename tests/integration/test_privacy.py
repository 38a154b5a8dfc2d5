"""Readers' personal data, planted in every field of every route: none of it is stored or logged."""

from __future__ import annotations

import io
import json
import logging
import uuid
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import httpx2
import pytest

import functions.analytics.app
import functions.query.answer_query
import functions.query.app
import functions.selected.app
from functions.adapters.postgres.database import Database, DatabaseRejected
from functions.adapters.postgres.query_records import ErrorRecord, QueryRecords
from functions.runtime.logs import logger
from functions.runtime.privacy.personal_data import mask_personal_data
from tests.integration.conftest import Open
from tests.integration.events import Function
from tests.integration.sample_stage import Stage
from tests.integration.writers import is_judging
from tests.openai_server.replies import Answer, Failure, Reply, Verdicts
from tests.openai_server.service import OpenAIServer, Recorded
from tests.personal_samples import PERSONAL
from tests.postgres_fixtures import BookDatabase

QUESTION = "What is the ZMP used for?"
ZMP_PAGE = "docs/03-balance-and-walking/02-zero-moment-point.md"
PASSAGE = (
    "The ZMP is used for dynamic balance control of a walking robot, and its margin is what the "
    "controller watches at every step of the way."
)
MASKS = {f"[{kind}]" for kind, _ in PERSONAL}


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What is written to the log while the test runs: our lines, and those of libraries."""
    written = io.StringIO()
    ours, others = logging.StreamHandler(written), logging.StreamHandler(written)
    ours.setFormatter(logger().registered_formatter)
    others.addFilter(lambda record: record.name != "quoth")
    logging.getLogger("quoth").addHandler(ours)
    logging.getLogger().addHandler(others)
    yield written
    logging.getLogger("quoth").removeHandler(ours)
    logging.getLogger().removeHandler(others)


def everything_stored(database: BookDatabase) -> str:
    """Every row of every table, as text: a column that is added is looked at too."""
    tables = database.run(
        "SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        " AND relkind IN ('r', 'm', 'p')"
    )
    assert len(tables) > 10
    return "\n".join(
        str(row[0]) for (table,) in tables for row in database.run(f"SELECT t::text FROM {table} t")
    )


def planted_in(said: str) -> list[str]:
    """Which of the planted values stand in a text, as they are or as JSON writes them."""
    forms = [(value, {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]})
             for _, value in PERSONAL]  # fmt: skip
    return [value for value, written in forms if any(form in said for form in written)]


def query_with(value: str, **more: Any) -> dict[str, Any]:
    """A question that has the value in every text it takes."""
    return {
        "question": f"{QUESTION} I am {value}",
        "session_id": value[:100],
        "page": dict.fromkeys(("permalink", "source_path"), f"{ZMP_PAGE}?me={value}"),
        "chapter_context": dict.fromkeys(
            ("chapter_id", "chapter_title", "confidence", "source"), value
        ),
        "selected_text": f"{PASSAGE} Ask {value}.",
        **more,
    }


def highlight_with(value: str) -> dict[str, Any]:
    place = {"source_path": ZMP_PAGE, "start_block": 0, "end_block": 30}
    return query_with(value, mode="highlight", highlight={"text": f"{PASSAGE} {value}", **place})


def selection_with(value: str) -> dict[str, Any]:
    return {
        "question": f"Whom may I ask about the ZMP, {value}?",
        "selected_text": f"{PASSAGE} For more about the ZMP you may ask {value} at any time.",
        "session_id": value[:100],
        "source": {"source_path": f"docs/{value}", "permalink": f"/x?me={value}"},
    }


def says(value: str) -> Callable[[Recorded], Reply]:
    """A model that repeats the value, as if the book said it."""

    def script(request: Recorded) -> Reply:
        if is_judging(request):
            return Verdicts([False] * 8)
        return Answer([(f"The ZMP is {value}.", [next(iter(request.sentences))])])

    return script


async def give_feedback(stage: Stage, database: Database, response_id: str, value: str) -> None:
    app = functions.analytics.app.create(lambda: stage.settings("analytics"))
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app), base_url="http://api"
    ) as client:
        given = {"response_id": response_id, "session_id": value[:100], "rating": "helpful"}
        with patch.object(functions.analytics.app, "build_database", lambda _: database):
            reply = await client.post("/feedback", json=given | {"reason": value, "comment": value})
        assert reply.status_code == 200


async def test_no_personal_data_of_readers_is_stored_or_logged(
    query: Function,
    selected: Function,
    writing: Open,
    openai_server: OpenAIServer,
    stage: Stage,
    connect: Callable[..., Database],
    lines: io.StringIO,
) -> None:
    writing_query = writing(functions.query.app, "query")
    writing_selected = writing(functions.selected.app, "selected", moderation_model="")
    told: list[str] = []
    verdicts = connect(stage.database.dsn("quoth_analytics"))
    for number, (_, value) in enumerate(PERSONAL):
        key = {"idempotency-key": value.replace("\n", " ").encode().decode("latin-1")}
        answers = [query.post("/query", query_with(value), headers=key).answer]
        answers.append(query.post("/query", highlight_with(value)).answer)
        answers.append(selected.post("/query-selected-text", selection_with(value)).answer)
        query.get(f"/search?q={number}%20{QUESTION}")
        openai_server.answer_with(says(value))
        answers.append(writing_query.post("/query", query_with(value, fresh=True)).answer)
        openai_server.answer_with(lambda _: Failure(500))
        answers.append(writing_selected.post("/query-selected-text", selection_with(value)).answer)
        told += [answer["status"] for answer in answers]
        for answer in answers:
            await give_feedback(stage, verdicts, answer["response_id"], value)
        wrong = DatabaseRejected(f'invalid input: "{value}"')
        with patch.object(QueryRecords, "begin", side_effect=wrong):
            place = f"192.0.2.{number}"  # in memory ten readers of one may begin
            assert query.post("/query", query_with(value), source_ip=place).status == 200
        with patch.object(
            functions.query.answer_query, "read_intent", side_effect=ValueError(value)
        ):
            query.post("/query", query_with(value)).error(500, "internal")
        records = QueryRecords(connect(stage.database.dsn("quoth_query")))
        failure = ErrorRecord("ValueError", value, f"in f({value!r})", detail={"question": value})
        await records.errors([failure], seconds=5)

    with stage.postgres.cut(), stage.embeddings.cut(), stage.qdrant.cut():
        query.post("/query", query_with(PERSONAL[0][1]))
        selected.post("/query-selected-text", selection_with(PERSONAL[0][1]))

    assert told.count("answered") > len(PERSONAL)
    stored, logged = everything_stored(stage.database), lines.getvalue()
    assert planted_in(stored) == []
    assert [line for line in logged.splitlines() if planted_in(line)][:3] == []
    assert planted_in(logged) == []
    assert all(mask in stored and mask in logged for mask in MASKS)
    for said in ("limits unavailable", "request failed", "record lost", "nothing can search"):
        assert said in logged


def test_a_reader_hears_the_words_of_the_selection_and_they_are_stored_masked(
    selected: Function, stage: Stage
) -> None:
    value = "ada.lovelace@example.org"
    answer = selected.post("/query-selected-text", selection_with(value)).answer
    assert value in answer["response"]
    (row,) = stage.database.run(
        "SELECT question, selected_text, generated_response, session_id FROM queries"
        " JOIN responses USING (query_id) WHERE query_id = %s",
        (answer["query_id"],),
    )
    asked = selection_with(value)
    assert row[0] == mask_personal_data(asked["question"])
    assert row[1] == mask_personal_data(asked["selected_text"])
    assert row[2] == mask_personal_data(answer["response"])
    assert len(str(row[3])) == 32


def test_an_answer_to_a_question_with_personal_data_is_kept_for_nobody_else(
    query: Function, stage: Stage
) -> None:
    question = f"Which sensors measure the joint angle, {uuid.uuid4().hex}?"
    before = stage.database.run("SELECT count(*) FROM answer_cache")
    for value in ("ada@example.org", "bob@example.org"):
        asked = {"question": f"{question} {value}", "session_id": str(uuid.uuid4())}
        query.post("/query", asked)
    assert stage.database.run("SELECT count(*) FROM answer_cache") == before
    query.post("/query", {"question": question, "session_id": str(uuid.uuid4())})
    assert stage.database.run("SELECT count(*) FROM answer_cache") == [
        (int(str(before[0][0])) + 1,)
    ]


def test_the_hash_of_a_question_tells_no_personal_data(query: Function, stage: Stage) -> None:
    hashes = set()
    for value in ("+49 170 1234567", "+49 170 7654321"):
        asked = {"question": f"{QUESTION} Call {value}.", "session_id": str(uuid.uuid4())}
        answer = query.post("/query", asked).answer
        rows = stage.database.run(
            "SELECT question_hash FROM queries WHERE query_id = %s", (answer["query_id"],)
        )
        hashes.add(rows[0][0])
    assert len(hashes) == 1


def test_a_session_named_after_a_person_still_has_its_history(
    query: Function, stage: Stage
) -> None:
    names = [f"{uuid.uuid4().hex}@example.org" for _ in range(2)]
    for name in names:
        query.post("/query", {"question": QUESTION, "session_id": name, "fresh": True})
    query.post("/query", {"question": QUESTION, "session_id": names[0], "fresh": True})
    rows = stage.database.run(
        "SELECT repeated FROM queries WHERE session_id IN"
        " (stored_session(%s, true), stored_session(%s, true)) ORDER BY asked_at",
        tuple(names),
    )
    assert rows == [(False,), (False,), (True,)]
    assert len({stage.database.run("SELECT stored_session(%s, true)", (n,))[0] for n in names}) == 2
