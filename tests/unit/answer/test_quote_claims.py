"""What stands in place of a claim that did not pass."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.check.check_claims import Check, Proof
from functions.answer.context import Context, context_of_chunks
from functions.answer.quote_claims import (
    MOST_QUOTES,
    MOST_SENTENCES,
    Shown,
    folded,
    show_claims,
)
from functions.answer.write.writer import DraftClaim
from tests.unit.answer.contexts import (
    STANDING,
    chunk,
    context,
    sample_context,
    sample_prose,
)

QUESTION = "How do the ankle strategy and the hip strategy correct pushes and move the pressure?"


def check(text: str, *ids: str, proof: Proof = "close", failed: str = "") -> Check:
    return Check(DraftClaim(text, ids), proof, (failed,) if failed else ())


def false(*ids: str, text: str = "") -> Check:
    return check(text or f"False of {ids}.", *ids, proof="paraphrase", failed="number")


def show(*checks: Check, found: Context | None = None, question: str = QUESTION) -> Shown:
    return show_claims(question, checks, context() if found is None else found)


def texts(*checks: Check, **more: Any) -> list[str]:
    return [each.claim.text for each in show(*checks, **more).claims]


CLOSE = check("The hip strategy needs no large foot.", "S1.3")
WHOLE = check(STANDING[0], "S1.1", proof="verbatim")


def test_what_passed_is_shown_as_it_is() -> None:
    assert show(CLOSE, WHOLE) == Shown((CLOSE, WHOLE))


def test_the_cited_sentences_stand_whole_in_the_books_order_and_for_what_rests_on_them() -> None:
    shown = show(false("S1.3", "S1.1"), CLOSE)
    assert [(each.claim.text, each.claim.sentence_ids, each.proof) for each in shown.claims] == [
        (STANDING[0], ("S1.1",), "verbatim"),
        (STANDING[2], ("S1.3",), "verbatim"),
    ]
    assert (shown.quoted, shown.is_whole) == ({0}, True)


def test_sentences_that_follow_each_other_are_one_quote() -> None:
    assert texts(false("S1.2", "S1.1")) == [f"{STANDING[0]} {STANDING[1]}"]


def test_a_sentence_that_refers_back_comes_after_the_one_it_refers_to() -> None:
    assert texts(false("S1.2")) == [f"{STANDING[0]} {STANDING[1]}"]
    assert texts(false("S1.2"), question="Which strategy corrects small pushes?")
    assert texts(false("S1.1"), CLOSE, false("S1.2")) == [
        STANDING[0],
        STANDING[1],
        CLOSE.claim.text,
    ]
    assert texts(false("S1.2"), WHOLE, CLOSE) == [STANDING[0], STANDING[1], CLOSE.claim.text]


def test_no_sentence_is_shown_twice() -> None:
    assert texts(false("S1.1"), false("S1.1", "S1.3"), WHOLE) == [STANDING[2], STANDING[0]]
    assert texts(WHOLE, false("S1.1")) == [STANDING[0]]
    both = check(f"{STANDING[0]} {STANDING[1]}", "S1.1", "S1.2", proof="verbatim")
    shown = show(both, false("S1.2"))
    assert (shown.claims, shown.quoted, shown.is_whole) == ((both,), {1}, True)


def test_a_part_of_a_sentence_gives_way_to_the_whole_one() -> None:
    part = check("The ankle strategy corrects small pushes", "S1.1", proof="verbatim")
    assert texts(part, CLOSE, false("S1.1")) == [STANDING[0], CLOSE.claim.text]


def test_the_same_sentence_of_two_places_is_quoted_once() -> None:
    twice = context_of_chunks(
        [(chunk(STANDING), 1.0), (chunk((STANDING[0], "Tea."), path="docs/b.md"), 1.0)]
    )
    assert texts(false("S1.1"), false("S2.1"), found=twice) == [STANDING[0]]


def test_copies_of_one_claim_are_shown_once() -> None:
    copies = [
        check(text, "S1.3")
        for text in ("The hip needs no large foot.", "the hip needs no large foot", "“The hip "
                     "needs no  large foot!”")
    ]  # fmt: skip
    assert texts(*copies * 10) == [copies[0].claim.text]
    assert texts(*[false("S1.1", text="A lie.")] * 30) == [STANDING[0]]
    one_right = [false("S1.1", text="Said."), check("Said.", "S1.3"), false("S1.2", text="Said.")]
    shown = show(*one_right)
    assert (shown.claims, shown.quoted, shown.is_whole) == ((one_right[1],), frozenset(), True)


@pytest.mark.parametrize(
    "copy",
    ["{n}. {text}", "({n}) {text}", "- {text}", "According to the book, {text}", "{text} {text}"],
)
def test_a_number_a_frame_or_a_repetition_makes_no_other_claim(copy: str) -> None:
    said = "The hip needs no large foot."
    copies = [check(copy.format(n=n, text=said), "S1.3") for n in range(30)]
    assert texts(*copies) == [copies[0].claim.text]
    assert texts(check(said, "S1.3"), *copies, check("The hip needs 2 feet.", "S1.3")) == [
        said, "The hip needs 2 feet."
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other"),
    [("It is −5 m.", "It is 5 m."), ("It is 1.5 m.", "It is 15 m."), ("…", "—!"), ("好", "坏")],
)
def test_claims_that_differ_are_no_copies(one: str, other: str) -> None:
    assert folded(one) != folded(other)


def test_what_does_not_bear_on_the_question_is_left_out() -> None:
    asked: Any = {
        "found": context((STANDING[0],), ("Tea is best served hot.",)),
        "question": "Which strategy corrects small pushes?",
    }
    shown = show(WHOLE, false("S1.2"), **asked)
    assert (shown.claims, shown.quoted, shown.is_whole) == ((WHOLE,), frozenset(), False)
    assert show(false("S1.2"), **asked) == Shown((), is_whole=False)
    both = false("S1.1", "S1.2")
    assert texts(both, **asked) == [f"{STANDING[0]} Tea is best served hot."]


def test_a_sentence_bears_on_a_question_that_it_answers_a_part_of() -> None:
    wide = context(
        ("The zero moment point is used for balance control in walking.",),
        ("The ground can only push and never pull.",),
        ("Honda showed the humanoid P2 in 1996.",),
    )
    asked = "What is the zero moment point used for in walking, and what can the ground do?"
    assert texts(false("S1.2"), found=wide, question=asked) == [wide.sentences[1].text]
    assert texts(false("S1.3"), found=wide, question=asked) == []


def test_ids_of_no_sentence_have_nothing_to_quote() -> None:
    assert show(false("S9.9")) == Shown((), is_whole=False)
    assert show(WHOLE, false()) == Shown((WHOLE,), is_whole=False)
    assert texts(false("S9.9", "S1.3")) == [STANDING[2]]


def test_code_and_lists_are_quoted_whole() -> None:
    code = context_of_chunks(
        [
            (chunk(("def correct(pushes):", "    return ankle(pushes)"), kind="code"), 1.0),
            (chunk(("Pushes are corrected in two ways:",), path="docs/b.md"), 1.0),
        ]
    )
    asked = "Which function corrects pushes?"
    assert texts(false("S1.1"), found=code, question=asked) == [
        "def correct(pushes):\n    return ankle(pushes)"
    ]
    line = check("return ankle(pushes)", "S1.2", proof="verbatim")
    assert texts(line, false("S1.1"), found=code, question=asked) == [
        "def correct(pushes):\n    return ankle(pushes)"
    ]


def test_windows_of_long_code_do_not_overlap() -> None:
    lines = tuple(f"push_{n} = correct(push)" for n in range(40))
    code = context_of_chunks([(chunk(lines, kind="code"), 1.0)])
    shown = texts(false("S1.10"), false("S1.16"), found=code, question="What is push?")
    said = "\n".join(shown).splitlines()
    assert len(said) == len(set(said)) == 15


def test_what_is_quoted_has_bounds() -> None:
    sentences = tuple(f"Push {n} is corrected by the ankle." for n in range(60))
    wide = context(sentences)
    ids = tuple(f"S1.{n}" for n in range(1, 41, 2))
    assert len(show(false(*ids), found=wide).claims) == MOST_SENTENCES
    shown = show(*(false(f"S1.{n}") for n in range(1, 41, 2)), found=wide)
    assert (len(shown.claims), len(shown.quoted), shown.is_whole) == (
        MOST_QUOTES, MOST_QUOTES, False
    )  # fmt: skip


@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, len(sample_prose()) - 1), min_size=1, max_size=3),
            st.booleans(),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_whatever_is_false_only_the_books_own_words_are_shown_and_none_twice(
    drawn: list[tuple[list[int], bool]],
) -> None:
    found = sample_context()
    checks = []
    for at, (places, passes) in enumerate(drawn):
        cited = [sample_prose()[place] for place in places]
        ids = tuple(dict.fromkeys(sentence.id for sentence in cited))
        checks.append(
            check(cited[0].text, ids[0], proof="verbatim")
            if passes
            else false(*ids, text=f"Lie {at}.")
        )
    shown = show_claims("What is a robot, and how does it walk, see and learn?", checks, found)
    ids = [id for each in shown.claims for id in each.claim.sentence_ids]
    assert len(ids) == len(set(ids))
    for each in shown.claims:
        assert each.proof == "verbatim"
        whole = [found.by_id[id].text for id in each.claim.sentence_ids]
        assert " ".join(each.claim.text.split()) == " ".join(" ".join(whole).split())
    passed = {each.claim.text for each in checks if each.passed}
    assert all(
        any(folded(text) in folded(each.claim.text) for each in shown.claims) for text in passed
    )
    assert all(not checks[at].passed for at in shown.quoted)
