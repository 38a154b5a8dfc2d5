from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.question import read_question
from functions.answer.relevance import covered, score_sentences, score_words
from functions.answer.text.words import terms_of
from tests.unit.answer.contexts import context, selection


def best(question: str, *paragraphs: tuple[str, ...]) -> str:
    given_context = context(*paragraphs)
    scores = score_sentences(read_question(question), given_context)
    return given_context.sentences[scores.index(max(scores))].text


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How many legs has it?", "number"),
        ("When was P2 shown?", "number"),
        ("Who showed P2?", "person"),
        ("What is a capture step?", "definition"),
        ("Why does it fall?", "cause"),
        ("What are the drawbacks of legs?", "drawback"),
        ("What speaks for legs, and what are their benefits?", "benefit"),
        ("How do I calibrate a leg?", "how-to"),
        ("Show me the code of the watchdog", "code"),
        ("Which kinds of joint are there?", "list"),
        ("What is the difference between legs and wheels?", "comparison"),
        ("Should a robot roll or walk?", "comparison"),
        ("Is a leg heavy?", ""),
        ("What's the default number of steps for a walk?", "number"),
        ("what does ZMP stand for?", "definition"),
    ],
)
def test_a_question_says_what_kind_of_answer_it_wants(question: str, wanted: str) -> None:
    assert read_question(question).kind == wanted


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("What is the difference between a leg and the wheel?", ("a leg", "wheel")),
        ("legs vs wheels", ("legs", "wheels")),
        ("How is a leg different from a wheel?", ("a leg", "a wheel")),
        ("How do Box, Rc and RefCell differ?", ("Box", "Rc", "RefCell")),
        ("Should a robot roll or walk?", ("roll", "walk")),
        ("Should I use a stepper motor or a servo?", ("stepper motor", "servo")),
        ("Is it better to react or to plan?", ("react", "plan")),
        (
            "Wheels vs legs for rough ground, how do they differ?",
            ("Wheels", "legs for rough ground"),
        ),
        ("Should I take wheels, tracks or legs?", ("I take wheels", "tracks", "legs")),
        ("What is a leg?", ()),
    ],
)
def test_the_sides_of_a_comparison_are_read(question: str, sides: tuple[str, ...]) -> None:
    assert read_question(question).sides == sides


def test_a_definition_is_asked_of_its_subject() -> None:
    assert read_question("What is a capture step?").subject == {"captur", "step"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which strategy corrects small pushes?", "The ankle strategy corrects small pushes"),
        ("When did Honda show the humanoid P2?", "Honda showed the humanoid P2 in 1996."),
        ("What ends a fall?", "A capture step may end a fall that the ankles cannot stop."),
    ],
)
def test_the_sentence_that_answers_scores_best(question: str, answer: str) -> None:
    assert best(question).startswith(answer)


def test_a_number_is_preferred_where_one_is_asked_for() -> None:
    texts = ("The lamp was lit by a keeper.", "The lamp was lit in 1907 by him.")
    assert best("When was the lamp lit?", texts) == texts[1]


def test_a_sentence_that_asks_answers_less_than_one_that_tells() -> None:
    texts = ("Why does the robot fall on ice?", "The robot may fall on ice.")
    assert best("Why does the robot fall on ice?", texts) == texts[1]


def test_a_word_of_the_heading_counts_by_half() -> None:
    (score,) = score_words(read_question("balance"), context(("Nothing of it is said.",)))
    assert score == 0.5


@given(st.text(max_size=80))
def test_scores_by_words_are_between_zero_and_one(question: str) -> None:
    for given_context in (context(), selection()):
        scores = score_words(read_question(question), given_context)
        assert len(scores) == len(given_context.sentences)
        assert all(-1e-9 <= score <= 1 + 1e-9 for score in scores)


@given(st.text(max_size=80))
def test_a_question_is_wholly_covered_by_its_own_words(question: str) -> None:
    asked = read_question(question)
    wanted = 1.0 if terms_of(question) else 0.0
    assert covered(asked, frozenset(terms_of(question))) == pytest.approx(wanted)
    assert covered(asked, frozenset()) == 0
