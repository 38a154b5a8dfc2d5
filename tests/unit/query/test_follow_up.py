"""Questions that lean on the one before them, and those that do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.query.intents.follow_up import is_follow_up, rewrite_follow_up
from functions.query.intents.question_subject import subject_of

SAMPLE = Path(__file__).parents[2] / "integration" / "sample_questions.json"
ZMP = "What is the Zero Moment Point?"
ANKLE = "How does the ankle strategy correct small pushes?"


@pytest.mark.parametrize(
    ("question", "previous", "expected"),
    [
        ("and how is it measured?", ZMP, "How is the Zero Moment Point measured?"),
        ("Why is that important?", ZMP, "Why is the Zero Moment Point important?"),
        ("What is its purpose?", ZMP, "What is the Zero Moment Point's purpose?"),
        ("what about walking?", ZMP, "What is walking?"),
        ("tell me more", ZMP, "Tell me more about the Zero Moment Point"),
        ("Can you give me an example?", ZMP, "What is an example of the Zero Moment Point?"),
        ("why?", ANKLE, "Why does the ankle strategy correct small pushes?"),
        ("And the hip strategy?", ANKLE, "How does the hip strategy correct small pushes?"),
        ("How is this force computed?", ANKLE,
         "How is this force computed (the ankle strategy)?"),
        ("How do they work?", "Tell me about sensors", "How do sensors work?"),
        ("What are their limits?", "Which sensors measure joint angles?",
         "What are sensors' limits?"),
        ("why?", "Can a robot fall when it is pushed?",
         "Why can a robot fall when it is pushed?"),
        ("how?", "Why are humanoid robots unstable?", "How are humanoid robots unstable?"),
        ("What about chapter 6?", "What does chapter 5 cover?", "What does chapter 6 cover?"),
        ("What did he believe?", "Who was Sigmund Freud?", "What did Sigmund Freud believe?"),
    ],
)  # fmt: skip
def test_resolves_what_the_question_refers_to(question: str, previous: str, expected: str) -> None:
    assert is_follow_up(question)
    assert rewrite_follow_up(question, previous) == expected


@pytest.mark.parametrize(
    "question",
    [
        "What does the robot do when it falls?",
        "Why is it important to consider culture?",
        "How long does it take to fall?",
        "Is it possible to walk without a model?",
        "When do we say that a robot arm is redundant?",
        "What is this chapter about?",
        "What does an encoder measure?",
        "What is a gear and how is it made?",
        "And what is inverse kinematics?",
        "Tell me about sensors",
        "",
    ],
)
def test_leaves_a_question_that_stands_alone(question: str) -> None:
    assert not is_follow_up(question)
    assert rewrite_follow_up(question, ZMP) is None


def test_rewrites_none_of_the_sample_books_questions() -> None:
    rows = json.loads(SAMPLE.read_text("utf-8"))
    assert [row["question"] for row in rows if is_follow_up(row["question"])] == []


def test_puts_in_nothing_where_the_previous_question_names_nothing() -> None:
    assert rewrite_follow_up("and how is it measured?", "Why is it?") is None
    assert rewrite_follow_up("and how is it measured?", "") is None


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        (ZMP, "the Zero Moment Point"),
        ("What is the role of a gyroscope in balance?", "a gyroscope"),
        ("Where is the centre of mass of a standing humanoid?",
         "the centre of mass of a standing humanoid"),
        ("what happens during a capture step?", "capture step"),
        ("Explain inverse kinematics", "inverse kinematics"),
        ("How is torque measured?", "torque"),
        ("Why?", None),
    ],
)  # fmt: skip
def test_reads_the_subject_of_a_question(question: str, subject: str | None) -> None:
    assert subject_of(question) == subject


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_text_breaks_it(question: str, previous: str) -> None:
    rewritten = rewrite_follow_up(question, previous)
    assert rewritten is None or rewritten.strip()
    assert subject_of(previous) is None or subject_of(previous)
