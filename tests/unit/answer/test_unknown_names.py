"""Names that a question asks after and the book never mentions."""

from __future__ import annotations

import pytest

from functions.answer.gate.calibration import BOOK, Signals, unknown_names
from functions.answer.gate.thresholds import GATE
from tests.unit.answer.contexts import context

BOOK_TEXT = (
    "Stanley of Stanford University won the DARPA Grand Challenge in 2005.",
    "The zero moment point tells whether a walking robot keeps its balance.",
    "The United States build actuators from Canadian steel.",
)


def unknown(question: str) -> tuple[tuple[str, ...], ...]:
    return unknown_names(question, context(BOOK_TEXT))


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is the top speed of the biped Cassie?", (("cassie",),)),
        ("Who won the DARPA Urban Challenge in 2007?", (("urban",),)),
        ("Does Stanley know Sojourner?", (("sojourner",),)),
    ],
)
def test_a_name_that_nothing_mentions_is_unknown(
    question: str, names: tuple[tuple[str, ...], ...]
) -> None:
    assert unknown(question) == names


@pytest.mark.parametrize(
    "question",
    [
        "Who won the DARPA Grand Challenge?",
        "What does the ZMP tell?",  # spelled out in the book
        "Where does Canada come into it?",
        "What do the United States build?",
        "How heavy are swarms of robots?",  # unknown, but no name
        "Clifford is afraid of cameras. The fear of Clifford is what is called __",
        "My name is Cassie. Which robot keeps its balance?",
        "What Are The Main Advantages Of Hydraulic Actuators?",
        "WHAT IS THE TOP SPEED OF CASSIE?",
        "Wie schnell läuft der Roboter mit Beinen aus Stahl?",
    ],
)
def test_what_is_mentioned_or_no_name_is_not_unknown(question: str) -> None:
    assert unknown(question) == ()


def test_a_question_after_an_unknown_name_is_refused() -> None:
    signals = Signals(0.9, 1.0, 1.0, 1.0, 1.0)
    assert BOOK.confidence(signals) > GATE
    assert BOOK.confidence(Signals(0.9, 1.0, 1.0, 1.0, 1.0, unknown=True)) < GATE
