from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from functions.answer.checking import check_claims
from functions.answer.context import Context, context_of_chunks, context_of_selection
from functions.answer.quote_writer import QuoteWriter
from tests.unit.answer.contexts import SOON, chunk, context, sample_context

LINES = tuple(f"line_{n} = {n}" for n in range(1, 31))


def picked(question: str, given_context: Context, most: int = 3) -> list[str]:
    return [claim.text for claim in QuoteWriter(most).pick(question, given_context).claims]


@given(
    st.sampled_from(
        ["What is the ZMP used for?", "How far can the elbow turn?", "Who built WABOT-1?", "xyzzy"]
    ),
    st.integers(1, 5),
)
def test_quotes_only_whole_sentences_that_pass_the_check_and_no_more_than_asked_for(
    question: str, most: int
) -> None:
    draft = QuoteWriter(most).pick(question, sample_context())
    assert 1 <= len(draft.claims) <= most
    assert all(check.passed for check in check_claims(draft.claims, sample_context()))
    assert {check.verification for check in check_claims(draft.claims, sample_context())} == {
        "verbatim"
    }
    ids = [id for claim in draft.claims for id in claim.sentence_ids]
    assert len(ids) == len(set(ids))
    places = [sample_context().position[id] for id in ids]
    assert places == sorted(places)


def test_a_sentence_that_leans_on_the_one_before_comes_with_it() -> None:
    assert picked("By how many cm is the centre of pressure moved?", context()) == [
        "The ankle strategy corrects small pushes without a step.",
        "It moves the centre of pressure by at most 12 cm.",
    ]


def test_a_further_sentence_is_quoted_only_when_it_answers_nearly_as_well() -> None:
    assert picked("Which humanoid did Honda show in 1996?", context()) == [
        "Honda showed the humanoid P2 in 1996."
    ]


def test_short_code_is_quoted_whole() -> None:
    code = context_of_chunks([(chunk(LINES[:6], kind="code"), 1.0)])
    assert picked("What is line_4?", code) == ["\n".join(LINES[:6])]


def test_of_long_code_the_lines_around_the_best_one_are_quoted() -> None:
    code = context_of_selection(chunk(LINES, kind="code").parts)
    assert picked("What is line_20?", code, 1) == ["\n".join(LINES[15:24])]


def test_nothing_is_picked_from_nothing() -> None:
    draft = QuoteWriter().pick("What is it?", Context((), ()))
    assert (draft.status, draft.claims) == ("none", ())


def test_marks_alone_are_never_quoted() -> None:
    assert picked("What is it?", context(("…", "—!", "The lamp is lit."))) == ["The lamp is lit."]


async def test_it_saves_no_claim_and_writes_what_it_picks() -> None:
    writer = QuoteWriter()
    assert await writer.entails([("a", "b"), ("c", "d")], SOON) == [False, False]
    question = "Which strategy corrects small pushes?"
    assert await writer.write(question, context(), SOON) == writer.pick(question, context())
