from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from functions.answer.check.alignment import tokens_of, words_in
from functions.answer.check.check_claims import check_claims
from functions.answer.check.operators import kinds_of
from functions.answer.context import Sentence
from functions.answer.write.writer import DraftClaim
from tests.unit.answer.contexts import STANDING, check_claim, context, sample_context, sample_prose
from tools.evaluate.grounding import support_for

NUMBER = re.compile(r"(?<![\w.,−-])\d+(?:\.\d+)?(?![\w.,]*\w)")
NAME = re.compile(r"(?<=[a-z] )[A-Z][a-z]{3,}\b")
sentences = st.deferred(lambda: st.sampled_from(sample_prose()))


def failed(text: str, *ids: str) -> tuple[str, ...]:
    return check_claim(DraftClaim(text, ids), context()).objections


@given(sentences)
def test_any_whole_sentence_passes_as_verbatim(sentence: Sentence) -> None:
    check = check_claim(DraftClaim(sentence.text, (sentence.id,)), sample_context())
    assert (check.passed, check.proof) == (True, "verbatim")


@settings(max_examples=300)
@given(sentences, st.data())
def test_a_not_put_into_a_sentence_that_denies_nothing_fails(
    sentence: Sentence, data: st.DataObject
) -> None:
    words = sentence.text.split()
    assume("negation" not in kinds_of(words_in(tokens_of(sentence.text))))
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
    assert check.objections, text


@given(sentences, sentences)
def test_a_sentence_cited_to_another_place_is_not_verbatim(told: Sentence, cited: Sentence) -> None:
    assume(told.text != cited.text)
    assume(told.text not in cited.text)
    check = check_claim(DraftClaim(told.text, (cited.id,)), sample_context())
    assert not (check.passed and check.proof == "verbatim")


@pytest.mark.parametrize(
    "ids", [(), ("S9.9",), ("S1.1", "S9.9"), ("",), ("s1.1",), ("S1.1 ",), ("S1.0",)]
)
def test_a_claim_without_a_sentence_of_the_context_fails(ids: tuple[str, ...]) -> None:
    check = check_claim(DraftClaim("The ankle strategy corrects small pushes.", ids), context())
    assert check.objections == ("unknown sentence id",)


@pytest.mark.parametrize(
    ("text", "proof"),
    [
        (STANDING[0], "verbatim"),
        ("Small pushes are corrected by the ankle strategy without a step.", "close"),
        (
            "According to the book, the ankle strategy corrects small pushes without a step.",
            "verbatim",
        ),
        ("The ankle strategy moves the centre of pressure by at most 12 cm.", "close"),
        ("Ankles deal with pushes.", "paraphrase"),
        ("The ankle strategy corrects small pushes.", "paraphrase"),
    ],
)
def test_a_claim_has_the_strongest_proof_there_is(text: str, proof: str) -> None:
    check = check_claim(DraftClaim(text, ("S1.1", "S1.2")), context())
    assert (check.proof, check.objections) == (proof, ())
    assert check.passed is (proof != "paraphrase")
    assert check.is_for_judge is (proof == "paraphrase")


@pytest.mark.parametrize(
    ("rule", "text", "id"),
    [
        ("number", "It moves the centre of pressure by at most 21 cm.", "S1.2"),
        ("number", "It moves the centre of pressure by at most 12 km.", "S1.2"),
        ("name", "Toyota showed the humanoid P2 in 1996.", "S1.5"),
        ("code", "Honda showed walk_fast() in 1996.", "S1.5"),
        ("no statement", "Does the ankle strategy correct small pushes?", "S1.1"),
        ("no statement", "I correct small pushes by the ankle strategy.", "S1.1"),
        ("coverage", "Penguins balance pancakes beautifully on snowy mornings.", "S1.1"),
        ("says nothing", "It is so.", "S1.1"),
    ],
)
def test_each_rule_names_what_it_found(rule: str, text: str, id: str) -> None:
    assert rule in failed(text, id)


@settings(max_examples=200)
@given(st.deferred(lambda: st.sampled_from([s for s in sample_prose() if NAME.search(s.text)])))
def test_a_name_put_in_anothers_place_fails(sentence: Sentence) -> None:
    text = NAME.sub("Zubrowka", sentence.text)
    check = check_claim(DraftClaim(text, (sentence.id,)), sample_context())
    assert not check.passed, text


def test_a_judge_is_asked_only_about_what_evidence_could_bear() -> None:
    ask = [
        ("Ankles deal with pushes.", ("S1.1",), True),
        ("Penguins balance pancakes.", ("S1.1",), False),
        ("Is it so?", ("S1.1",), False),
        ("That is right.", ("S1.1",), False),
        ("Penguins balance pancakes.", ("S9.9",), False),
        (STANDING[0], ("S1.1",), False),
    ]
    for text, ids, judged in ask:
        assert check_claim(DraftClaim(text, ids), context()).is_for_judge is judged, text


def test_checks_stay_in_the_order_of_the_claims() -> None:
    claims = [DraftClaim("Wrong 99.", ("S1.1",)), DraftClaim(STANDING[0], ("S1.1",))]
    assert [check.claim for check in check_claims(claims, context())] == claims


def test_support_is_found_where_a_text_comes_from() -> None:
    assert support_for("Honda showed the humanoid P2 in 1996.", context()) == ("S1.5",)


@pytest.mark.parametrize(
    "told",
    ["lock " * 1500, "the lock of " * 300, "the lock is held by the thread " * 100],
    ids=["a word", "of", "by"],
)
def test_what_is_too_long_to_be_aligned_is_proven_only_as_a_quote(told: str) -> None:
    given_context = context((f"{told}.", "The lock is free."))
    assert check_claim(DraftClaim(f"{told}.", ("S1.1",)), given_context).proof == "verbatim"
    part = " ".join(told.split()[:60])
    assert check_claim(DraftClaim(f"{part}.", ("S1.1",)), given_context).proof == "paraphrase"
