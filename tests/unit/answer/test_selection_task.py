from __future__ import annotations

import pytest

from functions.answer.selection_task import Task, read_task


@pytest.mark.parametrize(
    ("question", "task"),
    [
        ("explain this", "explain"),
        ("What does this mean?", "explain"),
        ("can you explain that?", "explain"),
        ("ELI5", "explain"),
        ("in simple words", "explain"),
        ("I don't understand this", "explain"),
        ("Summarise", "summarise"),
        ("tl;dr", "summarise"),
        ("key points", "summarise"),
        ("What is this about?", "summarise"),
        ("what's the downside of this?", "drawback"),
        ("what are the benefits", "benefit"),
        ("why did this happen?", "reason"),
        ("why?", "reason"),
        ("what is the difference between the two kinds", "comparison"),
        ("give me an example", "example"),
        ("who wrote this?", "person"),
        ("when did this happen?", "date"),
    ],
)
def test_a_question_that_names_nothing_of_its_own_is_a_task(question: str, task: Task) -> None:
    assert read_task(question) == task


@pytest.mark.parametrize(
    "question",
    [
        "Who invented the ZMP?",
        "How does A* find a path on it?",
        "What is a gearbox?",
        "Explain the gear ratio",
        "What are the drawbacks of hydraulic actuators?",
        "Why do most engines use it?",
        "Is this true?",
        "How many are there?",
        "Where is this?",
        "...",
        "нет",
    ],
)
def test_a_question_that_names_something_or_asks_for_one_fact_is_none(question: str) -> None:
    assert read_task(question) is None


def test_a_function_is_code_only_where_there_is_code() -> None:
    assert read_task("Explain this function", has_code=True) == "code"
    assert read_task("What does this code do?", has_code=True) == "code"
    assert read_task("Explain this function") == "explain"
    assert read_task("Explain this", has_code=True) == "explain"
