from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.check.check_claims import check_claims
from functions.answer.context import Context, context_of_chunks, context_of_selection
from functions.answer.write.quote_writer import QuoteWriter, needs_more_than_quotes
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
    assert {check.proof for check in check_claims(draft.claims, sample_context())} == {"verbatim"}
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


def test_a_term_is_quoted_with_its_whole_definition() -> None:
    terms = (
        ("ZMP : The zero moment point.", "Balance holds while it stays in the foot."),
        ("Gait : A way of walking.",),
    )
    assert picked("What is the zero moment point?", context(*terms), 1) == [" ".join(terms[0])]
    assert picked("When does balance hold?", context(*terms), 1) == [" ".join(terms[0])]


def test_a_sentence_that_announces_is_quoted_with_what_it_announces() -> None:
    steps = (("A robot takes these steps to walk:",), ("Lift the foot.", "Put it down."))
    assert picked("What steps does a robot take to walk?", context(*steps), 1) == [
        "A robot takes these steps to walk: Lift the foot. Put it down."
    ]
    check = check_claims(
        QuoteWriter(1).pick("steps to walk", context(*steps)).claims, context(*steps)
    )
    assert [each.proof for each in check] == ["verbatim"]


def test_a_sentence_that_counts_what_follows_is_quoted_with_its_list() -> None:
    kinds = context_of_chunks([
        (chunk(["Robots stop in two ways."], path="docs/stop.md"), 1.0),
    ])  # fmt: skip
    assert picked("In which ways do robots stop?", kinds) == ["Robots stop in two ways."]
    ways = chunk(["Robots stop in two ways."], path="docs/stop.md")
    listed = chunk(["They brake.", "They coast."], path="docs/stop.md", first_block=2, kind="list")
    whole = context_of_chunks([(replace(ways, parts=(*ways.parts, *listed.parts)), 1.0)])
    assert picked("In which ways do robots stop?", whole, 1) == [
        "Robots stop in two ways. They brake. They coast."
    ]


def test_a_sentence_is_quoted_with_the_one_that_goes_on_from_it() -> None:
    van = ("ALVINN was an early success.", "It steered a van on a road.", "Vans are heavy.")
    assert picked("What was ALVINN?", context(van)) == list(van[:2])
    assert picked("What was ALVINN?", context(van), 1) == [van[0]]


def test_two_sections_that_fit_nearly_as_well_are_both_quoted() -> None:
    first = ["Planning makes a robot slow.", "Planning makes a robot dear.", "Planning tires."]
    second = ["Planning makes a robot safe."]
    both = context_of_chunks([
        (chunk(first, path="docs/against.md", titles=("Against",)), 1.0),
        (chunk(second, path="docs/for.md", titles=("For",)), 0.9),
    ])  # fmt: skip
    assert second[0] in picked("What does planning make of a robot?", both, 2)


def test_the_premise_of_an_exercise_is_not_quoted_as_a_fact() -> None:
    fact, premise = "A fall takes half a second.", "A robot takes 0.4 s for a fall."
    taught = context_of_chunks([
        (chunk([premise], path="docs/end.md", titles=("Falling", "Exercises")), 1.0),
        (chunk([fact], path="docs/fall.md", titles=("Falling", "Time")), 1.0),
    ])  # fmt: skip
    assert picked("How long does a fall take?", taught) == [fact]


def test_a_table_is_quoted_by_the_row_that_answers() -> None:
    rows = context_of_chunks(
        [(chunk(("Robot: P2; Year: 1996", "Robot: ASIMO; Year: 2000"), kind="table"), 1.0)]
    )
    assert picked("In which year was ASIMO shown?", rows, 1) == ["Robot: ASIMO; Year: 2000"]


def test_a_question_that_quotes_do_not_answer_whole_is_answered_in_part() -> None:
    sides = context(("The ankle strategy is fast.",), ("The hip strategy is strong.",))
    writer = QuoteWriter()
    assert writer.pick("How does the ankle strategy differ from hips?", sides).status == "partial"
    assert writer.pick("How fast is the ankle strategy?", sides).status == "full"


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


LATENCY = "Latency is the time between an event and the response."
JITTER = "Jitter is the variation of that time."
BOTH = "Latency differs from jitter in that jitter is the variation of latency."


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        ("What is the difference between latency and jitter?", [LATENCY, JITTER]),
        ("Compare latency and jitter.", [LATENCY, JITTER]),
        ("Is jitter worse than latency?", [LATENCY]),
        ("Why is jitter bad?", [JITTER]),
        ("Calculate the latency of two robots.", [LATENCY]),
        ("How many robots are there in total?", ["There are three robots.", "There are two."]),
    ],
)
def test_what_has_to_be_worked_out_needs_more_than_quotes(question: str, quotes: list[str]) -> None:
    assert needs_more_than_quotes(question, quotes)


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        ("What is latency?", [LATENCY]),
        ("What is the difference between latency and jitter?", [LATENCY, BOTH]),
        ("Why is jitter bad?", ["Jitter is bad because control loops expect even steps."]),
        ("What does forward kinematics calculate?", ["It gives the position of the hand."]),
        ("How do you compute the ZMP?", ["Divide the moment by the force."]),
        ("Why is jitter bad?", []),
        ("", [LATENCY]),
    ],
)
def test_what_a_quote_says_needs_no_more(question: str, quotes: list[str]) -> None:
    assert not needs_more_than_quotes(question, quotes)
