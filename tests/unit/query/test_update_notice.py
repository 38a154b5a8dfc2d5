from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from functions.answer.answers import Answer
from functions.answer.chain import answer_from
from functions.answer.context import Context, context_of_chunks
from functions.answer.gate.calibration import Calibration
from functions.query.update_notice import update_notices
from functions.web.build_response import notice_bodies
from tests.unit.answer.contexts import SOON, STANDING, WALKING, Scripted, chunk

NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)
OPEN = Calibration(30, 0, 0, 0, 0)
CITED = ("The ankle strategy corrects small pushes.", ("S1.1",))
SENTENCE = "Note: This chapter was updated on March 4, 2026. Responses reflect latest version."


def context(*, generation: int = 2, updated_at: str = "2026-03-04T23:59:00+00:00") -> Context:
    """The first source was updated so; the second one today."""
    first = replace(chunk(STANDING), generation=generation, updated_at=updated_at)
    other = replace(
        chunk(WALKING, path="docs/walking.md"), generation=9, updated_at=NOW.isoformat()
    )
    return context_of_chunks([(first, 1.0), (other, 0.5)])


async def answered(given: Context) -> Answer:
    answer = await answer_from("What corrects small pushes?", given, Scripted(CITED), OPEN, "book",
                               SOON)  # fmt: skip
    assert len(answer.citations) == 1
    return answer


async def test_an_answer_from_a_document_that_changed_lately_says_when() -> None:
    given = context()
    (notice,) = notice_bodies(update_notices(await answered(given), given, 7, NOW))
    assert (notice.code, notice.text) == ("content_updated", SENTENCE)


@pytest.mark.parametrize(
    "given",
    [
        context(generation=1),
        context(updated_at=(NOW - timedelta(days=7, seconds=1)).isoformat()),
        context(updated_at=""),
    ],
    ids=["first version", "long ago", "date unknown"],
)
async def test_no_other_answer_has_the_notice_whatever_else_was_found(given: Context) -> None:
    assert update_notices(await answered(given), given, 7, NOW) == []


async def test_the_setting_says_how_long_a_change_is_news() -> None:
    given = context()
    answer = await answered(given)
    assert update_notices(answer, given, 4, NOW) == []
    assert update_notices(answer, given, 5, NOW)
    assert update_notices(answer, given, 0, NOW) == []
