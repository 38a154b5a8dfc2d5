"""When two chapters say the opposite of each other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from functions.answer.answers import Answer
from functions.answer.chain import answer_from
from functions.answer.context import Context, context_of_chunks
from functions.answer.gate.calibration import Calibration
from functions.answer.write.writer import Writer
from functions.book.chunks.chunk import Chapter
from functions.query.contradictions import BothSides, BothSidesQuotes, differ, differing_notices
from functions.web.build_response import notice_bodies
from tests.unit.answer.contexts import SOON, Scripted, chunk

OPEN = Calibration(30, 0, 0, 0, 0)
QUESTION = "Does a robot need a model of the world?"
NO = "A robot does not need an internal model of the world."
YES = "A robot needs an internal model of the world."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (NO, YES),
        ("Planning before acting makes a robot slower and more fragile.",
         "Planning before acting makes a robot more reliable."),
        ("The world is its own best model.", "The world is not its own best model."),
        ("Every walking robot must have force sensors in its feet.",
         "Force sensors in the feet of a walking robot are optional."),
        ("Heavy feet increase the cost of walking.", "Heavy feet decrease the cost of walking."),
    ],
)  # fmt: skip
def test_sees_that_two_sentences_say_the_opposite(one: str, other: str) -> None:
    assert differ(one, other)
    assert differ(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (YES, YES),
        (YES, "A robot needs an internal model of the world to plan."),
        (YES, "A robot does not need a large battery."),
        ("At no time is there a robot that does not yet work.",
         "Every walking robot falls at some time."),
        ("Effective mass is not the mass of the robot.",
         "A mass that is wrong makes a controller fail on the robot."),
        (NO, "Does a robot need an internal model of the world?"),
        (f"If it has sensors, {NO[0].lower()}{NO[1:]}", YES),
        ("If true, the parser throws an error on an unknown command.",
         "If false, the parser throws no error on an unknown command."),
        ("", ""),
    ],
)  # fmt: skip
def test_takes_other_sentences_for_no_contradiction(one: str, other: str) -> None:
    assert not differ(one, other)
    assert not differ(other, one)


def two_chapters(other_chapter: int = 2) -> Context:
    against = chunk((NO, "Its sensors tell it enough."), titles=("Reaction",), path="docs/a.md")
    in_favour = chunk(
        ("It has to remember what it cannot see.", YES), titles=("Planning",), path="docs/b.md"
    )
    in_favour = replace(in_favour, chapter=Chapter("b", other_chapter, "Planning"))
    return context_of_chunks([(against, 1.0), (in_favour, 0.9)], 0.9)


async def answered(writer: Writer, context: Context) -> Answer:
    return await answer_from(QUESTION, context, writer, OPEN, "book", SOON)


async def test_a_quoted_answer_shows_both_sides_even_with_room_for_two() -> None:
    context = two_chapters()
    answer = await answered(BothSidesQuotes(2), context)
    assert all(any(side in claim.text for claim in answer.claims) for side in (NO, YES))
    (notice,) = notice_bodies(differing_notices(answer, context))
    assert notice.code == "differing_views"
    assert notice.text == "The book takes different sides on this: compare [1] and [2]."


async def test_a_written_answer_gets_the_side_it_left_out_as_a_quote() -> None:
    context = two_chapters()
    answer = await answered(BothSides(Scripted((NO, ("S1.1",)))), context)
    assert [claim.text for claim in answer.claims] == [NO, YES]
    assert [claim.citations for claim in answer.claims] == [(1,), (2,)]
    assert differing_notices(answer, context)


async def test_a_written_answer_with_both_sides_stays_as_it_is() -> None:
    context = two_chapters()
    drafted = ((YES, ("S2.2",)), (NO, ("S1.1",)))
    answer = await answered(BothSides(Scripted(*drafted)), context)
    assert [claim.text for claim in answer.claims] == [YES, NO]
    assert differing_notices(answer, context)


async def test_one_chapter_does_not_take_sides_against_itself() -> None:
    context = two_chapters(other_chapter=1)
    answer = await answered(BothSides(Scripted((NO, ("S1.1",)))), context)
    assert [claim.text for claim in answer.claims] == [NO]
    assert differing_notices(answer, context) == []


async def test_a_failing_writer_fails_as_before() -> None:
    answer = await answered(BothSides(Scripted(fails=True)), two_chapters())
    assert answer.writer_failed
    assert answer.claims
