"""Questions that may need the one before them, how they are read, and what is left to show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.adapters.postgres.admission import PreviousQuestion
from functions.answer.context import context_of_chunks
from functions.answer.write.told import Told
from functions.query.intents.follow_up import (
    fresh,
    phrase_of,
    read_follow_up,
    readings,
    subject_of,
)
from tests.unit.answer.contexts import chunk

SAMPLE = Path(__file__).parents[2] / "integration" / "sample_questions.json"
ZMP = PreviousQuestion("What is the Zero Moment Point?", headings=("Definition",))
ANKLE = PreviousQuestion(
    "How does the ankle strategy correct small pushes?", headings=("Three Balance Strategies",)
)


def read(question: str, previous: PreviousQuestion) -> list[tuple[str, str]]:
    found = read_follow_up(question)
    assert found is not None
    return [(each.question, each.about) for each in readings(found, previous)]


@pytest.mark.parametrize(
    ("question", "request_made"),
    [
        ("Tell me more", "more"), ("and?", "more"), ("go on", "more"), ("Why?", "reason"),
        ("why is that?", "reason"), ("Give me an example, please", "example"),
        ("more examples", "example"), ("simpler", "simpler"), ("in simple words", "simpler"),
        ("I don't understand", "simpler"), ("what does that mean?", "simpler"), ("when?", ""),
    ],
)  # fmt: skip
def test_a_question_without_words_of_its_own_is_a_request(question: str, request_made: str) -> None:
    found = read_follow_up(question)
    assert found is not None
    assert (found.request, found.alone) == (request_made, False)


def test_puts_the_subject_beside_the_words_of_the_question() -> None:
    assert read("how is it measured?", ZMP) == [
        ("how is it measured? (Zero Moment Point)", "Zero Moment Point"),
        ("how is it measured?", ""),
    ]


def test_asks_the_earlier_question_of_something_else() -> None:
    assert read("And the hip strategy?", ANKLE) == [
        ("How does the hip strategy correct small pushes?", ""),
        ("And the hip strategy?", ""),
    ]


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("tell me more", "Tell me more about Zero Moment Point"),
        ("an example?", "An example of Zero Moment Point"),
        ("simpler", "Define Zero Moment Point"),
        ("why?", "Why? (Zero Moment Point)"),
    ],
)
def test_a_request_is_made_of_the_earlier_subject(question: str, meant: str) -> None:
    assert read(question, ZMP) == [(meant, "Zero Moment Point")]


@pytest.mark.parametrize(
    "question",
    ["What is inverse kinematics?", "How far does a robot walk on one battery?",
     "What is this chapter about gears and motors?", "Explain the capture point", ""],
)  # fmt: skip
def test_leaves_a_question_that_names_its_subject(question: str) -> None:
    assert read_follow_up(question) is None


def test_leaves_nearly_all_of_the_sample_books_questions() -> None:
    rows = json.loads(SAMPLE.read_text("utf-8"))
    needy = [row["question"] for row in rows if read_follow_up(row["question"])]
    assert len(needy) <= 0.2 * len(rows)
    assert all(found.alone for each in needy if (found := read_follow_up(each)))


@pytest.mark.parametrize(
    ("previous", "subject"),
    [
        (ZMP, "Zero Moment Point"),
        (ANKLE, "ankle strategy"),
        (PreviousQuestion("What are the costs of Physical AI?", headings=("Physical AI",)),
         "Physical AI"),
        (PreviousQuestion("What does maxSize do?", headings=("Options",)), "maxSize"),
        (PreviousQuestion("How long can a robot walk on 1 kWh?"), "robot walk on 1 kWh"),
        (PreviousQuestion("Why? (falling)", about="falling"), "falling"),
        (PreviousQuestion("Why?"), ""),
    ],
)  # fmt: skip
def test_reads_the_subject_of_a_question(previous: PreviousQuestion, subject: str) -> None:
    assert subject_of(previous) == subject


WALK = chunk(
    (
        "A gait is a pattern of steps.",
        "Steps cost energy.",
        "For example, a trot is fast.",
    ),
    titles=("Gaits",),
)


def texts(request: str, *quotes: str) -> list[str]:
    context = context_of_chunks([(WALK, 1.0)])
    left = fresh(context, Told(quotes), request, "gait")  # type: ignore[arg-type]
    return [sentence.text for sentence in left.sentences]


def test_what_was_shown_is_not_shown_again() -> None:
    assert texts("more", "A gait is a pattern  of *steps*.") == [
        "Steps cost energy.", "For example, a trot is fast.",
    ]  # fmt: skip


def test_simpler_words_are_a_definition() -> None:
    assert texts("simpler") == ["A gait is a pattern of steps."]
    assert texts("simpler", "A gait is a pattern of steps.") == []


def test_an_example_is_of_a_block_that_has_one() -> None:
    assert "For example, a trot is fast." in texts("example")
    assert texts("example", "For example, a trot is fast.") == []


@given(st.text(max_size=80), st.text(max_size=80), st.lists(st.text(max_size=20), max_size=3))
def test_no_text_breaks_it(question: str, previous: str, headings: list[str]) -> None:
    before = PreviousQuestion(previous, headings=headings)
    found = read_follow_up(question)
    for each in readings(found, before) if found else ():
        assert each.question.strip()
    assert phrase_of(previous) == phrase_of(previous).strip()
