"""Highlight mode through the front door: nothing but the blocks of the range, whatever is down."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from functions.answer.refusals import INSUFFICIENT_SELECTION
from tests.integration.events import Function
from tests.integration.sample_stage import Stage
from tests.integration.writers import writes
from tests.openai_server.service import OpenAIServer

PAGE = "docs/03-balance-and-walking/02-zero-moment-point.md"
USED = "What is the ZMP used for?"
HISTORY = "Which robot walked dynamically with a ZMP method in 1984?"
Blocks = dict[int, str]


@pytest.fixture(scope="module")
def blocks(stage: Stage) -> Blocks:
    """The page's blocks as they stand in the database."""
    rows = stage.database.run(
        "SELECT index, text FROM blocks JOIN documents ON documents.id = document_id"
        " WHERE source_path = %s AND kind <> 'heading' ORDER BY index",
        (PAGE,),
    )
    return dict(rows)


def block_with(blocks: Blocks, words: str) -> int:
    (number,) = (number for number, text in blocks.items() if words in text)
    return number


def body(question: str, first: int, last: int, **more: Any) -> dict[str, Any]:
    highlight = {
        "text": "what the reader marked",
        "source_path": PAGE,
        "version": "",
        "locale": "",
        "start_block": first,
        "end_block": last,
    }
    return {
        "question": question,
        "session_id": str(uuid.uuid4()),
        "mode": "highlight",
        "highlight": highlight | more,
        "fresh": True,
    }


def assert_inside(answer: dict[str, Any], blocks: Blocks, first: int, last: int) -> None:
    """No sentence of another block stands anywhere in the response."""
    inside = " ".join(text for number, text in blocks.items() if first <= number <= last)
    said = json.dumps(answer, ensure_ascii=False)
    for number, text in blocks.items():
        if not first <= number <= last:
            assert text[:60] not in said or text[:60] in inside, number
    for citation in answer["citations"]:
        assert citation["source_path"] == PAGE
        assert first <= int(citation["paragraph_id"].rpartition(":")[2]) <= last
        for quote in citation["quotes"]:
            assert quote["exact"] in inside
    assert answer["metadata"]["blocks_outside"] == 0


def test_answers_from_the_range_and_says_in_which_mode(
    query: Function, stage: Stage, blocks: Blocks
) -> None:
    at = block_with(blocks, "The ZMP is used for dynamic balance control")
    answer = query.post("/query", body(USED, at - 1, at + 1)).answer
    assert (answer["mode"], answer["status"]) == ("highlight", "answered")
    assert "dynamic balance control" in answer["response"]
    assert_inside(answer, blocks, at - 1, at + 1)
    kept = stage.database.run(
        "SELECT mode, highlight ->> 'start_block', highlight ->> 'source_path', question"
        " FROM queries WHERE query_id = %s",
        (answer["query_id"],),
    )
    assert kept == [("highlight", str(at - 1), PAGE, USED)]


def test_one_block_of_a_chunk_is_all_that_is_found_cited_and_recorded(
    query: Function, stage: Stage, blocks: Blocks
) -> None:
    at = block_with(blocks, "The first practical use came in 1984")
    answer = query.post("/query", body(HISTORY, at, at)).answer
    assert answer["status"] == "answered"
    assert_inside(answer, blocks, at, at)
    ((ids, hashes, raw),) = stage.database.run(
        "SELECT retrieved_chunk_ids, chunk_hashes, responses::text FROM queries"
        " JOIN responses USING (query_id) WHERE query_id = %s",
        (answer["query_id"],),
    )
    stored = stage.database.run("SELECT id, hash FROM chunks WHERE id = ANY(%s)", (list(ids),))
    assert len(stored) == len(ids) == 1
    assert hashes != [stored[0][1]]  # the hash of the blocks inside, not of the whole chunk
    others = [text for number, text in blocks.items() if number != at]
    assert not [text for text in others if text[:60] in str(raw)]


def test_a_selection_across_sections_is_answered_from_both(query: Function, blocks: Blocks) -> None:
    first = block_with(blocks, "The ZMP is used for dynamic balance control")
    last = block_with(blocks, "The first practical use came in 1984")
    sections = set()
    for question, words in ((USED, "dynamic balance control"), (HISTORY, "WL-10RD")):
        answer = query.post("/query", body(question, first, last)).answer
        assert words in answer["response"]
        assert_inside(answer, blocks, first, last)
        sections |= {citation["section"] for citation in answer["citations"]}
    assert len(sections) >= 2


@pytest.mark.parametrize("away", ["qdrant", "embeddings"])
def test_the_range_holds_while_a_part_is_away(
    query: Function, stage: Stage, blocks: Blocks, away: str
) -> None:
    at = block_with(blocks, "The first practical use came in 1984")
    with getattr(stage, away).cut():
        inside = query.post("/query", body(HISTORY, at, at)).answer
        outside = query.post("/query", body(USED, at, at)).answer
    assert inside["status"] == "answered"
    assert "keyword_search" in [notice["code"] for notice in inside["notices"]]
    assert_inside(inside, blocks, at, at)
    assert_inside(outside, blocks, at, at)
    assert "dynamic balance control" not in outside["response"]


def test_what_stands_elsewhere_in_the_book_is_refused(query: Function, blocks: Blocks) -> None:
    at = block_with(blocks, "The first practical use came in 1984")
    answer = query.post("/query", body("How far can the elbow of the arm turn?", at, at)).answer
    assert (answer["status"], answer["response"]) == ("refused", INSUFFICIENT_SELECTION)
    assert answer["refusal"]["reason"] == "insufficient_selection"
    assert_inside(answer, blocks, at, at)


@pytest.mark.parametrize(
    "change",
    [
        {"source_path": "docs/nowhere.md"},
        {"source_path": "../../etc/passwd"},
        {"source_path": "x' OR ''='"},
        {"version": "9.9"},
        {"locale": "tlh"},
        {"start_block": 5_000, "end_block": 5_001},
    ],
)
@pytest.mark.parametrize("index", [True, False])
def test_a_place_that_the_book_does_not_have_is_refused_honestly(
    query: Function, stage: Stage, change: dict[str, Any], index: bool
) -> None:
    asked = body(USED, 0, 9, **change)
    if index:
        answer = query.post("/query", asked).answer
    else:
        with stage.qdrant.cut():
            answer = query.post("/query", asked).answer
    assert (answer["mode"], answer["response"]) == ("highlight", INSUFFICIENT_SELECTION)
    assert (answer["claims"], answer["citations"], answer["related"]) == ([], [], [])
    assert answer["refusal"]["closest"] == []


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"start_block": 9, "end_block": 3}, "start_block"),
        ({"start_block": -1}, "start_block"),
        ({"start_block": "0"}, "start_block"),
        ({"end_block": 2**63}, "end_block"),
        ({"source_path": ""}, "source_path"),
        ({"text": " "}, "text"),
        ({"text": "w" * 60_001}, "text"),
    ],
)
def test_a_range_that_is_none_is_named(query: Function, change: dict[str, Any], field: str) -> None:
    message = query.post("/query", body(USED, 0, 9, **change)).error(422, "invalid_request")
    assert field in message
    assert len(message) < 300


def test_another_range_is_another_question(query: Function, blocks: Blocks) -> None:
    at = block_with(blocks, "The ZMP is used for dynamic balance control")
    elsewhere = block_with(blocks, "The first practical use came in 1984")
    session = {"session_id": str(uuid.uuid4()), "fresh": False}
    answers = [
        query.post("/query", body(USED, first, first) | session).answer
        for first in (at, elsewhere, at)
    ]
    assert answers[0]["response"] == answers[2]["response"] != answers[1]["response"]
    repeated = [[notice["code"] for notice in answer["notices"]] for answer in answers]
    assert repeated == [[], [], ["asked_before"]]
    wide = query.post("/query", {"question": USED, **session}).answer
    assert wide["mode"] == "book-wide"


def test_a_model_sees_the_range_and_nothing_else(
    writing_query: Function, blocks: Blocks, openai_server: OpenAIServer
) -> None:
    at = block_with(blocks, "The first practical use came in 1984")
    openai_server.answer_with(writes(("The biped WL-10RD walked 99 metres.", "WL-10RD")))
    answer = writing_query.post("/query", body(HISTORY, at, at)).answer
    assert answer["notices"] == []
    (claim,) = answer["claims"]
    assert "walked dynamically" in claim["text"]
    assert claim["text"] in blocks[at]
    sent = json.dumps([request.body for request in openai_server.requests], ensure_ascii=False)
    assert "WL-10RD" in sent
    for number, text in blocks.items():
        assert number == at or text[:60] not in sent


def test_a_page_that_numbers_no_blocks_sends_the_text_alone(
    query: Function, stage: Stage, blocks: Blocks
) -> None:
    at = block_with(blocks, "The ZMP is used for dynamic balance control")
    asked = body(USED, 0, 0, text=blocks[at].replace("'", "’"), around=1)
    del asked["highlight"]["start_block"], asked["highlight"]["end_block"]
    answer = query.post("/query", asked).answer
    assert (answer["mode"], answer["status"]) == ("highlight", "answered")
    assert_inside(answer, blocks, at - 1, at + 1)
    ((first, last),) = stage.database.run(
        "SELECT highlight ->> 'start_block', highlight ->> 'end_block' FROM queries"
        " WHERE query_id = %s",
        (answer["query_id"],),
    )
    assert (int(first), int(last)) == (at - 1, at + 1)


def test_a_text_that_is_not_in_the_page_is_told_of(query: Function) -> None:
    asked = body(USED, 0, 0, text="Nobody ever wrote these words into this page.")
    del asked["highlight"]["start_block"], asked["highlight"]["end_block"]
    reply = query.post("/query", asked)
    assert "could not be found" in reply.error(422, "unknown_passage")
