from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.check.entity_names import SourceWords, has_foreign_name, names_are_given
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
    assert check.objections, check


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


def test_a_name_is_foreign_by_a_word_that_is_neither_in_the_source_nor_common() -> None:
    words = SourceWords(TEXT)
    assert has_foreign_name([("ada", "king"), ("toyota",)], words)
    assert not has_foreign_name([("ada", "king"), ("united", "kingdom")], words)
