"""`selected` through its front door: the selection and nothing else."""

from __future__ import annotations

import logging
import uuid

import psycopg
import pytest

import functions.selected.app
from functions.answer.refusals import INSUFFICIENT_SELECTION
from functions.web.sentences import SELECTION_CUT, SELECTION_TOO_LONG, SELECTION_TOO_SHORT
from tests.integration.events import Function, opened
from tests.integration.sample_stage import Stage
from tests.integration.selections import FOREIGN, PASSAGE, ZMP_PAGE, ask


def test_answers_from_the_selection_and_cites_its_sentences(selected: Function) -> None:
    answer = ask(selected, "What is the ZMP used for?", PASSAGE).answer
    assert (answer["status"], answer["mode"]) == ("answered", "selected-text")
    assert answer["in_selected_text"] is True
    assert "dynamic balance control" in answer["claims"][0]["text"]
    assert answer["citations"][0]["kind"] == "selection"
    assert answer["citations"][0]["label"] == "from your selection: sentence 1"
    for citation in answer["citations"]:
        assert citation["url"] == citation["source_path"] == ""
        assert all(quote["exact"] in PASSAGE for quote in citation["quotes"])
    assert answer["sources"] == [{"type": "selected_text", "excerpt": PASSAGE[:200]}]
    assert answer["truncation_warning"] is None
    assert answer["verified_source"] is None


def test_refuses_what_the_selection_does_not_say_although_the_book_does(
    selected: Function,
) -> None:
    answer = ask(
        selected, "Which format describes the links and joints of a robot?", PASSAGE
    ).answer
    assert (answer["status"], answer["response"]) == ("refused", INSUFFICIENT_SELECTION)
    assert answer["refusal"] == {"reason": "insufficient_selection", "closest": []}
    assert answer["in_selected_text"] is False
    assert answer["citations"] == answer["claims"] == answer["related"] == []


def test_a_selection_that_contradicts_the_book_is_answered_as_it_stands(
    selected: Function, query: Function
) -> None:
    question = "How far can the elbow turn?"
    told = (
        "The elbow of this arm is a ball joint. The elbow can turn from −3.00 to 3.00 radians, "
        "and it is driven by a pneumatic muscle with very little effort."
    )
    answer = ask(selected, question, told).answer
    assert "−3.00 to 3.00 radians" in answer["response"]
    del answer["metadata"]["timings_ms"]  # any digits may stand there
    assert "1.57" not in str(answer)
    asked = {"question": question, "session_id": str(uuid.uuid4()), "selected_text": told}
    book = query.post("/query", asked).answer
    assert "1.57" in book["response"]
    assert "3.00" not in book["response"]


def test_needs_neither_the_index_nor_a_setting_for_it(selected: Function, stage: Stage) -> None:
    assert stage.settings("selected").qdrant_url == ""
    before = stage.qdrant.connections, stage.qdrant.turns
    with stage.qdrant.cut():
        assert ask(selected, "What is the ZMP used for?", PASSAGE).answer["status"] == "answered"
    ask(selected, "What is the ZMP used for?", PASSAGE)
    assert (stage.qdrant.connections, stage.qdrant.turns) == before


def test_its_database_role_cannot_read_the_book_or_other_readers(stage: Stage) -> None:
    with psycopg.connect(stage.database.dsn("quoth_selected"), autocommit=True) as connection:
        for table in ("chunks", "blocks", "documents", "queries", "responses", "answer_cache"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SELECT * FROM {table}".encode())


def test_keeps_a_record_with_the_selection_and_without_chunks(
    selected: Function, stage: Stage
) -> None:
    answer = ask(selected, "What is the ZMP used for?", PASSAGE, source={"version": ""}).answer
    (row,) = stage.database.run(
        "SELECT mode, question, selected_text, retrieved_chunk_ids, generated_response, reader,"
        " response_latency_ms > 0, body, limited_mode, similarity_scores"
        " FROM queries JOIN responses USING (query_id) WHERE query_id = %s",
        (answer["query_id"],),
    )
    assert row[:5] == (
        "selected-text", "What is the ZMP used for?", PASSAGE, [], answer["response"]
    )  # fmt: skip
    assert row[5] not in ("", answer["session_id"])
    assert row[6:9] == (True, answer, answer["metadata"]["limited_mode"])
    assert len(row[9]) > 1, "a cosine for each sentence of the selection"
    assert all(-1 <= cosine < 1 for cosine in row[9])


def test_asks_for_twenty_words(selected: Function) -> None:
    words = PASSAGE.split()
    message = ask(selected, "What is it?", " ".join(words[:19])).error(422, "selection_too_short")
    assert message == SELECTION_TOO_SHORT.format(words="20 words")
    assert message.startswith("Please select at least 20 words for more accurate answers, or")
    assert ask(selected, "What is it?", " ".join(words[:20])).status == 200


def test_the_least_number_of_words_is_a_setting(stage: Stage) -> None:
    settings = stage.settings("selected", minimum_selection_words=6)
    with opened(functions.selected.app, settings) as function:
        said = ask(function, "What is it?", "Only five words are here").error(
            422, "selection_too_short"
        )
        assert said == SELECTION_TOO_SHORT.format(words="6 words")
        short = "The lamp is seen from afar"
        assert "afar" in ask(function, "What is the lamp?", short).answer["response"]


def test_takes_five_thousand_words_and_not_one_more(selected: Function) -> None:
    many = "lamp " * 4_999
    assert ask(selected, "What is it?", many + "sea").status == 200
    message = ask(selected, "What is it?", many + "sea side").error(422, "selection_too_long")
    assert message == SELECTION_TOO_LONG == "Please select at most 5,000 words in 2,000 sentences."


def test_searches_all_of_a_long_selection_and_says_what_was_cut(selected: Function) -> None:
    filler = [
        f"Paragraph {number} speaks of the harbour and its {number} ships. They come and go with "
        "the tide, and nobody has ever written down which of them carries wool or salt or herring."
        for number in range(1, 121)
    ]
    text = "\n\n".join([*filler, FOREIGN])
    assert len(text) > 20_000
    answer = ask(selected, "When was the lighthouse of Pellworm lit?", text).answer
    assert answer["truncation_warning"] == SELECTION_CUT
    assert "The lighthouse of Pellworm was lit in 1907." in answer["response"]
    assert (
        answer["citations"][0]["lines"][0] == text[: text.index("The lighthouse")].count("\n") + 1
    )


def test_leaves_nothing_at_work_when_a_ticket_is_wrong(selected: Function) -> None:
    """`Function` looks for what is left after each request; it would hold a connection."""
    source = {"source_path": ZMP_PAGE}
    wrong = ask(selected, "What is it?", PASSAGE, source=source, ticket="none of ours")
    assert "this is not a ticket" in wrong.error(422, "invalid_request")
    gone = ask(selected, "What is it?", PASSAGE, source=source, ticket=str(uuid.uuid4()))
    gone.error(404, "ticket_expired")


def test_offers_the_whole_book_after_a_refusal_and_only_then(selected: Function) -> None:
    refused = ask(selected, "Which format describes the links of a robot?", PASSAGE).answer
    assert (refused["try_mode"], refused["mode"]) == ("book-wide", "selected-text")
    answered = ask(selected, "What is the ZMP used for?", PASSAGE).answer
    assert answered["try_mode"] is None


def test_answers_by_words_while_embeddings_are_away(selected: Function, stage: Stage) -> None:
    with stage.embeddings.cut():
        answer = ask(selected, "What is the ZMP used for?", PASSAGE).answer
    assert "dynamic balance control" in answer["response"]


def test_answers_while_the_database_is_away(selected: Function, stage: Stage) -> None:
    with stage.postgres.cut():
        answer = ask(
            selected, "What is the ZMP used for?", PASSAGE, source={"source_path": ZMP_PAGE}
        ).answer
    assert "dynamic balance control" in answer["response"]
    assert answer["verified_source"] is None


def test_counts_towards_the_same_ten_questions_a_minute(
    selected: Function, query: Function
) -> None:
    session = str(uuid.uuid4())
    for _ in range(5):
        ask(selected, "What is the ZMP used for?", PASSAGE, session_id=session)
        query.post("/query", {"question": "What is a gait?", "session_id": session})
    reply = ask(selected, "What is the ZMP used for?", PASSAGE, session_id=session)
    reply.error(429, "too_many_questions")
    assert 1 <= int(reply.headers["retry-after"]) <= 60


def test_logs_no_word_of_the_selection(
    selected: Function, stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with stage.postgres.cut(), stage.embeddings.cut():
        ask(selected, "When was it lit?", FOREIGN, source={"source_path": "docs/intro.md"})
    said = "".join(str(record.__dict__) for record in caplog.records)
    assert "embeddings unavailable" in said
    assert "record lost" in said
    assert "Pellworm" not in said
