"""Where the reader is: it changes the order of what is found, and never fails a question."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from tests.integration.events import Function
from tests.integration.sample_stage import Stage

QUESTION = "What does a robot need sensors for?"
PLACE_FIELDS = ("chapter_filtered", "chapter_id", "boost_applied", "filtered_count")
NOWHERE = (False, None, False, 0)


def ask(query: Function, **more: Any) -> dict[str, Any]:
    body = {"question": QUESTION, "session_id": str(uuid.uuid4()), "fresh": True, **more}
    return query.post("/query", body).answer


def place_of(answer: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(answer["metadata"][field] for field in PLACE_FIELDS)


def context(chapter_id: str, **more: Any) -> dict[str, Any]:
    return {
        "chapter_id": chapter_id,
        "chapter_title": "",
        "confidence": "high",
        "source": "url",
    } | more


def found_ids(stage: Stage, answer: dict[str, Any]) -> list[str]:
    ((ids,),) = stage.database.run(
        "SELECT retrieved_chunk_ids FROM queries WHERE query_id = %s", (answer["query_id"],)
    )
    return list(ids)


def chapters_of(stage: Stage, ids: list[str]) -> list[str]:
    rows = stage.database.run(
        "SELECT id, body #>> '{chapter,id}' FROM chunks WHERE id = ANY(%s)", (ids,)
    )
    chapters = {str(row[0]): str(row[1]) for row in rows}
    return [chapters[each] for each in ids]


def test_without_a_place_nothing_is_boosted(query: Function) -> None:
    assert place_of(ask(query)) == NOWHERE


@pytest.mark.parametrize("name", ["foundations", "Foundations", "01-foundations", "1", "chapter-1"])
def test_a_chapter_is_known_under_every_name_a_page_has_for_it(
    query: Function, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    caplog.set_level("INFO")
    filtered, chapter_id, applied, count = place_of(ask(query, chapter_context=context(name)))
    assert (filtered, chapter_id, applied) == (True, "foundations", True)
    assert count >= 1
    (said,) = (r for r in caplog.records if r.message == "chapter context detected")
    logged = {field: said.__dict__[field] for field in ("operation", "chapter_id", "confidence",
                                                        "source", "status")}  # fmt: skip
    assert logged == {"operation": "chapter_detect", "chapter_id": name, "confidence": "high",
                      "source": "url", "status": "detected"}  # fmt: skip


def test_the_readers_chapter_moves_up(query: Function, stage: Stage) -> None:
    plain = boosted = 0
    for chapter in ("foundations", "balance-and-walking", "simulation"):
        for question in ("Why do robots fall?", "What does a robot know of its own body?"):
            asked = [
                ask(query, question=question, chapter_context=place)
                for place in (None, context(chapter))
            ]
            before, after = (chapters_of(stage, found_ids(stage, answer)) for answer in asked)
            plain += before.count(chapter)
            boosted += after.count(chapter)
    assert boosted > plain


@pytest.mark.parametrize(
    "wrong",
    [
        context("volcanoes"),
        context("99"),
        context(""),
        context("x' OR ''='"),
        {},
        [],
        "foundations",
        7,
        {"chapter_id": {"$ne": ""}},
        {"chapter_id": "w" * 301},
        {"chapter_id": ["foundations"]},
    ],
)
def test_a_context_that_is_none_is_logged_and_changes_nothing(
    query: Function, stage: Stage, caplog: pytest.LogCaptureFixture, wrong: Any
) -> None:
    plain, answer = ask(query), ask(query, chapter_context=wrong)
    assert place_of(answer) == NOWHERE
    assert found_ids(stage, answer) == found_ids(stage, plain)
    assert answer["claims"] == plain["claims"]
    assert answer["related"] == plain["related"]
    warned = [r for r in caplog.records if r.message == "chapter context ignored"]
    assert [record.levelname for record in warned] == ["WARNING"]


def test_numbers_and_null_are_taken(query: Function) -> None:
    assert place_of(ask(query, chapter_context=None)) == NOWHERE
    taken = {"chapter_id": 1, "confidence": 0.9}
    assert place_of(ask(query, chapter_context=taken))[:2] == (True, "foundations")


@pytest.mark.parametrize("away", ["qdrant", "embeddings"])
def test_the_chapter_counts_while_a_part_is_away(query: Function, stage: Stage, away: str) -> None:
    with getattr(stage, away).cut():
        answer = ask(query, chapter_context=context("foundations"))
    assert place_of(answer)[:3] == (True, "foundations", True)


def test_a_selection_ranks_what_has_its_words(query: Function, stage: Stage) -> None:
    selection = "A gear ratio trades speed for torque at the motor."
    question = "What does a robot use?"
    answer = ask(query, selected_text=selection, question=question)
    assert place_of(answer) == (False, None, True, 0)
    plain = ask(query, question=question)
    words = "gear|ratio|torque|motor"
    assert mentions(stage, answer, words) > mentions(stage, plain, words)


def mentions(stage: Stage, answer: dict[str, Any], words: str) -> int:
    """How many of the words the chunks that were found have, together."""
    ((count,),) = stage.database.run(
        "SELECT count(DISTINCT (id, lower(found[1]))) FROM chunks,"
        " regexp_matches(body ->> 'text', %s, 'gi') AS found WHERE id = ANY(%s)",
        (words, found_ids(stage, answer)),
    )
    return int(str(count))


def test_a_place_takes_no_further_round_trip(query: Function, stage: Stage) -> None:
    ask(query)
    before = stage.qdrant.turns, stage.embeddings.turns, stage.postgres.turns
    ask(query, chapter_context=context("foundations"), selected_text="gyroscopes and gears")
    after = stage.qdrant.turns, stage.embeddings.turns, stage.postgres.turns
    assert [b - a for a, b in zip(before, after, strict=True)] == [1, 1, 2]
