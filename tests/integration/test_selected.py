"""`selected` through its front door: the selection and nothing else."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

import functions.selected.app
from functions.answer.refusals import (
    INSUFFICIENT_SELECTION,
    NOT_IN_BOOK,
    SELECTION_CUT,
    SELECTION_TOO_LONG,
    SELECTION_TOO_SHORT,
    UNAVAILABLE,
)
from tests.integration.events import Function, Reply, opened
from tests.integration.sample_stage import BOOK, Stage

ZMP_PAGE = "docs/03-balance-and-walking/02-zero-moment-point.md"
PASSAGE = (
    "The ZMP is used for dynamic balance control in bipedal walking: the motion is planned and "
    "corrected so that the ZMP stays inside the support polygon. As long as it does, the "
    "supporting foot stays flat on the ground and does not begin to rotate about its edge."
)
FOREIGN = (
    "The lighthouse of Pellworm was lit in 1907. Its lamp can be seen from a distance of twenty "
    "nautical miles. Couples have been marrying in its small round chamber since 1998."
)


def ask(function: Function, question: str, text: str, **more: object) -> Reply:
    return function.post(
        "/query-selected-text",
        {
            "question": question,
            "selected_text": text,
            "session_id": str(uuid.uuid4()),
            **more,
        },
    )


def line_of(text: str, path: str = ZMP_PAGE) -> int:
    lines = Path(BOOK / path).read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


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
        " response_latency_ms > 0, body FROM queries JOIN responses USING (query_id)"
        " WHERE query_id = %s",
        (answer["query_id"],),
    )
    assert row[:5] == (
        "selected-text", "What is the ZMP used for?", PASSAGE, [], answer["response"]
    )  # fmt: skip
    assert row[5] not in ("", answer["session_id"])
    assert row[6:] == (True, answer)


def test_asks_for_twenty_words(selected: Function) -> None:
    words = PASSAGE.split()
    message = ask(selected, "What is it?", " ".join(words[:19])).error(422, "selection_too_short")
    assert message == SELECTION_TOO_SHORT.format(minimum=20)
    assert message.startswith("Please select at least 20 words for more accurate answers, or")
    assert ask(selected, "What is it?", " ".join(words[:20])).status == 200


def test_the_least_number_of_words_is_a_setting(stage: Stage) -> None:
    settings = stage.settings("selected", minimum_selection_words=6)
    with opened(functions.selected.app, settings) as function:
        said = ask(function, "What is it?", "Only five words are here").error(
            422, "selection_too_short"
        )
        assert said == SELECTION_TOO_SHORT.format(minimum=6)
        short = "The lamp is seen from afar"
        assert "afar" in ask(function, "What is the lamp?", short).answer["response"]


def test_takes_five_thousand_words_and_not_one_more(selected: Function) -> None:
    many = "lamp " * 4_999
    assert ask(selected, "What is it?", many + "sea").status == 200
    message = ask(selected, "What is it?", many + "sea side").error(422, "selection_too_long")
    assert message == SELECTION_TOO_LONG == "Please select at most 5,000 words."


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


@pytest.mark.parametrize("name", ["source_path", "permalink"])
def test_says_where_in_the_book_a_passage_stands(selected: Function, name: str) -> None:
    page = {"source_path": ZMP_PAGE, "permalink": "/balance-and-walking/zero-moment-point"}
    answer = ask(selected, "What is the ZMP used for?", PASSAGE, source={name: page[name]}).answer
    line = line_of("The ZMP is used for dynamic balance")
    assert answer["verified_source"] == {
        "source_path": ZMP_PAGE,
        "lines": [line, line],
        "content_version": answer["metadata"]["content_version"],
    }


@pytest.mark.parametrize(
    ("text", "source"),
    [
        (FOREIGN, ZMP_PAGE),
        (PASSAGE.replace("dynamic", "static"), ZMP_PAGE),
        (PASSAGE, "docs/03-balance-and-walking/03-walking.md"),
        (PASSAGE, "docs/no-such-page.md"),
    ],
)
def test_verifies_no_text_that_does_not_stand_on_the_page(
    selected: Function, text: str, source: str
) -> None:
    answer = ask(selected, "What is it used for?", text, source={"source_path": source}).answer
    assert answer["verified_source"] is None


@pytest.fixture
def strict(stage: Stage) -> Iterator[Function]:
    """`selected` of an operator who lets only the book's text be asked about."""
    settings = stage.settings("selected", require_verified_source=True)
    with opened(functions.selected.app, settings) as function:
        yield function


@pytest.mark.parametrize("source", [None, {"source_path": ZMP_PAGE}, {"permalink": "/elsewhere"}])
def test_answers_from_the_books_text_where_the_source_must_be_proven(
    strict: Function, source: dict[str, str] | None
) -> None:
    answer = ask(strict, "What is the ZMP used for?", PASSAGE, source=source).answer
    assert answer["status"] == "answered"
    assert answer["verified_source"]["source_path"] == ZMP_PAGE


@pytest.mark.parametrize("source", [None, {"source_path": ZMP_PAGE}])
@pytest.mark.parametrize("text", [FOREIGN, PASSAGE.replace("stays flat", "lies flat")])
def test_refuses_other_text_where_the_source_must_be_proven_and_sends_it_nowhere(
    strict: Function, stage: Stage, text: str, source: dict[str, str] | None
) -> None:
    before = stage.embeddings.turns
    answer = ask(strict, "When was the lighthouse lit?", text, source=source).answer
    assert (answer["status"], answer["response"]) == ("refused", NOT_IN_BOOK)
    assert answer["refusal"] == {"reason": "not_in_book", "closest": []}
    assert (answer["verified_source"], answer["in_selected_text"]) == (None, False)
    assert stage.embeddings.turns == before
    (row,) = stage.database.run(
        "SELECT refusal_reason FROM responses WHERE query_id = %s", (answer["query_id"],)
    )
    assert row == ("not_in_book",)


def test_answers_nothing_while_a_source_that_must_be_proven_cannot_be(
    strict: Function, stage: Stage
) -> None:
    with stage.postgres.cut():
        reply = ask(strict, "What is the ZMP used for?", PASSAGE)
    assert reply.error(503, "unavailable") == UNAVAILABLE


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


def test_finds_a_selection_over_headings_tabs_and_code_as_a_browser_hands_it_over(
    selected: Function,
) -> None:
    path = "docs/07-programming-robots/01-loops-in-code.mdx"
    text = (
        "which became part of the main line with Linux 6.12 in November 2024, keep that delay far "
        "below a millisecond on suitable hardware.\n\nThe Watchdog\u200b\n\nA watchdog is a timer "
        "that puts the robot into a safe state unless the program resets it in time. The program "
        "resets the timer in every pass; if the program hangs, the timer runs out.\n\n"
        'Python\nC++\nwatchdog.py\nclass Watchdog:\n    """Expires when it has not'
    )
    answer = ask(selected, "What is a watchdog?", text, source={"source_path": path}).answer
    first, last = answer["verified_source"]["lines"]
    assert first == line_of("which became part of the main line", path)
    assert line_of("class Watchdog:", path) <= last
    assert last < line_of('<TabItem value="cpp" label="C++">', path) + 100
    wrong = text.replace("hangs", "halts")
    found = ask(selected, "What is a watchdog?", wrong, source={"source_path": path}).answer
    assert found["verified_source"] is None


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
