from __future__ import annotations

import pytest

from functions.answer.check.check_claims import DANGLING, Check, drop_dangling_claims
from functions.answer.text.anaphora import opens_with_anaphor
from functions.answer.write.writer import DraftClaim

HEAD = "The ankle strategy corrects small pushes."


def check(text: str, *failed: str) -> Check:
    return Check(DraftClaim(text, ("S1.1",)), "close", failed)


def kept(*checks: Check) -> list[str]:
    return [each.claim.text for each in drop_dangling_claims(checks) if each.passed]


@pytest.mark.parametrize(
    "opening",
    [
        "It needs no step.",
        "Its reach is short.",
        "This keeps the robot upright.",
        "However, large pushes need a step.",
        "Therefore the foot may stay.",
        "Second, the hip bends.",
        "Finally, the knee bends.",
        "As a result, the robot stands.",
        "For example, a push at the chest is corrected.",
        "They are fast.",
        "The latter is slower.",
        "Both need a foot.",
        "But large pushes need a step.",
    ],
)
def test_a_claim_that_points_back_goes_with_the_claim_it_points_to(opening: str) -> None:
    assert opens_with_anaphor(opening)
    assert kept(check(HEAD), check(opening)) == [HEAD, opening]
    dropped = drop_dangling_claims([check(HEAD, "number"), check(opening)])
    assert [each.objections for each in dropped] == [("number",), (DANGLING,)]


@pytest.mark.parametrize(
    "opening",
    [
        HEAD,
        "Item 2 weighs 3 kg.",
        "Second-order systems oscillate.",
        "Italy built robots too.",
        "It is important that the foot is flat.",
        "This chapter is about balance.",
        "Theory comes first.",
    ],
)
def test_a_claim_that_stands_alone_stays(opening: str) -> None:
    assert not opens_with_anaphor(opening)
    assert kept(check(HEAD, "number"), check(opening)) == [opening]


def test_claims_that_speak_of_the_same_thing_lean_on_its_name() -> None:
    said = ("It moves 99 cm.", "It needs no step.")
    assert kept(check(HEAD), check(said[0], "number"), check(said[1])) == [HEAD, said[1]]
    assert kept(check(HEAD, "name"), check(said[0]), check(said[1])) == []


def test_what_leans_on_a_stranded_claim_goes_too() -> None:
    chain = (check(HEAD, "name"), check("This helps."), check("However, it is slow."))
    assert kept(*chain, check("Hips bend.")) == ["Hips bend."]


def test_the_first_claim_leans_on_nothing() -> None:
    assert kept(check("It needs no step."), check("However, it is slow.")) == [
        "It needs no step.",
        "However, it is slow.",
    ]
    assert drop_dangling_claims([]) == []
