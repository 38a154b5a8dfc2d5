"""Names that a question asks after and the book never mentions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from functions.answer.context import context_of_chunks
from functions.answer.gate.calibration import BOOK, Signals
from functions.answer.gate.thresholds import GATE
from functions.answer.gate.unknown_names import rare_words, unknown_names
from tests.unit.answer.contexts import chunk, context

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
        "Summarise the challenge.",
        "What Are The Main Advantages Of Hydraulic Actuators?",
        "WHAT IS THE TOP SPEED OF CASSIE?",
        "Wie schnell läuft der Roboter mit Beinen aus Stahl?",
    ],
)
def test_what_is_mentioned_or_no_name_is_not_unknown(question: str) -> None:
    assert unknown(question) == ()


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who developed DATAPAC?", ("datapac",)),
        ("who developed datapac", ("datapac",)),
        ("Who developed DataPac?", ("datapac",)),
        ("WHAT DOES DATAPAC-2 DO?", ("datapac",)),
        ("what is in london", ("london",)),
        ("Why shouldn't a multithreaded program forget its colours and colors?", ()),
        ("What does `Datapac::connect` do?\n```\nlet datapac = 1;\n```", ()),
        ("Where are the leitmotifs?", ()),  # rare, but no name
    ],
)
def test_what_is_no_ordinary_english_is_looked_up_in_the_book(
    question: str, words: tuple[str, ...]
) -> None:
    assert rare_words(question) == words


@pytest.mark.parametrize(
    ("question", "absent", "names"),
    [
        ("who developed datapac", "datapac", (("datapac",),)),
        ("Who developed DATAPAC?", "datapac", (("datapac",),)),
        ("who developed datapac", "", ()),  # the book has it elsewhere
        ("what does the zmp tell", "zmp", ()),  # spelled out in the book
        ("who won the darpa chalenge", "chalenge", ()),  # misspelt
        ("how does the actuater work", "actuater", ()),
        ("how does it query postgres", "postgres", (("postgres",),)),  # no slip of "posters"
        ("is the moment realy artifical", "realy artifical", ()),
        ("wer hat datapac entwickelt", "datapac entwickelt", ()),
    ],
)
def test_a_rare_word_that_the_whole_book_lacks_is_unknown_in_any_spelling(
    question: str, absent: str, names: tuple[tuple[str, ...], ...]
) -> None:
    found = replace(context(BOOK_TEXT), absent=frozenset(absent.split()))
    assert unknown_names(question, found) == names


@pytest.mark.parametrize("fence", ["python", "py"])
def test_the_language_of_the_code_is_known(fence: str) -> None:
    code = chunk(("def walk():", "    step()"), kind="code")
    text = f"```{fence}\ndef walk():\n    step()\n```"
    (part,) = code.parts
    fenced = replace(code, text=text, parts=(replace(part, start=0, end=len(text)),))
    asked = "How does the Python function walk?"
    assert unknown_names(asked, context_of_chunks([(code, 1.0)])) == (("python",),)
    assert unknown_names(asked, context_of_chunks([(fenced, 1.0)])) == ()


def test_a_question_after_an_unknown_name_is_refused() -> None:
    signals = Signals(0.9, 1.0, 1.0, 1.0, 1.0)
    assert BOOK.confidence(signals) > GATE
    assert BOOK.confidence(Signals(0.9, 1.0, 1.0, 1.0, 1.0, unknown=True)) < GATE
