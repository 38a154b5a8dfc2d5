"""The questions that a page's headings, definitions and terms of the glossary make."""

from __future__ import annotations

import pytest

from functions.query.suggest import candidate_questions
from tests.unit.answer.contexts import chunk

GLOSSARY = chunk(
    ("Gait: the order in which the feet are set.", "Torque – what turns a joint."),
    titles=("Glossary",),
    path="docs/glossary.md",
)


@pytest.mark.parametrize(
    ("titles", "sentences", "questions"),
    [
        (("Legs", "The zero moment point"), ("The zero moment point (ZMP) is the point where "
          "moments vanish.",), ["What is the zero moment point?"]),
        (("Sensors",), ("Sensors are the eyes of a robot.", "Good sensors cost little."),
         ["What are sensors?"]),
        (("Physical AI",), ("Physical AI is an approach.",), ["What is Physical AI?"]),
        (("Legs", "Why do robots fall?"), ("They stumble.",), ["Why do robots fall?"]),
        (("Legs", "How to calibrate an arm"), ("Turn it on.",), ["How do I calibrate an arm?"]),
        (("Walking",), ("The gait is slow.", "A gaiter is a shoe."), ["What does “Gait” mean?"]),
        (("Legs",), ("This is a test.", "It is the second one.", "One of them is the last."), []),
        (("Arms", "Falling well"), ("For our arm it is the sum.", "Falling well is a skill."), []),
        (("Gaps", "Which of the two?"), ("The gap is the way left.",), []),
        (("Legs", "Exercises"), ("A leg is a limb.",), []),
    ],
)  # fmt: skip
def test_questions_of_a_page(
    titles: tuple[str, ...], sentences: tuple[str, ...], questions: list[str]
) -> None:
    page = chunk(sentences, titles=titles)
    assert list(candidate_questions([page], [GLOSSARY])) == questions
