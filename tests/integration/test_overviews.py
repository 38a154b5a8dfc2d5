"""Questions that are no search: overviews, greetings, follow-ups and topics, at the front door."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest

from functions.answer.refusals import OUT_OF_SCOPE
from functions.query.intents.follow_up import ASK_BACK, WHICH_PART
from functions.query.intents.greetings import GUIDE, WELCOME
from functions.query.overviews.book_facts import FACTS
from functions.query.overviews.parse import ABSENT
from functions.web.sentences import ASKED_BEFORE
from tests.integration.events import Function
from tests.integration.sample_stage import BOOK, Stage

STANDING = "docs/03-balance-and-walking/01-standing.md"
ZMP = "docs/03-balance-and-walking/02-zero-moment-point.md"


def ask(function: Function, question: str, session: str = "", **more: object) -> dict[str, Any]:
    body = {"question": question, "session_id": session or str(uuid.uuid4()), **more}
    return function.post("/query", body).answer


def assert_verbatim(answer: dict[str, Any]) -> None:
    """Every claim is the book's own words, and each quote stands on its lines of the source."""
    assert {claim["verification"] for claim in answer["claims"]} == {"verbatim"}
    assert all(claim["citations"] for claim in answer["claims"])
    for citation in answer["citations"]:
        assert citation["url"].startswith("/")
        lines = (Path(BOOK) / citation["source_path"]).read_text("utf-8").splitlines()
        first, last = citation["lines"]
        shown = plain("\n".join(lines[first - 1 : max(last, first + 5)]))
        for quote in citation["quotes"]:
            assert plain(quote["exact"]) in shown, quote


def plain(text: str) -> str:
    return "".join(char for char in text if char.isalnum())


def test_says_what_the_book_is_about_from_its_opening_and_its_chapters(query: Function) -> None:
    answer = ask(query, "What is this book about?")
    assert answer["status"] == "answered"
    opening, *rest = [claim["text"] for claim in answer["claims"]]
    assert opening == (
        "This book is about machines that perceive, decide and act in the physical world."
    )
    assert any(text.startswith("Chapter 1: ") for text in rest)
    assert any(text.startswith("Chapter 3: ") for text in rest)
    assert_verbatim(answer)


def test_says_what_a_chapter_covers_page_by_page(query: Function) -> None:
    answer = ask(query, "What does chapter 3 cover?")
    texts = [claim["text"] for claim in answer["claims"]]
    assert "Standing Still: A table stands without trying." in texts
    pages = [text.split(":")[0] for text in texts if ": " in text]
    assert pages[:3] == ["Standing Still", "The Zero Moment Point", "Walking"]
    assert all(c["label"].startswith("Chapter 3") for c in answer["citations"])
    assert answer["response"].splitlines()[0].endswith("[1]")
    assert_verbatim(answer)


@pytest.mark.parametrize(
    "page",
    [{"source_path": STANDING}, {"permalink": "/balance-and-walking/standing"},
     {"permalink": "/balance-and-walking/standing/#support-polygon"}],
    ids=["file", "link", "link with a place"],
)  # fmt: skip
def test_summarises_the_open_page_from_its_headings_and_first_sentences(
    query: Function, page: dict[str, str]
) -> None:
    answer = ask(query, "Summarise this page", page=page)
    texts = [claim["text"] for claim in answer["claims"]]
    assert texts[0] == "Standing Still: A table stands without trying."
    assert any(text.startswith("Support Polygon: The support polygon is") for text in texts)
    assert {citation["source_path"] for citation in answer["citations"]} == {STANDING}
    assert_verbatim(answer)


def test_the_open_section_is_the_one_its_link_names(query: Function) -> None:
    page = {"permalink": "/balance-and-walking/standing#support-polygon"}
    answer = ask(query, "What is this section about?", page=page)
    assert [citation["section"] for citation in answer["citations"]] == ["Support Polygon"]


def test_the_same_question_on_another_page_is_another_question(query: Function) -> None:
    session = str(uuid.uuid4())
    standing = ask(query, "Summarise this page", session, page={"source_path": STANDING})
    zmp = ask(query, "Summarise this page", session, page={"source_path": ZMP})
    assert standing["claims"] != zmp["claims"]
    assert zmp["notices"] == []
    again = ask(query, "Summarise this page", session, page={"source_path": ZMP})
    assert again["claims"] == zmp["claims"]
    assert [notice["text"] for notice in again["notices"]] == [ASKED_BEFORE]
    assert again["related"]


def test_without_an_open_page_it_tells_of_the_book_and_asks_which_chapter(query: Function) -> None:
    answer = ask(query, "Summarise this page")
    assert answer["status"] == "answered"
    assert answer["clarify"][0] == "What does chapter 1 cover?"
    assert ask(query, answer["clarify"][0])["status"] == "answered"


def test_finds_a_chapter_by_a_word_of_its_title(query: Function) -> None:
    answer = ask(query, "Give me an overview of the chapter on balance")
    assert {citation["label"][:9] for citation in answer["citations"]} == {"Chapter 3"}


def test_refuses_a_chapter_that_is_not_there_and_names_the_nearest(query: Function) -> None:
    answer = ask(query, "What does chapter 40 cover?")
    assert (answer["status"], answer["response"]) == ("refused", OUT_OF_SCOPE)
    assert len(answer["refusal"]["closest"]) == 3
    assert answer["refusal"]["closest"][0]["url"].startswith("/")


def test_lists_the_chapters_in_order(query: Function) -> None:
    answer = ask(query, "List the chapters")
    numbers = [claim["text"].split(":")[0] for claim in answer["claims"]]
    assert numbers[:3] == ["Chapter 1", "Chapter 2", "Chapter 3"]


def test_an_overview_asks_neither_the_index_nor_the_embeddings(
    query: Function, stage: Stage
) -> None:
    ask(query, "What does chapter 1 cover?")
    before = stage.qdrant.turns, stage.embeddings.turns, stage.postgres.turns
    ask(query, "What does chapter 2 cover?")
    # The outline is kept until the book changes: begin, the chunks, finish.
    assert (stage.qdrant.turns, stage.embeddings.turns) == before[:2]
    assert stage.postgres.turns - before[2] == 3


def test_an_overview_is_written_by_no_model(writing_query: Function, stage: Stage) -> None:
    answer = ask(writing_query, "What does chapter 3 cover?")
    assert_verbatim(answer)
    assert (answer["metadata"]["model"], answer["metadata"]["limited_mode"]) == ("", False)


def test_an_overview_is_searched_for_while_the_database_is_away(
    query: Function, stage: Stage
) -> None:
    with stage.postgres.cut():
        answer = ask(query, "What does chapter 3 cover?")
    assert answer["status"] in ("answered", "refused")


@pytest.mark.parametrize(
    ("said", "line"), [("hi", GUIDE), ("Hello there!", GUIDE), ("thanks!", WELCOME),
                       ("Thank you, that helped.", WELCOME)]
)  # fmt: skip
def test_a_greeting_gets_one_line_and_is_recorded(
    query: Function, stage: Stage, said: str, line: str
) -> None:
    before = stage.qdrant.turns, stage.embeddings.turns
    answer = ask(query, said)
    assert (answer["status"], answer["response"]) == ("answered", line)
    assert (answer["claims"], answer["citations"], answer["refusal"]) == ([], [], None)
    assert (stage.qdrant.turns, stage.embeddings.turns) == before
    kept = stage.database.run(
        "SELECT question, status FROM queries JOIN responses USING (query_id) WHERE query_id = %s",
        (answer["query_id"],),
    )
    assert kept == [(said, "answered")]


def test_a_question_after_a_greeting_is_a_question(query: Function) -> None:
    assert "Zero Moment Point" in ask(query, "Hi, what is the Zero Moment Point?")["response"]


def test_a_follow_up_is_searched_with_the_earlier_subject_beside_it(
    query: Function, stage: Stage
) -> None:
    session = str(uuid.uuid4())
    ask(query, "What is the ZMP?", session)
    ask(query, "Thanks!", session)
    turns = stage.postgres.turns
    answer = ask(query, "And how is it measured?", session)
    assert stage.postgres.turns - turns == 2
    understood = "And how is it measured? (ZMP)"
    assert answer["metadata"]["rewritten_question"] == understood
    assert answer["metadata"]["about"] == "ZMP"
    assert {citation["section"] for citation in answer["citations"]} == {"Measuring the ZMP"}
    kept = stage.database.run(
        "SELECT question, rewritten_question FROM queries WHERE query_id = %s",
        (answer["query_id"],),
    )
    assert kept == [("And how is it measured?", understood)]


def test_the_subject_stays_through_a_chain(query: Function) -> None:
    session = str(uuid.uuid4())
    ask(query, "What is the ZMP?", session)
    ask(query, "And how is it measured?", session)
    answer = ask(query, "What are its limits?", session)
    assert answer["metadata"]["about"] == "ZMP"
    assert {citation["section"] for citation in answer["citations"]} == {"Limits of the ZMP"}


@pytest.mark.parametrize("request_made", ["tell me more", "and?", "why?", "an example?", "simpler"])
def test_a_request_gets_what_was_not_shown_or_a_line(query: Function, request_made: str) -> None:
    session = str(uuid.uuid4())
    first = ask(query, "What is the Zero Moment Point?", session)
    answer = ask(query, request_made, session)
    assert answer["response"] not in (first["response"], OUT_OF_SCOPE)
    assert answer["metadata"]["about"] == "Zero Moment Point"
    before = {quote["exact"] for each in first["citations"] for quote in each["quotes"]}
    assert not before & {quote["exact"] for each in answer["citations"] for quote in each["quotes"]}


def test_a_request_without_an_earlier_question_is_asked_back(query: Function) -> None:
    answer = ask(query, "tell me more")
    assert (answer["status"], answer["response"]) == ("answered", ASK_BACK)


def test_more_of_an_overview_is_a_choice_of_its_parts(query: Function) -> None:
    session = str(uuid.uuid4())
    ask(query, "What does chapter 3 cover?", session)
    answer = ask(query, "tell me more", session)
    assert answer["response"] == WHICH_PART
    assert answer["clarify"][0] == "What does “Standing Still” cover?"
    assert ask(query, answer["clarify"][0], session)["status"] == "answered"


def test_another_chapter_needs_no_earlier_question(query: Function) -> None:
    session = str(uuid.uuid4())
    ask(query, "What does chapter 1 cover?", session)
    answer = ask(query, "What about chapter 3?", session)
    assert answer["claims"] == ask(query, "What does chapter 3 cover?")["claims"]


def test_nothing_is_put_into_another_readers_question(query: Function) -> None:
    ask(query, "What is the Zero Moment Point?")
    assert ask(query, "And how is it measured?")["metadata"]["about"] is None


def test_a_question_that_the_book_answers_better_alone_is_not_rewritten(query: Function) -> None:
    session = str(uuid.uuid4())
    ask(query, "What is the Zero Moment Point?", session)
    answer = ask(query, "What does an encoder measure, and how fast is it?", session)
    assert (answer["metadata"]["rewritten_question"], answer["metadata"]["about"]) == (None, None)


def test_says_what_the_book_does_not_tell_about_itself(query: Function) -> None:
    assert ask(query, "Who wrote this book?")["response"] == FACTS["author"].line
    readers = ask(query, "Who is this book for?")
    assert readers["claims"][0]["text"].startswith("Who This Book Is For: The reader")
    assert_verbatim(readers)


def test_says_where_to_begin_with_links(query: Function) -> None:
    answer = ask(query, "What should I read first?")
    assert any(claim["text"].startswith("Chapter 1: ") for claim in answer["claims"])
    assert {claim["verification"] for claim in answer["claims"]} == {"verbatim"}
    assert all(citation["url"].startswith("/") for citation in answer["citations"])


def test_says_whether_there_is_something_on_a_topic(query: Function) -> None:
    answer = ask(query, "Is there something on batteries?")
    assert answer["citations"][0]["section"] == "How Long Does a Battery Last?"
    absent = ask(query, "Does the book cover quantum computing?")
    assert absent["response"] == ABSENT.format(topic="quantum computing")
    assert absent["related"]


def test_a_topic_gets_several_sections_and_questions_to_go_on_with(query: Function) -> None:
    answer = ask(query, "Tell me about walking")
    assert answer["status"] == "answered"
    assert len({citation["url"] for citation in answer["citations"]}) > 1
    assert len(answer["clarify"]) > 1
    assert len(set(answer["clarify"])) == len(answer["clarify"])
    for question in answer["clarify"]:
        assert ask(query, question)["status"] == "answered", question


def test_a_topic_outside_the_book_is_refused_without_suggestions(query: Function) -> None:
    answer = ask(query, "Tell me about sourdough bread")
    assert (answer["status"], answer["clarify"]) == ("refused", [])


@pytest.mark.parametrize(
    "question",
    ["Does a robot need a model of the world?", "Does planning make a robot more reliable?"],
)
def test_where_chapters_differ_both_sides_are_shown(query: Function, question: str) -> None:
    answer = ask(query, question)
    cited = [citation["label"].split(",")[0] for citation in answer["citations"]]
    assert {"Chapter 5", "Chapter 6"} <= set(cited)
    (notice,) = [each for each in answer["notices"] if each["code"] == "differing_views"]
    numbers = [
        f"[{c['n']}]" for c in answer["citations"] if c["label"][:9] in ("Chapter 5", "Chapter 6")
    ]
    assert all(number in answer["response"] for number in numbers[:2])
    assert notice["text"].startswith("The book takes different sides on this: compare [")
