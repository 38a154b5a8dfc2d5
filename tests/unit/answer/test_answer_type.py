from __future__ import annotations

import pytest

from functions.answer.chain import answer_from
from functions.answer.gate.answer_type import has_answer_type
from functions.answer.gate.calibration import SELECTION_BY_WORDS
from functions.answer.write.quote_writer import QuoteWriter
from tests.unit.answer.contexts import SOON, context

ZMP = (
    "The ZMP is the point where the tipping moments of gravity and inertia cancel.",
    "Controllers for humanoid robots keep the ZMP inside the support polygon.",
)
KNOWN = (*ZMP, "The ZMP was introduced by Miomir Vukobratović in 1968 with three robots.")


@pytest.mark.parametrize(
    "question",
    ["Who invented the ZMP?", "When was the ZMP introduced?", "How many ZMP robots are there?"],
)
def test_a_question_wants_a_sentence_that_names_its_type(question: str) -> None:
    assert not has_answer_type(question, context(ZMP))
    assert has_answer_type(question, context(KNOWN))


def test_a_person_may_be_in_the_sentence_before_a_pronoun() -> None:
    told = ("Miomir Vukobratović worked in Belgrade.", "He introduced the ZMP for walking.")
    assert has_answer_type("Who introduced the ZMP?", context(told))


def test_a_name_that_is_asked_about_is_no_answer() -> None:
    told = ("The work of Honda on the ZMP of walking robots was widely read.",)
    assert not has_answer_type("Who led the work of Honda on the ZMP?", context(told))


def test_other_questions_ask_for_no_type() -> None:
    assert has_answer_type("What is the ZMP?", context(ZMP))


async def test_the_chain_refuses_a_selection_without_it() -> None:
    question = "Who introduced the ZMP for walking robots?"
    unknown = ("The ZMP was introduced for walking robots.",)
    named = ("The ZMP was introduced by Miomir Vukobratović for walking robots.",)
    answers = [
        await answer_from(
            question, context(text), QuoteWriter(), SELECTION_BY_WORDS, "selection", SOON
        )
        for text in (unknown, named)
    ]
    assert [answer.refusal for answer in answers] == ["insufficient_selection", None]
