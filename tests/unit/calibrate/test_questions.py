from __future__ import annotations

from quoth.calibrate.questions import MOST_PER_CHAPTER, foreign_questions, make_questions
from tests.unit.answer.contexts import chunk

STANDING = (
    "The ankle strategy corrects small pushes by turning the whole body about the ankle joint.",
    "A larger push needs the hip strategy, in which the torso swings against the falling motion.",
)


def test_the_same_book_gives_the_same_questions_each_under_its_chapter() -> None:
    book = [
        chunk(
            STANDING,
            titles=("Standing Up", "Exoskeleton Gaits"),
            path="docs/03-b/01-s.md",
            number=3,
        ),
        chunk(STANDING[:1], titles=("Walking", "Gait Cycles"), path="docs/04-w/01-w.md", number=4),
    ]
    made = make_questions(book)
    assert made == make_questions(book)
    assert made
    assert {each.chapter_id for each in made} == {each.chapter.id for each in book}
    assert "What is Exoskeleton Gaits?" in [each.question for each in made]


def test_a_heading_that_asks_is_the_question_and_apparatus_is_none() -> None:
    def questions(title: str) -> list[str]:
        return [
            each.question for each in make_questions([chunk(("Too short.",), titles=("B", title))])
        ]

    assert questions("Why Robots Fall Over") == ["Why Robots Fall Over?"]
    assert questions("References") == questions("Exercises") == questions("Introduction") == []


def test_captions_bibliographies_and_code_make_no_questions() -> None:
    lines = (
        "Kato, I., Ohteru, S., & Kobayashi, H. (1974). Information-power machine, pp. 12-24, 31.",
        "x = [0.2, 0.8]; y = {1: 'ankle'}; torque = kp * (target - angle) - kd * speed + gravity",
        "Why would the ankle strategy correct small pushes better than the hip strategy does?",
    )
    assert make_questions([chunk(lines, titles=("Balance", "On it all"))]) == []


def test_no_chapter_has_more_than_its_share() -> None:
    sentences = tuple(
        f"The {name} controller of the humanoid regulates torque at every actuated ankle joint."
        for name in ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
    )
    many = [
        chunk(sentences, titles=("B", f"Ankle torque {at}"), path="docs/a.md") for at in range(40)
    ]
    assert len(make_questions(many)) == MOST_PER_CHAPTER


def test_foreign_questions_come_in_topics_without_repeats() -> None:
    topics = foreign_questions()
    flat = [each for questions in topics.values() for each in questions]
    assert len(topics) > 15
    assert len(flat) == len(set(flat)) > 100
    assert all(each.endswith("?") for each in flat)
