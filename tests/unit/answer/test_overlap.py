from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.answers import Answer
from functions.answer.chain import answer_from
from functions.answer.gate.calibration import Calibration
from functions.answer.overlap import checked_fields, keyword_overlap, quoted_similarity
from functions.answer.write.quote_writer import QuoteWriter
from tests.unit.answer.contexts import SOON, STANDING, Scripted, selection

OPEN = Calibration(30, 0, 0, 0, 0)
VECTORS: dict[str, Any] = {
    sentence.text: (1.0, 0.0) if at == 0 else (0.0, 1.0)
    for at, sentence in enumerate(selection().sentences)
}


async def ask(writer: Any) -> Answer:
    return await answer_from("small pushes", selection(), writer, OPEN, "selection", SOON)


def test_overlap_is_the_share_of_long_words_that_stand_in_a_context() -> None:
    assert keyword_overlap("Robots walk slowly.", "robots walk", "and run") == pytest.approx(2 / 3)
    assert keyword_overlap("Robots robots", "robots") == 0.5
    assert keyword_overlap("It is so", "robots") == 1.0
    assert keyword_overlap("Robots walk") == 0.0


@given(st.text(), st.lists(st.text(), max_size=3))
def test_overlap_lies_between_0_and_1(response: str, contexts: list[str]) -> None:
    assert 0.0 <= keyword_overlap(response, *contexts) <= 1.0


async def test_what_was_written_is_scored_whether_it_was_shown_or_not() -> None:
    lie = await ask(Scripted(("Penguins corrects pushes.", ("S9.9",))))
    assert (lie.status, lie.quotes_only) == ("answered", True)
    assert checked_fields(lie, selection()) == {
        "keyword_overlap_ratio": round(2 / 3, 4),
        "validation_passed": False,
    }
    quotes = await ask(QuoteWriter(1))
    assert checked_fields(quotes, selection()) == {
        "keyword_overlap_ratio": 1.0,
        "validation_passed": True,
    }
    assert checked_fields(replace(quotes, checks=()), selection()) == {
        "keyword_overlap_ratio": None,
        "validation_passed": None,
    }


async def test_similarity_of_quotes_comes_from_the_vectors_that_are_there() -> None:
    quotes = await ask(QuoteWriter(1))
    assert quotes.claims[0].text == " ".join(STANDING[:2])
    # One vector of five points along the first axis, the mean of all at (0.2, 0.8).
    assert quoted_similarity(quotes, selection(), VECTORS) == pytest.approx(0.8575, abs=1e-4)
    assert quoted_similarity(quotes, selection(), {}) is None
    zeros = dict.fromkeys(VECTORS, (0.0, 0.0))
    assert quoted_similarity(quotes, selection(), zeros) is None


async def test_quotes_in_place_of_what_was_written_have_no_similarity_either() -> None:
    replaced = await ask(Scripted(("The ankle strategy corrects 99 pushes.", ("S1.1",))))
    assert [claim.text for claim in replaced.claims] == [STANDING[0]]
    assert quoted_similarity(replaced, selection(), VECTORS) is None


async def test_other_words_than_quotes_have_no_similarity() -> None:
    written = await ask(Scripted((STANDING[0], ("S1.1",))))
    assert written.status == "answered"
    assert quoted_similarity(written, selection(), VECTORS) is None
