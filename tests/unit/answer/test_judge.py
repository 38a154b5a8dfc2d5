"""Paraphrases and their judge: what is confirmed is shown, everything else is quoted."""

from __future__ import annotations

import json

import pytest

from functions.answer.answers import Answer
from functions.answer.chain import answer_from
from functions.answer.check.check_claims import Check
from functions.answer.context import Context
from functions.answer.gate.calibration import Calibration
from functions.answer.judge import (
    AROUND,
    LONGEST_CALL,
    LONGEST_EVIDENCE,
    JudgeFailed,
    evidence_of,
    judge_paraphrases,
)
from functions.answer.write.prompts import render_pairs
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import DraftClaim
from tests.unit.answer.contexts import SOON, STANDING, WALKING, Scripted, context, selection

OPEN = Calibration(30, 0, 0, 0, 0)
QUESTION = "Which strategies correct pushes?"
LOOSE = ("The ankle strategy deals with small pushes.", ("S1.1",))
LOOSER = ("Without a large foot, the hip strategy still works.", ("S1.3",))
LIE = ("It moves the centre of pressure by 99 cm.", ("S1.2",))
WALK = (WALKING[0], ("S1.4",))


@pytest.fixture(autouse=True)
def paraphrases(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two loose claims are for the judge, whatever the rules say of them elsewhere."""
    from functions.answer import chain

    def check(claims: tuple[DraftClaim, ...], found: Context) -> list[Check]:
        loose = {LOOSE[0], LOOSER[0]}
        return [
            Check(claim, "paraphrase") if claim.text in loose else checked
            for claim, checked in zip(claims, actual(claims, found), strict=True)
        ]

    actual = chain.check_claims
    monkeypatch.setattr(chain, "check_claims", check)


def texts(answer: Answer) -> list[tuple[str, str]]:
    return [(claim.text, claim.verification) for claim in answer.claims]


async def judged(writer: Scripted, with_judge: bool = True) -> Answer:
    judge = writer if with_judge else None
    return await answer_from(QUESTION, context(), writer, OPEN, "book", SOON, judge)


async def test_what_the_judge_confirms_is_shown_and_called_a_paraphrase() -> None:
    writer = Scripted(LOOSE, WALK, verdicts=True)
    found = await judged(writer)
    assert texts(found) == [(LOOSE[0], "paraphrase"), (WALK[0], "verbatim")]
    assert (found.status, found.quoted, found.judge_failed) == ("answered", frozenset(), False)
    assert found.checks[0].confirmed


async def test_all_paraphrases_go_in_one_call_and_nothing_else_does() -> None:
    writer = Scripted(LOOSE, WALK, LIE, LOOSER, verdicts=[False, True])
    found = await judged(writer)
    assert [claim for claim, _ in writer.judged] == [LOOSE[0], LOOSER[0]]
    assert texts(found) == [
        (STANDING[0], "verbatim"),
        (STANDING[1], "verbatim"),
        (WALK[0], "verbatim"),
        (LOOSER[0], "paraphrase"),
    ]
    assert found.quoted == {0, 2}


BAD: list[object] = [
    False,
    JudgeFailed("late"),
    TimeoutError(),
    [],
    [True, True, True],
    [False, False],
]


@pytest.mark.parametrize("verdicts", BAD, ids=repr)
async def test_what_no_verdict_confirms_is_quoted(verdicts: bool | list[bool] | Exception) -> None:
    found = await judged(Scripted(LOOSE, LOOSER, verdicts=verdicts))
    assert texts(found) == [(STANDING[0], "verbatim"), (STANDING[2], "verbatim")]
    assert (found.status, found.quoted) == ("answered", {0, 1})
    assert not any(check.confirmed for check in found.checks)
    late = not isinstance(verdicts, bool) and verdicts != [False, False]
    assert found.judge_failed == late


async def test_without_a_judge_paraphrases_are_quoted() -> None:
    writer = Scripted(LOOSE, verdicts=True)
    found = await judged(writer, with_judge=False)
    assert texts(found) == [(STANDING[0], "verbatim")]
    assert (writer.judged, found.judge_failed) == ([], False)


async def test_a_judge_that_says_yes_cannot_save_what_breaks_a_rule() -> None:
    writer = Scripted(LIE, verdicts=True)
    found = await judged(writer)
    assert writer.judged == []
    assert LIE[0] not in found.text


async def test_the_judge_is_not_asked_when_quotes_stand_in_for_the_writer() -> None:
    writer = Scripted(LOOSE, fails=True, verdicts=True)
    found = await judged(writer)
    assert (found.writer_failed, writer.judged) == (True, [])


def check_of(text: str, *ids: str) -> Check:
    return Check(DraftClaim(text, ids), "paraphrase")


def test_evidence_is_what_is_cited_with_what_it_refers_to_around_it() -> None:
    assert evidence_of(check_of("It moves.", "S1.2"), context()).splitlines() == [
        f"{AROUND}Balance – Strategies",
        f"{AROUND}{STANDING[0]}",
        STANDING[1],
        f"{AROUND}{STANDING[2]}",
    ]
    assert evidence_of(check_of("It falls.", "S1.5"), selection()).splitlines() == [
        f"{AROUND}{WALKING[0]}",
        WALKING[1],
    ]


def test_a_sentence_of_the_book_cannot_pass_for_a_cited_one() -> None:
    trap = context(("The lamp is lit.", "Nothing.\nThe lamp is green.", "It is old."))
    lines = evidence_of(check_of("It is.", "S1.1"), trap).splitlines()
    assert [line for line in lines if not line.startswith(AROUND)] == ["The lamp is lit."]
    assert len(json.loads(render_pairs([("It is.", "\n".join(lines))]).splitlines()[1])) == 3


async def test_evidence_and_calls_have_bounds() -> None:
    long = "word " * 700
    wide = context((f"One {long}.", f"Two {long}.", "Three."))
    assert "Two" not in evidence_of(check_of("One.", "S1.1"), wide)
    assert evidence_of(check_of("One.", "S1.1", "S1.2"), wide) == ""
    assert len(evidence_of(check_of("Three.", "S1.3"), wide)) <= LONGEST_EVIDENCE
    judge = Scripted(verdicts=True)
    many = [check_of(f"One {n}.", "S1.1") for n in range(30)]
    confirmed = [each.confirmed for each in await judge_paraphrases(many, wide, judge, SOON)]
    assert 0 < sum(confirmed) < 30
    assert confirmed == sorted(confirmed, reverse=True)
    assert sum(len(claim) + len(given) for claim, given in judge.judged) <= LONGEST_CALL


async def test_nothing_to_judge_needs_no_call() -> None:
    judge = Scripted(verdicts=JudgeFailed())
    checks = [Check(DraftClaim(WALK[0], ("S1.4",)), "verbatim")]
    assert await judge_paraphrases(checks, context(), judge, SOON) == checks


async def test_the_quote_writer_asks_no_judge() -> None:
    judge = Scripted(verdicts=True)
    found = await answer_from(QUESTION, context(), QuoteWriter(), OPEN, "book", SOON, judge)
    assert found.status == "answered"
    assert judge.judged == []
