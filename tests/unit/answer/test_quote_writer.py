from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.check.check_claims import check_claims
from functions.answer.context import Context, context_of_chunks
from functions.answer.text.words import term_set
from functions.answer.write.quote_writer import QuoteWriter, needs_more_than_quotes
from functions.answer.write.told import Told
from quoth.calibrate.local_index import chunks_of_book
from tests.unit.answer.contexts import SOON, chunk, context, sample_context

LINES = tuple(f"line_{n} = {n}" for n in range(1, 61))


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


def test_a_short_paragraph_is_quoted_whole() -> None:
    assert picked("By how many cm is the centre of pressure moved?", context()) == [
        "The ankle strategy corrects small pushes without a step. "
        "It moves the centre of pressure by at most 12 cm. "
        "The hip strategy does not need a large foot."
    ]


LONG = (
    "Motors turn electric energy into movement, and every one of them gets warm while it does so. "
    "A motor of a knee is rated for twelve newton metres on a whole day of walking. "
    "It gives three times as much for ten seconds. "
    "Brakes hold a joint without current, which is why arms have them and why most legs have none. "
    "Encoders measure the angle on both sides of the gear, so that its bending can be computed. "
    "Cables are the part that fails first, since they are bent a few thousand times on each day."
)


def test_of_a_long_paragraph_the_part_that_answers_is_quoted() -> None:
    paragraph = tuple(f"{each}." for each in LONG.rstrip(".").split(". "))
    assert picked("Which part fails first?", context(paragraph)) == [paragraph[5]]
    assert picked("What does a motor give for ten seconds?", context(paragraph)) == [
        f"{paragraph[1]} {paragraph[2]}"
    ]


def test_another_place_is_quoted_for_what_the_first_lacks() -> None:
    places = context_of_chunks([
        (chunk(["Honda showed the humanoid P2."], path="docs/a.md", titles=("P2",)), 1.0),
        (chunk(["Waseda built WABOT."], path="docs/b.md", titles=("WABOT",)), 0.9),
    ])  # fmt: skip
    assert picked("Which humanoid did Honda show?", places) == ["Honda showed the humanoid P2."]
    assert len(picked("Which humanoid did Honda show, and who built WABOT?", places)) == 2


def test_short_code_is_quoted_whole() -> None:
    code = context_of_chunks([(chunk(LINES[:6], kind="code"), 1.0)])
    assert picked("What is line_4?", code) == ["\n".join(LINES[:6])]


def test_of_long_code_the_lines_around_the_best_one_are_quoted() -> None:
    code = context_of_chunks([(chunk(LINES, kind="code"), 1.0)])
    assert picked("What is line_20?", code, 1) == ["\n".join(LINES[11:28])]


def test_of_long_code_the_definition_around_the_best_line_is_quoted() -> None:
    listener = (
        "# Hears what others say.",
        "class Listener(Node):",
        "    def __init__(self):",
        "        super().__init__(",
        "            'listener',",
        "        )",
        "    def heard(self, message):",
        "        print(message)",
    )
    other = ("class Talker(Node):", *(f"    name_{n} = {n}" for n in range(50)))
    code = context_of_chunks([(chunk((*other, *listener, "main()"), kind="code"), 1.0)])
    assert picked("Show me the code of the listener", code, 1) == ["\n".join(listener)]
    braces = ("fn main() {", "    listen();", "}", *(f"let a_{n} = {n};" for n in range(50)))
    code = context_of_chunks([(chunk(braces, kind="code"), 1.0)])
    assert picked("Which code calls listen?", code, 1) == ["\n".join(braces[:3])]


def test_of_a_definition_that_is_too_long_the_inner_one_is_quoted() -> None:
    inner = ("    def brake(self):", "        self.torque = -1")
    long = ("class Motor:", *(f"    name_{n} = {n}" for n in range(50)), *inner)
    code = context_of_chunks([(chunk(long, kind="code"), 1.0)])
    assert picked("Show the code that sets the torque to brake", code, 1) == ["\n".join(inner)]


def test_the_list_under_a_heading_for_what_is_asked_is_quoted() -> None:
    named = chunk(
        ("Type: hinge; Motion: turns", "Type: rail; Motion: slides"),
        titles=("Description", "Joint Types"),
        path="docs/types.md",
        kind="table",
    )
    other = chunk(
        ("A file of a robot is read from the top.", "A robot file has a name."),
        titles=("Description", "What a File Is"),
        path="docs/file.md",
        kind="list",
    )
    places = context_of_chunks([(other, 1.0), (named, 1.0)])
    assert picked("Which kinds of joint can a robot file have?", places, 1)[0].startswith(
        "Type: hinge"
    )


def test_a_term_is_defined_from_the_beginning_of_the_section_on_it() -> None:
    paragraph = tuple(f"{each}." for each in LONG.rstrip(".").split(". "))
    titled = chunk(
        ("Anybody may close a door that stands open.", "People call it shutting.", *paragraph[:5]),
        titles=("Doors", "Shutting"),
    )
    (found,) = picked("What is shutting?", context_of_chunks([(titled, 1.0)]), 1)
    assert found.startswith("Anybody may close a door that stands open. People call it shutting.")


def test_what_changed_is_quoted_where_changes_are_asked_for() -> None:
    news = chunk(["The copy plugin no longer needs a style."], titles=("Changelog", "v0.16.0"))
    told = chunk(["Copy: puts the source on the clipboard."], titles=("Guide", "Plugins"),
                 path="docs/plugins.md")  # fmt: skip
    places = context_of_chunks([(news, 1.0), (told, 0.9)])
    assert picked("What does the copy plugin do?", places, 1) == [
        "Copy: puts the source on the clipboard."
    ]
    assert picked("What changed in the copy plugin?", places, 1) == [
        "The copy plugin no longer needs a style."
    ]


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


def test_the_premise_of_an_exercise_is_not_quoted_as_a_fact() -> None:
    fact, premise = "A fall takes half a second.", "A robot takes 0.4 s for a fall."
    taught = context_of_chunks([
        (chunk([premise], path="docs/end.md", titles=("Falling", "Exercises")), 1.0),
        (chunk([fact], path="docs/fall.md", titles=("Falling", "Time")), 1.0),
    ])  # fmt: skip
    assert picked("How long does a fall take?", taught) == [fact]


def test_a_long_table_is_quoted_by_the_row_that_answers_and_whole_where_all_is_asked() -> None:
    others = tuple(f"Robot: R{n}; Year: {n}; Built by: a firm of that time" for n in range(30))
    table = (*others, "Robot: ASIMO; Year: 2000; Built by: Honda")
    rows = context_of_chunks([(chunk(table, kind="table"), 1.0)])
    assert picked("In which year was ASIMO shown?", rows, 1) == [table[-1]]
    assert picked("List all the robots with their years", rows, 1) == [" ".join(table)]


def test_a_question_that_quotes_do_not_answer_whole_is_answered_in_part() -> None:
    sides = context(("The ankle strategy is fast.",), ("The hip strategy is strong.",))
    writer = QuoteWriter()
    assert writer.pick("How does the ankle strategy differ from hips?", sides).status == "full"
    assert writer.pick("How does the ankle strategy differ from arms?", sides).status == "partial"
    assert writer.pick("How fast is the ankle strategy?", sides).status == "full"


def test_where_an_explanation_is_asked_a_short_section_is_quoted_whole() -> None:
    section = chunk(
        ("The fresh key is made at each start.",),
        ("Rows of an old database are locked by the old key, so no rerun can read them.",),
        ("Delete the database first.",),
    )
    found = context_of_chunks([(section, 1.0)])
    whole = " ".join(sentence.text for sentence in found.sentences)
    assert picked("Why can no rerun read the rows of an old database?", found) == [whole]
    assert picked("What locks rows of an old database?", found) != [whole]


def test_what_a_chapter_says_it_will_argue_is_no_side_of_a_comparison() -> None:
    summary = chunk(("This chapter argues for robots that plan and still react in time.",))
    text = ("A plan may be out of date by the time it is ready.", "A reactive robot is quick.")
    sides = context_of_chunks([(summary, 1.0), (chunk(text, first_block=5), 0.7)])
    assert picked("Should a robot react or plan?", sides) == [" ".join(text)]


def test_of_two_sides_the_one_that_is_asked_is_quoted() -> None:
    sides = context((
        "The key benefit of legs is that they climb stairs.",
        "However, they need motors.",
        "One drawback is the power that standing costs.",
    ))  # fmt: skip
    assert picked("What are the drawbacks of legs?", sides) == [
        "One drawback is the power that standing costs."
    ]
    assert picked("What are the benefits of legs?", sides)[0].startswith("The key benefit")


def test_the_section_on_the_side_that_is_asked_is_quoted_whole() -> None:
    benefits = chunk(
        ("Legs climb stairs.",),
        ("Legs step over gaps.",),
        titles=("Legs", "Benefits of Legs"),
        first_block=1,
    )
    costs = chunk(
        ("A leg brings troubles of its own.",),
        ("Power runs out.", "Standing costs two hundred watts."),
        ("Gears wear out.",),
        titles=("Legs", "Costs and Limits"),
        first_block=9,
    )
    sides = context_of_chunks([(benefits, 1.0), (costs, 0.8)])
    assert picked("What are the disadvantages of legs?", sides) == [
        "A leg brings troubles of its own. Power runs out. Standing costs two hundred watts. "
        "Gears wear out."
    ]


def test_a_procedure_goes_on_as_far_as_its_section() -> None:
    steps = chunk(
        ("Calibrate the gyroscope before you drive.",),
        ("First put the robot on a table.",),
        ("Then press the red button for a second.",),
        titles=("Driving", "Calibrating"),
    )
    other = chunk(("Wheels slip on ice.",), titles=("Driving", "Wheels"), first_block=9)
    found = picked("How do I calibrate the gyroscope?", context_of_chunks([(steps, 1), (other, 1)]))
    assert found[0].endswith("Then press the red button for a second.")
    assert "Wheels" not in found[0]


def test_what_the_text_will_do_is_no_answer() -> None:
    told = context(
        ("In this chapter we'll print errors to the standard error stream.",),
        ("The macro eprintln prints errors to the standard error stream.",),
    )
    assert picked("What prints errors to the standard error stream?", told, 1) == [
        "The macro eprintln prints errors to the standard error stream."
    ]


def test_a_comparison_quotes_each_side_where_no_paragraph_has_both() -> None:
    sides = context(
        ("Binary crates are programs that run.",),
        ("Library crates have no main function.",),
        ("Crates are published.",),
    )
    assert picked("What is the difference between a binary crate and a library crate?", sides) == [
        "Binary crates are programs that run.",
        "Library crates have no main function.",
    ]


def test_what_only_includes_another_file_or_leads_elsewhere_is_not_quoted() -> None:
    include = chunk(["{{#include ../listing.rs}}"], kind="code", titles=("Motors",))
    told = chunk(["A motor turns current into torque."], path="docs/b.md", titles=("Motors",))
    links = chunk(["Motor torque and motor current"], path="docs/c.md", titles=("See also",))
    places = context_of_chunks([(include, 1.0), (links, 0.9), (told, 0.8)])
    assert picked("Show me the code of a motor", places, 1) == [
        "A motor turns current into torque."
    ]


def test_a_procedure_in_words_is_quoted_with_the_code_that_follows() -> None:
    words = chunk(["You turn the motor on with a call."], path="docs/m.md")
    code = chunk(["motor.start()"], path="docs/m.md", first_block=2, kind="code")
    whole = context_of_chunks([(replace(words, parts=(*words.parts, *code.parts)), 1.0)])
    assert picked("How do I turn the motor on?", whole, 1) == [
        "You turn the motor on with a call.\nmotor.start()"
    ]
    assert picked("What turns the motor on?", whole, 1) == ["You turn the motor on with a call."]


def test_a_code_name_is_not_answered_from_the_place_of_another() -> None:
    tiers = context(
        ("T4 is the tier for several sites.",),
        ("T3 is the tier for one site.",),
    )
    assert picked("What is the tier T3?", tiers, 1) == ["T3 is the tier for one site."]


def test_a_number_under_the_heading_of_another_code_name_is_not_its_own() -> None:
    four = chunk(["Tier T4 needs a cluster, more than T2 does."], titles=("Tiers", "T4 sites"))
    two = chunk(["T2 runs without a cluster."], path="docs/t2.md", titles=("Tiers", "T2 sites"))
    places = context_of_chunks([(four, 1.0), (two, 0.8)])
    assert picked("Does T2 need a cluster?", places, 1) == ["T2 runs without a cluster."]


def test_a_numbered_procedure_is_quoted_whole_where_one_asks_how() -> None:
    steps = tuple(
        f"In step {n} turn the screw of the wheel number {n} by one quarter to the left hand side."
        for n in range(1, 10)
    )
    listed = context_of_chunks([(chunk(steps, kind="list"), 1.0)])
    assert picked("How do I turn the screw of the wheel?", listed, 1) == [" ".join(steps)]
    assert picked("Which hand side is the screw of wheel 7?", listed, 1) != [" ".join(steps)]


def test_what_says_the_same_in_other_places_is_quoted_once() -> None:
    one, two = (
        chunk([f"A knee motor {verb} twelve newton metres."], path=f"docs/{verb}.md")
        for verb in ("gives", "gave")
    )
    assert len(picked("What does a knee motor give?", context_of_chunks([(one, 1), (two, 1)]))) == 1


def test_an_abbreviation_is_defined_where_its_words_stand() -> None:
    spelt = context(
        ("Engineers log the ZMP of each step.",),
        ("The balance rests on the zero moment point (ZMP) of the foot.",),
    )
    assert picked("What does ZMP stand for?", spelt, 1) == [
        "The balance rests on the zero moment point (ZMP) of the foot."
    ]


def test_a_file_that_is_to_be_shown_is_code() -> None:
    told = chunk(["The motor manifest is read first."], path="docs/a.md", titles=("Motors",))
    code = chunk(["kind: MotorManifest"], path="docs/b.md", titles=("Motors",), kind="code")
    places = context_of_chunks([(told, 1.0), (code, 1.0)])
    assert picked("Show me the motor manifest", places, 1) == ["kind: MotorManifest"]


def test_where_every_sentence_refers_to_the_heading_the_paragraph_is_quoted_whole() -> None:
    told = context(("This is a plugin that draws formulas.", "It skips every code tag."))
    assert picked("Which tag is skipped?", told, 1) == [
        "This is a plugin that draws formulas. It skips every code tag."
    ]


def test_nothing_is_picked_from_nothing() -> None:
    draft = QuoteWriter().pick("What is it?", Context((), ()))
    assert (draft.status, draft.claims) == ("none", ())


def test_marks_alone_are_never_quoted() -> None:
    marks = context(("…", "—!"), ("The lamp is lit.",))
    assert picked("What is it?", marks) == ["The lamp is lit."]


async def test_it_writes_what_it_picks() -> None:
    writer = QuoteWriter()
    question = "Which strategy corrects small pushes?"
    assert await writer.write(question, context(), SOON) == writer.pick(question, context())


LATENCY = "Latency is the time between an event and the response."
JITTER = "Jitter is the variation of that time."
BOTH = "Latency differs from jitter in that jitter is the variation of latency."


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        ("What is the difference between latency and jitter?", [LATENCY]),
        ("Compare latency and jitter.", [JITTER]),
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
        ("What is the difference between latency and jitter?", [BOTH]),
        ("Compare latency and jitter.", [LATENCY, JITTER]),
        ("Why is jitter bad?", ["Jitter is bad because control loops expect even steps."]),
        ("What does forward kinematics calculate?", ["It gives the position of the hand."]),
        ("How do you compute the ZMP?", ["Divide the moment by the force."]),
        ("Why is jitter bad?", []),
        ("", [LATENCY]),
    ],
)
def test_what_a_quote_says_needs_no_more(question: str, quotes: list[str]) -> None:
    assert not needs_more_than_quotes(question, quotes)


def test_an_abbreviation_is_defined_by_its_letters_in_order() -> None:
    spelt = context(
        ("A storage class of ACSA is the default here.",),
        ("Deploy Azure Container Storage enabled by Azure Arc (ACSA) where robots record.",),
    )
    assert picked("What is ACSA?", spelt, 1) == [
        "Deploy Azure Container Storage enabled by Azure Arc (ACSA) where robots record."
    ]


def test_a_long_code_name_stands_for_nothing_but_itself() -> None:
    others = ("A node Standard_NC24_A100 has 24 cores.",)
    own = ("The larger type is Standard_NC40_H100.",)
    nodes = context(others, own)
    assert picked("How many cores has a node Standard_NC40_H100?", nodes, 1) == [*own]


def test_steps_are_quoted_to_the_last_one(tmp_path: Path) -> None:
    words = " ".join(["carefully"] * 20)
    steps = "\n\n".join(
        f"{n}. Turn the {each} screw {words}.\n\n   ```bash\n   turn {each}\n   ```"
        for n, each in enumerate(("first", "second", "third", "fourth", "fifth", "last"), 1)
    )
    (tmp_path / "arm.md").write_text(f"# Arm\n\nTo mount the arm:\n\n{steps}\n\nThe arm is up.\n")
    arm = context_of_chunks([(each.chunk, 1.0) for each in chunks_of_book(tmp_path)])
    (quoted,) = picked("How do I mount the arm?", arm, 1)
    assert quoted.startswith("To mount the arm:")
    assert "\nturn third" in quoted
    assert quoted.endswith("\nturn last")


def test_what_was_told_is_told_again_only_in_the_part_that_is_asked() -> None:
    told = ("The ankle strategy answers small pushes.", "The hip strategy answers larger ones.")
    more = ("A push of any strategy costs power.",)
    pushes = context(told, more)
    (first,) = picked("How are pushes answered by a strategy?", pushes, 1)
    assert first == " ".join(told)

    def again(own: str) -> list[str]:
        writer = QuoteWriter(1, Told((first,), term_set(own)))
        draft = writer.pick(f"{own} (pushes answered by a strategy)", pushes)
        return [claim.text for claim in draft.claims]

    assert again("and the hip?") == [told[1]]
    assert again("and what does it cost?") == [*more]
    assert again("can I change that?") == []
    assert QuoteWriter(1, Told((first, *more), term_set("why"))).pick("why?", pushes).claims == ()


def test_the_name_that_is_asked_for_is_told_again() -> None:
    told = (
        "A series elastic actuator places a spring before the joint.",
        "Gill Pratt and Matthew Williamson described it in 1995.",
        "This deflection of the spring is measured.",
    )
    actuators = context(told)
    writer = QuoteWriter(1, Told(told, term_set("who invented it")))
    (claim,) = writer.pick("who invented it? (series elastic actuator)", actuators).claims
    assert claim.text == " ".join(told[1:])


def test_what_an_example_shows_is_quoted_before_it() -> None:
    rule = chunk(
        ("A person keeps the distance that the robot needs to stop.",),
        titles=("Stopping", "How Much Distance to Keep"),
    )
    shown = chunk(
        ("A robot here needs 2 m to stop, so a person keeps a distance of 2 m.",),
        titles=("Stopping", "Example"),
        first_block=5,
    )
    stops = context_of_chunks([(shown, 1.0), (rule, 0.9)])
    question = "How do I find the distance a person keeps here, in m?"
    assert picked(question, stops) == [rule.text, shown.text]
    assert picked("How many m does a robot here need to stop?", stops, 1) == [shown.text]


def test_of_a_list_that_was_told_the_whole_item_is_told_again(tmp_path: Path) -> None:
    items = (
        "1. Ankle strategy. It turns the ankles.\n2. Hip strategy. The trunk turns at the hips.\n"
    )
    (tmp_path / "push.md").write_text(f"# Push\n\nRobots answer a push in two ways:\n\n{items}")
    push = context_of_chunks([(each.chunk, 1.0) for each in chunks_of_book(tmp_path)])
    (whole,) = picked("Which strategies answer a push?", push, 1)
    writer = QuoteWriter(1, Told((whole,), term_set("And the hip strategy?")))
    (claim,) = writer.pick("Which hip strategy answers a push?", push).claims
    assert claim.text == "Hip strategy. The trunk turns at the hips."
