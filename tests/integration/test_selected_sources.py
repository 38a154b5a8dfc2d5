"""Where in the book a selection stands, and what an operator may make of that."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import functions.selected.app
from functions.answer.refusals import NOT_IN_BOOK, UNAVAILABLE
from tests.integration.events import Function, opened
from tests.integration.sample_stage import Stage
from tests.integration.selections import FOREIGN, PASSAGE, ZMP_PAGE, ask, line_of


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
