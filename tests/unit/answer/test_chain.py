from __future__ import annotations

from typing import Any

import pytest

from functions.answer.answers import Answer
from functions.answer.chain import Scope, answer_from
from functions.answer.check.check_claims import DANGLING
from functions.answer.context import Context, context_of_chunks
from functions.answer.gate.calibration import Calibration
from functions.answer.refusals import INSUFFICIENT_SELECTION, NOT_IN_SELECTION, OUT_OF_SCOPE
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import Writer
from tests.unit.answer.contexts import SOON, STANDING, WALKING, Scripted, chunk, context, selection

OPEN = Calibration(30, 0, 0, 0, 0)
SHUT = Calibration(-30, 0, 0, 0, 0)
QUESTION = "Which strategy corrects small pushes?"
GOOD = ("The ankle strategy corrects small pushes.", ("S1.1",))
LIE = ("The ankle strategy corrects 99 small pushes.", ("S1.1",))
LOOSE = ("Ankles deal with pushes.", ("S1.1",))
WHOLE = (STANDING[2], ("S1.3",))
UNKNOWN = ("The ankle strategy corrects small pushes.", ("S7.1",))


async def answer(
    writer: Writer,
    given_context: Context | None = None,
    *,
    calibration: Calibration = OPEN,
    scope: Scope = "book",
) -> Answer:
    found = context() if given_context is None else given_context
    return await answer_from(QUESTION, found, writer, calibration, scope, SOON)


SCOPES: list[Any] = [("book", OUT_OF_SCOPE), ("selection", INSUFFICIENT_SELECTION)]


@pytest.mark.parametrize(("scope", "sentence"), SCOPES)
async def test_refuses_without_asking_the_writer_when_the_gate_is_shut(
    scope: Scope, sentence: str
) -> None:
    writer = Scripted(GOOD)
    refused = await answer(writer, calibration=SHUT, scope=scope)
    assert (refused.status, refused.text, writer.asked) == ("refused", sentence, 0)
    assert refused.claims == refused.citations == ()


@pytest.mark.parametrize(("scope", "sentence"), SCOPES)
async def test_refuses_without_asking_the_writer_when_nothing_was_found(
    scope: Scope, sentence: str
) -> None:
    writer = Scripted(GOOD)
    refused = await answer(writer, Context((), ()), scope=scope)
    assert (refused.status, refused.text, writer.asked) == ("refused", sentence, 0)


@pytest.mark.parametrize(("scope", "sentence"), SCOPES)
async def test_refuses_when_the_writer_finds_no_answer(scope: Scope, sentence: str) -> None:
    refused = await answer(Scripted(GOOD, status="none"), scope=scope)
    assert (refused.status, refused.text) == ("refused", sentence)
    assert refused.draft is not None


async def test_a_selection_that_does_not_bear_out_what_was_written_has_its_own_sentence() -> None:
    assert (await answer(Scripted(LIE))).text == OUT_OF_SCOPE
    refused = await answer(Scripted(LIE), selection(), scope="selection")
    assert (refused.refusal, refused.text) == ("not_grounded", NOT_IN_SELECTION)
    assert "number" in refused.checks[0].objections


async def test_an_answer_is_whole_only_when_nothing_was_dropped_or_missing() -> None:
    assert (await answer(Scripted(GOOD))).status == "answered"
    assert (await answer(Scripted(GOOD, LIE))).status == "partial"
    assert (await answer(Scripted(GOOD, status="partial"))).status == "partial"
    kept = await answer(Scripted(LIE, GOOD, UNKNOWN))
    assert [claim.text for claim in kept.claims] == [GOOD[0]]
    assert kept.text == f"{GOOD[0]} [1]"
    assert len(kept.checks) == 3


async def test_a_claim_that_leans_on_a_dropped_one_is_dropped() -> None:
    lean = ("It moves the centre of pressure by at most 12 cm.", ("S1.2",))
    found = await answer(Scripted(LIE, lean, WHOLE))
    assert [claim.text for claim in found.claims] == [WHOLE[0]]
    assert found.checks[1].objections == (DANGLING,)
    assert (await answer(Scripted(LIE, lean))).status == "refused"


async def test_what_says_nothing_is_dropped_and_nothing_is_missing_without_it() -> None:
    writer = Scripted(("That is a great question!", ("S1.1",)), GOOD, verdicts=[True])
    found = await answer(writer)
    assert (found.status, [claim.text for claim in found.claims]) == ("answered", [GOOD[0]])
    assert writer.judged == []


async def test_flagged_claims_are_put_to_the_writer_together_with_their_evidence() -> None:
    writer = Scripted(LOOSE, GOOD, LIE, UNKNOWN, verdicts=[True, False])
    found = await answer(writer)
    assert writer.judged == [(LOOSE[0], STANDING[0])]
    assert [claim.text for claim in found.claims] == [LOOSE[0], GOOD[0]]
    assert found.claims[0].verification == "paraphrase"


@pytest.mark.parametrize("verdicts", [None, [False], [True]])
async def test_what_the_writer_does_not_confirm_stays_out(verdicts: list[bool] | None) -> None:
    found = await answer(Scripted(LIE, LOOSE, GOOD, verdicts=verdicts))
    expected = [LOOSE[0], GOOD[0]] if verdicts == [True] else [GOOD[0]]
    assert [claim.text for claim in found.claims] == expected


async def test_quotes_stand_in_for_a_writer_that_fails() -> None:
    found = await answer(Scripted(fails=True))
    assert (found.status, found.quotes_only, found.writer_failed) == ("answered", True, True)
    assert found.claims[0].text == STANDING[0]
    assert {claim.verification for claim in found.claims} == {"verbatim"}


async def test_a_page_of_quotes_only_is_never_shown_to_the_writer() -> None:
    writer = Scripted(GOOD)
    mixed = context_of_chunks(
        [(chunk(STANDING), 1.0), (chunk(WALKING, path="docs/b.md", policy="quote-only"), 0.5)]
    )
    found = await answer(writer, mixed)
    assert (writer.asked, found.quotes_only, found.writer_failed) == (0, True, False)
    assert found.claims[0].text == STANDING[0]


async def test_quotes_of_the_quote_writer_are_cited_and_timed() -> None:
    found = await answer(QuoteWriter(1))
    assert found.text == f"{STANDING[0]} [1]"
    assert found.citations[0].quotes[0].exact == STANDING[0]
    assert set(found.timings_ms) == {"gate", "write", "check"}
    assert found.confidence == pytest.approx(1.0)
    assert found.quotes_only
    assert not found.writer_failed
