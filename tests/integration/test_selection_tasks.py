"""Questions that name nothing of their own ("explain this"), over a selection and a highlight."""

from __future__ import annotations

import pytest

from functions.answer.refusals import INSUFFICIENT_SELECTION
from functions.answer.write.prompts import TASKS
from functions.web.sentences import NEEDS_MODEL
from tests.integration.events import Function
from tests.integration.selections import PASSAGE
from tests.integration.test_highlight import Blocks, assert_inside, block_with, blocks, body
from tests.integration.writers import SELECTION, ask_selected, writes
from tests.openai_server.service import OpenAIServer

__all__ = ["blocks"]
CODE = '''The function below tells how far the lamp is seen.

def sight(height):
    """Return the distance to the horizon in km, from a height in m."""
    return 3.57 * height ** 0.5'''


def test_explains_and_summarises_in_the_selections_own_sentences(selected: Function) -> None:
    for question in ("explain this", "tl;dr", "What does this mean?"):
        answer = ask_selected(selected, question, PASSAGE)
        assert answer["status"] == "answered"
        assert "ZMP is used for dynamic balance control" in answer["response"]
        assert all(claim["verification"] == "verbatim" for claim in answer["claims"])
        (notice,) = answer["notices"]
        assert (notice["code"], notice["text"]) == ("needs_model", NEEDS_MODEL)


def test_code_is_quoted_in_its_lines(selected: Function) -> None:
    answer = ask_selected(selected, "What does this code do?", CODE)
    beside, code = answer["claims"]
    assert beside["text"] == "The function below tells how far the lamp is seen."
    assert code["text"].splitlines() == CODE.splitlines()[2:]


def test_one_thing_that_the_selection_lacks_is_refused_and_the_book_offered(
    selected: Function,
) -> None:
    answer = ask_selected(selected, "What's the downside of this?", "The lamp is green. " * 6)
    assert (answer["response"], answer["try_mode"]) == (INSUFFICIENT_SELECTION, "book-wide")
    assert answer["notices"] == []


def test_an_inventor_whom_the_selection_does_not_name_is_refused(
    selected: Function, query: Function, blocks: Blocks
) -> None:
    at = block_with(blocks, "The ZMP is used for dynamic balance control")
    highlighted = query.post("/query", body("Who invented the ZMP?", at, at)).answer
    for answer in (ask_selected(selected, "Who invented the ZMP?", PASSAGE), highlighted):
        assert (answer["status"], answer["response"]) == ("refused", INSUFFICIENT_SELECTION)


def test_a_highlight_is_explained_from_its_blocks(query: Function, blocks: Blocks) -> None:
    at = block_with(blocks, "The ZMP is used for dynamic balance control")
    answer = query.post("/query", body("explain this", at, at)).answer
    assert "dynamic balance control" in answer["response"]
    assert "needs_model" in [notice["code"] for notice in answer["notices"]]
    assert_inside(answer, blocks, at, at)


@pytest.mark.parametrize(
    ("question", "task", "text"),
    [
        ("explain this", "explain", SELECTION),
        ("tl;dr", "summarise", SELECTION),
        ("What does this code do?", "code", CODE),
    ],
)
def test_a_model_is_told_the_task_and_its_words_are_checked(
    writing_selected: Function, openai_server: OpenAIServer, question: str, task: str, text: str
) -> None:
    lit, wrong = "The lighthouse of Pellworm was lit in 1907.", "It was lit in 1860 by Napoleon."
    words = "The lighthouse" if task != "code" else "The function below"
    said = lit if task != "code" else "The function below tells how far the lamp is seen."
    openai_server.answer_with(writes((said, words), (wrong, words)))
    answer = ask_selected(writing_selected, question, text)
    asked = openai_server.requests[0].data
    assert TASKS[task][:40] in asked
    assert question in asked
    assert said in answer["response"]
    assert "1860" not in answer["response"]
    assert answer["notices"] == []


def test_quotes_stand_in_for_a_model_that_fails(
    writing_selected: Function, openai_server: OpenAIServer
) -> None:
    openai_server.answer_with(writes(("Napoleon owned a castle of cheese.", "S1.1")))
    answer = ask_selected(writing_selected, "explain this")
    assert "was lit in 1907" in answer["response"]
    assert "Napoleon" not in answer["response"]
