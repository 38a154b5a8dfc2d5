"""Topics without a question: how they are told, and what is asked next."""

from __future__ import annotations

import pytest

from functions.answer.context import context_of_chunks
from functions.query.intents.vague_topic import SpreadWriter, clarifying_questions, vague_topic
from tests.unit.answer.contexts import chunk


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Tell me about robots", "robots"),
        ("explain control", "control"),
        ("What can you tell me about balance?", "balance"),
        ("I'd like to learn more about the Zero Moment", "Zero Moment"),
        ("robots", "robots"),
    ],
)
def test_reads_the_topic(question: str, topic: str) -> None:
    assert vague_topic(question) == topic


@pytest.mark.parametrize(
    "question",
    [
        "Explain how control works",
        "Tell me about the difference between control and planning",
        "Explain the role of ankles in keeping a robot upright",
        "What is a robot?",
        "Tell me about it",
        "robots?" + " really" * 9,
        "Explain `move_to(x)`",
        "",
    ],
)
def test_takes_no_certain_question_for_a_topic(question: str) -> None:
    assert vague_topic(question) is None


WALK = chunk(("Walking robots fall often.", "Nothing is told here."), titles=("Legs", "Walking"))
ARM = chunk(("An arm is a robot without legs.",), titles=("Arms",), path="docs/arms.md")
TASK = chunk(("Draw a robot with two arms.",), titles=("Arms", "Exercises"), path="docs/arms.md")
OTHER = chunk(("Bread needs time.",), titles=("Baking",), path="docs/bread.md")


def test_tells_of_each_section_with_one_sentence() -> None:
    context = context_of_chunks([(WALK, 1.0), (ARM, 0.9), (TASK, 0.8), (OTHER, 0.7)])
    draft = SpreadWriter(3, topic="robots").pick("Tell me about robots", context)
    assert {claim.text for claim in draft.claims} == {
        "Walking robots fall often.", "An arm is a robot without legs.",
    }  # fmt: skip


def test_asks_one_question_for_each_section_that_speaks_of_the_topic() -> None:
    assert clarifying_questions("robots", [WALK, ARM, TASK, OTHER, WALK]) == [
        "What does “Legs: Walking” say about robots?",
        "What does “Arms” say about robots?",
    ]
    assert clarifying_questions("arms", [ARM, WALK, TASK, OTHER]) == []


def test_asks_of_a_section_that_is_the_topic_what_it_is_about() -> None:
    found = clarifying_questions("robot arms", [ARM, chunk(("Robot arms.",), titles=("Robot",))])
    assert found == [
        "What is the section “Arms” about?",
        "What is the section “Robot” about?",
    ]
