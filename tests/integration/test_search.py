"""`GET /search` at the front door: what it takes, what it gives, what it leaves alone."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.integration.events import Function
from tests.integration.sample_stage import Stage


def test_a_section_is_listed_once_with_its_title_and_link(query: Function) -> None:
    sections = query.get("/search?q=" + quote("How does the ankle strategy work?")).answer[
        "sections"
    ]
    links = [section["url"] for section in sections]
    assert 1 < len(links) <= 10
    assert len(set(links)) == len(links)
    assert all(link.startswith("/") for link in links)
    assert all(
        set(section) == {"title", "url", "text"} and section["title"] for section in sections
    )
    assert any("nkle" in section["title"] or "reflex" in section["url"] for section in sections)


@pytest.mark.parametrize(
    "given", ["", "?q=", "?q=%20%20", "?q=%00%01", "?q=" + "a" * 1_001, "?question=gears"]
)
def test_what_is_no_question_is_refused_in_the_form_of_all_errors(
    query: Function, given: str
) -> None:
    assert query.get(f"/search{given}").error(422, "invalid_request").startswith("q: ")


@pytest.mark.parametrize(
    "words",
    ["a" * 1_000, "🤖", "\u202erobot", "ZMP\u0000", "'; DROP TABLE chunks; --", "???",
     "{}[]*:\\", "ü" * 500],
    ids=["longest", "emoji", "right to left", "nul", "sql", "marks", "brackets", "not ascii"],
)  # fmt: skip
def test_odd_words_are_searched_like_others(query: Function, words: str) -> None:
    assert isinstance(query.get("/search?q=" + quote(words)).answer["sections"], list)


def test_half_a_character_is_no_error(query: Function) -> None:
    assert query.get("/search?q=%ED%A0%80zmp").status == 200


def test_writes_and_reads_nothing_in_the_database(query: Function, stage: Stage) -> None:
    query.get("/search?q=gears")
    turns = stage.postgres.turns
    assert query.get("/search?q=gear%20ratio").answer["sections"]
    assert stage.postgres.turns == turns


def test_finds_sections_while_the_index_or_the_embeddings_are_away(
    query: Function, stage: Stage
) -> None:
    with stage.qdrant.cut():
        assert query.get("/search?q=zero%20moment%20point").answer["sections"]
    with stage.embeddings.cut():
        assert query.get("/search?q=zero%20moment%20point").answer["sections"]
