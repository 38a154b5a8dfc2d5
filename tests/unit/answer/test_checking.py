from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from functions.answer.checking import check_claim, check_claims, support_for
from functions.answer.context import Sentence
from functions.answer.statements import read_statement
from functions.answer.writing import DraftClaim
from tests.unit.answer.contexts import STANDING, context, sample_context, sample_prose

NUMBER = re.compile(r"(?<![\w.,−-])\d+(?:\.\d+)?(?![\w.,]*\w)")
sentences = st.deferred(lambda: st.sampled_from(sample_prose()))


def failed(text: str, *ids: str) -> tuple[str, ...]:
    return check_claim(DraftClaim(text, ids), context()).failed


@given(sentences)
def test_any_whole_sentence_passes_as_verbatim(sentence: Sentence) -> None:
    check = check_claim(DraftClaim(sentence.text, (sentence.id,)), sample_context())
    assert (check.passed, check.verification, check.coverage) == (True, "verbatim", 1.0)


@settings(max_examples=300)
@given(sentences, st.data())
def test_a_not_put_into_a_sentence_that_denies_nothing_fails(
    sentence: Sentence, data: st.DataObject
) -> None:
    words = sentence.text.split()
    assume(not read_statement(sentence.text).negated)
    at = data.draw(st.integers(1, len(words) - 1))
    text = " ".join([*words[:at], "not", *words[at:]])
    check = check_claim(DraftClaim(text, (sentence.id,)), sample_context())
    assert not check.passed, text


def test_a_not_put_into_a_sentence_that_denies_something_else_fails() -> None:
    given_context = context(("A chess program can win without ever touching a chessboard.",))
    text = "A chess program can not win without ever touching a chessboard."
    assert not check_claim(DraftClaim(text, ("S1.1",)), given_context).passed


@settings(max_examples=300)
@given(
    st.deferred(lambda: st.sampled_from([s for s in sample_prose() if NUMBER.search(s.text)])),
    st.integers(10_001, 10**7),
    st.data(),
)
def test_another_number_fails(sentence: Sentence, other: int, data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(list(NUMBER.finditer(sentence.text))))
    text = f"{sentence.text[: place.start()]}{other}{sentence.text[place.end() :]}"
    check = check_claim(DraftClaim(text, (sentence.id,)), sample_context())
    assert "number" in check.failed, text


@given(sentences, sentences)
def test_a_sentence_cited_to_another_place_is_not_verbatim(told: Sentence, cited: Sentence) -> None:
    assume(told.text != cited.text)
    assume(told.text not in cited.text)
    check = check_claim(DraftClaim(told.text, (cited.id,)), sample_context())
    assert not (check.passed and check.verification == "verbatim")


@pytest.mark.parametrize(
    "ids", [(), ("S9.9",), ("S1.1", "S9.9"), ("",), ("s1.1",), ("S1.1 ",), ("S1.0",)]
)
def test_a_claim_without_a_sentence_of_the_context_fails(ids: tuple[str, ...]) -> None:
    check = check_claim(DraftClaim("The ankle strategy corrects small pushes.", ids), context())
    assert check.failed == ("unknown sentence id",)


@pytest.mark.parametrize(
    "text",
    [
        "The ankle strategy corrects small pushes.",
        "Small pushes are corrected by the ankle strategy without a step.",
        "According to the book, the ankle strategy corrects small pushes without a step.",
        "The ankle strategy moves the centre of pressure by at most 12 cm.",
    ],
)
def test_a_fair_paraphrase_passes(text: str) -> None:
    assert failed(text, "S1.1", "S1.2") == ()


@pytest.mark.parametrize(
    ("rule", "text", "id"),
    [
        ("number", "It moves the centre of pressure by at most 21 cm.", "S1.2"),
        ("number", "It moves the centre of pressure by at most 12 km.", "S1.2"),
        ("name", "Toyota showed the humanoid P2 in 1996.", "S1.5"),
        ("code", "Honda showed walk_fast() in 1996.", "S1.5"),
        ("negation", "The ankle strategy does not correct small pushes.", "S1.1"),
        ("negation", "The hip strategy needs a large foot.", "S1.3"),
        ("quantifier", "The ankle strategy always corrects small pushes.", "S1.1"),
        ("no statement", "Does the ankle strategy correct small pushes?", "S1.1"),
        ("no statement", "I correct small pushes by the ankle strategy.", "S1.1"),
        ("coverage", "Penguins balance pancakes beautifully on snowy mornings.", "S1.1"),
        ("direction", "The hip strategy needs a smaller foot.", "S1.3"),
        ("says nothing", "It is so.", "S1.1"),
    ],
)
def test_each_rule_names_what_it_found(rule: str, text: str, id: str) -> None:
    if rule == "direction":
        given_context = context(("The hip strategy needs a larger foot.",))
        check = check_claim(DraftClaim(text, ("S1.1",)), given_context)
        assert rule in check.failed
    else:
        assert rule in failed(text, id)


def test_certainty_where_the_book_only_supposes_fails() -> None:
    assert "modality" in failed("A capture step must end a fall.", "S1.4")


@pytest.mark.parametrize(
    ("sentence", "part"),
    [
        ("It is not true that robots dream of sheep.", "robots dream of sheep"),
        ("If the floor is wet, the foot slips.", "the foot slips"),
        ("The foot slips if the floor is wet.", "The foot slips"),
        ("Nobody claims that the moon is made of cheese.", "the moon is made of cheese"),
    ],
)
def test_a_part_that_turns_the_meaning_of_the_whole_is_not_verbatim(
    sentence: str, part: str
) -> None:
    check = check_claim(DraftClaim(part, ("S1.1",)), context((sentence,)))
    assert check.verification == "supported"


def test_checks_stay_in_the_order_of_the_claims() -> None:
    claims = [DraftClaim("Wrong 99.", ("S1.1",)), DraftClaim(STANDING[0], ("S1.1",))]
    assert [check.claim for check in check_claims(claims, context())] == claims


def test_support_is_found_where_a_text_comes_from() -> None:
    assert support_for("Honda showed the humanoid P2 in 1996.", context()) == ("S1.5",)
