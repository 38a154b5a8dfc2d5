"""What a refusal quotes of the sections nearest to a question."""

from __future__ import annotations

from functions.answer.answers import SectionLink
from functions.answer.context import Context, context_of_chunks
from functions.query.nearest import quote_nearest
from tests.unit.answer.contexts import chunk

WALKING = chunk(
    (
        "It is the oldest of the methods that are in use today.",
        "Walking robots were shown at many fairs of the time.",
        "A gait is the order in which a robot moves its legs.",
        "Which gait does your robot use, and why does it use that one?",
    ),
    titles=("Legs", "Gait"),
    path="docs/gait.md",
)
LINKS = (SectionLink("Legs › Gait", WALKING.url), SectionLink("Arms", "/arms"))


def nearest(question: str, context: Context) -> list[str]:
    return [each.text for each in quote_nearest(LINKS, question, context)]


def test_quotes_the_sentence_that_defines_the_section_and_stands_alone() -> None:
    found = context_of_chunks([(WALKING, 1.0)], 0.5)
    assert nearest("What is the gait of a horse?", found) == [
        WALKING.parts[0].sentences[2].text,
        "",
    ]


def test_quotes_the_sentence_with_the_words_of_the_question() -> None:
    found = context_of_chunks([(WALKING, 1.0)], 0.5)
    assert nearest("At which fairs were walking robots banned?", found)[0].startswith("Walking")


def test_quotes_nothing_where_nothing_was_found() -> None:
    assert nearest("What is a gait?", Context((), ())) == ["", ""]
