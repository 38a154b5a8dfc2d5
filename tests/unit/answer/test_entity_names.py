from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.check.entity_names import SourceWords, identifies_another, names_are_given
from functions.answer.check.facts import read_statement
from functions.answer.write.writer import DraftClaim
from tests.unit.answer.contexts import check_claim, context, sample_prose

TEXT = (
    "Ada King, Countess of Lovelace, wrote notes on the engine.",
    "The U.S. printed them, and the Royal Society of London read them.",
    "A Canadian firm built RobotArm.",
)


def stand(*names: str) -> bool:
    return names_are_given([tuple(name.lower().split()) for name in names], SourceWords(TEXT))


@pytest.mark.parametrize(
    "name",
    ["Ada Lovelace", "Ada King", "United States", "Canada", "Royal Society", "Robot Arm", "RSL"],
)
def test_a_name_stands_as_it_is_written_or_abbreviated_or_in_another_form(name: str) -> None:
    assert stand(name)


@pytest.mark.parametrize("name", ["Alan Turing", "Ada London", "United Kingdom", "Lovelace Arm"])
def test_another_name_or_one_made_of_two_does_not_stand(name: str) -> None:
    assert not stand(name)
    assert not stand("Ada King", name)


@given(st.deferred(lambda: st.sampled_from(sample_prose())))
def test_a_sentences_own_names_stand_in_it(sentence: object) -> None:
    text = sentence.text  # type: ignore[attr-defined]
    assert names_are_given(read_statement(text).names, SourceWords([text])), text


def test_no_name_stands_anywhere() -> None:
    assert names_are_given([], SourceWords([]))
    assert not names_are_given([("ada",)], SourceWords([]))


def test_an_abbreviation_stands_where_its_words_are_written_small() -> None:
    words = SourceWords(["Here the zero moment point leaves the foot."])
    assert names_are_given([("zmp",)], words)
    assert not names_are_given([("zmq",)], words)


PAGE = (
    (
        "Honda showed the humanoid P2 in 1996.",
        "It walked up a flight of stairs.",
        "The zero moment point guides the steps of most humanoids.",
    ),
    ("Toyota showed a trumpet player.", "They also built a runner."),
)


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("Honda guides the steps of most humanoids by the zero moment point.", "S1.3"),
        ("The zero moment point guides the steps of most Honda humanoids.", "S1.3"),
        ("Toyota guides the steps of most humanoids by the zero moment point.", "S1.3"),
        ("Toyota walked up a flight of stairs.", "S1.2"),
        ("Honda also built a runner.", "S1.5"),
    ],
)
def test_a_name_from_elsewhere_on_the_page_does_not_act_in_a_sentence(text: str, id: str) -> None:
    check = check_claim(DraftClaim(text, (id,)), context(*PAGE))
    assert "name" in check.objections
    assert not check.is_for_judge


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("Honda showed the humanoid P2 in 1996.", "S1.1"),
        ("The humanoid P2 of Honda walked up a flight of stairs.", "S1.2"),
        ("Toyota also built a runner.", "S1.5"),
        ("The ZMP guides most humanoids.", "S1.3"),
        ("In Balance, the zero moment point guides the steps of most humanoids.", "S1.3"),
    ],
)
def test_a_name_stands_in_the_sentence_its_heading_or_what_it_points_back_to(
    text: str, id: str
) -> None:
    assert check_claim(DraftClaim(text, (id,)), context(*PAGE)).objections == ()


EVIDENCE = (
    "Steam engines drove ships and mills, and the turbines of the mill were wooden.",
    "The courts of the member states apply the law; a treaty is the source of law.",
)


@pytest.mark.parametrize(
    "said",
    [
        "That is steam turbines.",
        "Steam engines drove ships and mills. That was the wooden mill.",
        "It is called the wooden ship.",
        "They were the courts of law.",
        "The answer is the wooden courts",
    ],
)
def test_a_name_whose_words_stand_apart_is_another(said: str) -> None:
    assert identifies_another(said, EVIDENCE)


@pytest.mark.parametrize(
    "said",
    [
        "That is steam engines.",
        "They are the courts of the member states.",
        "It is the source of law.",
        "Steam engines drove ships. It was so.",
        "Engines drove ships and mills, which were wooden.",
        "It is the law that the courts of all member states apply to ships and mills alike.",
    ],
)
def test_a_name_that_stands_there_or_a_longer_statement_is_left_to_the_other_rules(
    said: str,
) -> None:
    assert not identifies_another(said, EVIDENCE)
