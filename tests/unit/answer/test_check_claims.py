from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from functions.answer.check.check_claims import check_claims
from functions.answer.check.facts import read_statement
from functions.answer.check.rules import (
    LEAST_COVERAGE,
    MOST_COVERAGE,
    clauses_of,
    needed_coverage,
)
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
    assert "number" in check.objections, text


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
        assert rule in check.objections
    else:
        assert rule in failed(text, id)


@pytest.mark.parametrize(
    ("rule", "given_sentence", "text"),
    [
        ("comparison", "The track is 6 km long.", "The track is shorter than 6 km."),
        (
            "superlative",
            "Big Bend is a large park in Texas.",
            "Big Bend is the largest park in Texas.",
        ),
        ("no statement", "Green is common in plants.", "i like that green is common in plants"),
        ("says nothing", "Green is common in plants.", "Yes, that is true!"),
        ("number", "The robot has three legs and a tail.", "The robot has one leg and a tail."),
        ("negation", "Walking on the grass is allowed.", "Walking on the grass is prohibited."),
    ],
)
def test_what_the_evidence_does_not_go_as_far_as_is_named(
    rule: str, given_sentence: str, text: str
) -> None:
    check = check_claim(DraftClaim(text, ("S1.1",)), context((given_sentence,)))
    assert rule in check.objections, check


@pytest.mark.parametrize(
    ("given_sentence", "text"),
    [
        ("The team won the cup in 1996.", "In 1996 the team wins the cup."),
        ("Smoking is not permitted in the laboratory.", "Smoking is not allowed in the lab."),
        ("Rex is the largest robot.", "Rex is the biggest robot."),
        ("The U.S. bought the tower.", "The United States purchased the tower."),
        ("Rose is taller than Tom.", "Rose is taller than Tom is."),
        ("One of the robots fell.", "One of the robots fell down."),
    ],
)
def test_other_words_for_the_same_pass(given_sentence: str, text: str) -> None:
    check = check_claim(DraftClaim(text, ("S1.1",)), context((given_sentence,)))
    assert check.passed, check.objections


@given(st.integers(1, 40))
def test_the_longer_a_claim_the_smaller_the_share_that_must_stand(words: int) -> None:
    text = " ".join(f"zyx{chr(97 + n % 26)}{'q' * (1 + n // 26)}" for n in range(words))
    assert LEAST_COVERAGE < needed_coverage(f"{text} wombat") <= needed_coverage(text)
    assert needed_coverage(text) <= MOST_COVERAGE


@settings(max_examples=200)
@given(st.deferred(lambda: st.sampled_from([s for s in sample_prose() if NAME.search(s.text)])))
def test_a_name_put_in_anothers_place_fails(sentence: Sentence) -> None:
    text = NAME.sub("Zubrowka", sentence.text)
    check = check_claim(DraftClaim(text, (sentence.id,)), sample_context())
    assert not check.passed, text


def test_a_clause_that_stands_nowhere_fails_a_long_claim() -> None:
    told = (
        "The ankle strategy turns the whole body about the ankle joint like an inverted pendulum.",
        "It corrects small pushes on firm ground while both feet stay flat.",
    )
    true = (
        "Like an inverted pendulum, the ankle strategy turns the whole body about the ankle joint, "
        "and corrects small pushes on firm ground while both feet stay flat"
    )
    for text, expected in ((true, ()), (f"{true}, and gardeners enjoy soup", ("clause",))):
        check = check_claim(DraftClaim(f"{text}.", ("S1.1", "S1.2")), context(told))
        assert check.objections == expected, check
    assert clauses_of("It is so, and that is all.") == []


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
    assert check.proof != "verbatim"


def test_checks_stay_in_the_order_of_the_claims() -> None:
    claims = [DraftClaim("Wrong 99.", ("S1.1",)), DraftClaim(STANDING[0], ("S1.1",))]
    assert [check.claim for check in check_claims(claims, context())] == claims


def test_support_is_found_where_a_text_comes_from() -> None:
    assert support_for("Honda showed the humanoid P2 in 1996.", context()) == ("S1.5",)
