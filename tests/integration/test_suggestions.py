"""`GET /suggestions` at the front door: each question it gives is one the book answers."""

from __future__ import annotations

from urllib.parse import urlencode

from tests.integration.events import Function
from tests.integration.sample_stage import Stage

ZMP = "docs/03-balance-and-walking/02-zero-moment-point.md"


def suggestions(query: Function, **page: str) -> list[str]:
    questions: list[str] = query.get(f"/suggestions?{urlencode(page)}").answer["questions"]
    return questions


def test_each_question_is_answered_from_the_page(query: Function, stage: Stage) -> None:
    questions = suggestions(query, source_path=ZMP)
    assert 1 <= len(questions) <= 3
    for question in questions:
        asked = {"question": question, "session_id": "suggested", "page": {"source_path": ZMP}}
        reply = query.post("/query", asked).answer
        assert reply["status"] == "answered", question


def test_a_page_the_book_does_not_have_has_none(query: Function) -> None:
    assert suggestions(query, source_path="docs/nowhere.md") == []
    assert suggestions(query, permalink="/nowhere") == []
    assert suggestions(query) == []


def test_is_unavailable_while_the_database_is_away(query: Function, stage: Stage) -> None:
    with stage.postgres.cut():
        query.get("/suggestions?source_path=other.md").error(503, "unavailable")
