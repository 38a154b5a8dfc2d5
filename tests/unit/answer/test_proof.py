"""What one sentence proves by its own words, and what it does not."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from functions.answer.check.alignment import tokens_of, words_in
from functions.answer.check.proof import coordinated, is_clause, is_close
from functions.answer.context import Sentence
from functions.answer.write.writer import DraftClaim
from tests.unit.answer.contexts import check_claim, context, sample_context, sample_prose


def clause(text: str, sentence: str) -> bool:
    return is_clause(tokens_of(text), tokens_of(sentence))


def close(text: str, sentence: str, before: str = "") -> bool:
    return is_close(tokens_of(text), tokens_of(sentence), tokens_of(before))


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("The motor stops; the brake holds the arm.", "The brake holds the arm."),
        ("The motor stops, and the brake holds the arm.", "The motor stops."),
        ("The motor stops, and the brake holds the arm.", "The brake holds the arm."),
        ("However, the brake holds the arm.", "The brake holds the arm."),
        ("The brake holds the arm, which weighs 3 kg.", "The brake holds the arm."),
        ("The brake holds because a spring presses on it.", "The brake holds."),
        ("The arm has three parts: a base, a link and a hand.", "The arm has three parts."),
    ],
)
def test_a_clause_that_nothing_governs_is_verbatim(sentence: str, text: str) -> None:
    assert clause(text, sentence)


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("Many believe that the motor needs no brake.", "The motor needs no brake."),
        ("It is a myth that the motor needs no brake.", "The motor needs no brake."),
        ("If the floor is wet, the foot slips.", "The foot slips."),
        ("The foot slips if the floor is wet.", "The foot slips."),
        ("The gate opens, provided that the key is turned.", "The gate opens."),
        ("The gate opens unless it is locked.", "The gate opens."),
        ("All gates open, except the third.", "All gates open."),
        ("The gate opens, but only at night.", "The gate opens."),
        ("When the key is turned, the lamp is lit and the gate opens.", "The gate opens."),
        ("The gate is safe, according to its maker.", "The gate is safe."),
        ("Either the gate opens, or the lamp is lit.", "The lamp is lit."),
        ("Does it help that the gate opens, and the lamp is lit?", "The lamp is lit."),
        ("The gate opens, which is false.", "The gate opens."),
    ],
)
def test_a_clause_that_something_governs_is_not(sentence: str, text: str) -> None:
    assert not clause(text, sentence)
    assert not close(text, sentence)


@pytest.mark.parametrize(
    ("before", "sentence", "text"),
    [
        ("", "The ankles correct small pushes.", "Small pushes are corrected by the ankles."),
        ("", "The notes were written by Ada Lovelace.", "Ada Lovelace wrote the notes."),
        (
            "",
            "Ada Lovelace wrote the notes in 1843.",
            "The notes were written by Ada Lovelace in 1843.",
        ),
        ("", "The arm can lift a box.", "A box can be lifted by the arm."),
        ("", "It has a base, a link, and a hand.", "It has a base and a hand."),
        ("", "It has a base, a link, and a hand.", "It has a base and a link."),
        ("", "The arm lifts the box and opens the gate.", "The arm opens the gate."),
        ("", "The arm, which weighs 3 kg, lifts the box.", "The arm weighs 3 kg."),
        ("", "The arm, which weighs 3 kg, lifts the box.", "The arm lifts the box."),
        ("", "Atlas, a humanoid, walks on snow.", "Atlas is a humanoid."),
        ("", "Atlas, a humanoid, walks on snow.", "Atlas walks on snow."),
        ("", "The arm (a light one) lifts the box.", "The arm lifts the box."),
        ("", "In Rust, every value has an owner.", "Every value has an owner in Rust."),
        ("", "The arm's weight is 3 kg.", "The weight of the arm is 3 kg."),
        ("", "The arm therefore lifts the box.", "The arm lifts the box."),
        ("The gripper has two fingers.", "It holds the box.", "The gripper holds the box."),
        ("", "Gazebo is a simulator that models contacts.", "Gazebo models contacts."),
        (
            "",
            "Latency: time between a question and its answer",
            "Latency means time between a question and its answer.",
        ),
    ],
)
def test_edits_that_keep_the_truth_are_close(before: str, sentence: str, text: str) -> None:
    assert close(text, sentence, before)


@pytest.mark.parametrize(
    ("before", "sentence", "text"),
    [
        (
            "",
            "Grace Hopper wrote a compiler and Ada Lovelace wrote notes.",
            "Ada Lovelace wrote a compiler and Grace Hopper wrote notes.",
        ),
        ("", "The dog bit the man.", "The man bit the dog."),
        ("", "The dog bit the man.", "The dog was bitten by the man."),
        ("", "The notes are written by Ada Lovelace.", "Ada Lovelace wrote the notes."),
        ("", "Heat causes seals to fail.", "Failing seals cause heat."),
        ("", "The controller may restart the motor.", "The controller restarts the motor."),
        ("", "Most robots need a brake.", "All robots need a brake."),
        ("", "Most robots need a brake.", "Robots need a brake."),
        ("", "It uses a lamp or a bell.", "It uses a lamp."),
        ("", "Only a base and a link are needed.", "Only a base is needed."),
        ("", "The arm cannot lift a box and a bag.", "The arm cannot lift a box."),
        ("", "The arm and the hand together weigh 5 kg.", "The arm weighs 5 kg."),
        (
            "",
            "There are three parts: a base, a link, and a hand.",
            "There are three parts: a base and a hand.",
        ),
        ("", "The base and the link weigh 3 kg and 2 kg respectively.", "The base weighs 2 kg."),
        ("", "Small robots are cheap.", "Robots are cheap."),
        ("", "The robots work well in factories.", "The robots work well."),
        ("The gripper and the arm are new.", "It holds the box.", "The gripper holds the box."),
        ("We tested a gripper.", "It holds the box.", "The gripper holds the box."),
        ("", "The arm lifts 25 kg.", "The arm lifts 200 kg."),
        ("", "The arm lifts a box.", "The arm lifts a box and a bag."),
        ("", "`a < b` holds.", "`a > b` holds."),
    ],
)
def test_edits_that_may_change_the_truth_are_not(before: str, sentence: str, text: str) -> None:
    assert not close(text, sentence, before)


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("In Freud's view, fear and love are one.", "Fear and love are one."),
        ("Without a lock, two threads can write because one waits.", "Two threads can write."),
        (
            "The mixture consists of salt, sugar, and water.",
            "The mixture consists of salt and water.",
        ),
        ("The primary colours are red, yellow, and blue.", "The primary colours are red and blue."),
        ("There are 14 stages: rest, sleep, and dreams.", "There are 14 stages: rest and dreams."),
        ("Avoiding sugar and fat is good.", "Fat is good."),
        ("Common mistake: the lock is taken twice.", "The lock is taken twice."),
        ("Suppose the key is lost; the gate opens.", "The gate opens."),
        ("`a != b` holds, and the loop ends.", "`a = b` holds."),
        ("The type is `&str` in this call.", "The type is `str` in this call."),
        ("Heat is a cause of failure.", "Heat is the cause of failure."),
        ("A few robots fell.", "Few robots fell."),
        ("The guest is rich (a lord) or he is a thief.", "The guest is rich."),
        ("The arm is strong: today nobody accepts this.", "The arm is strong."),
        ("Pluto is a planet that was never seen.", "Pluto is a planet."),
        ("The city was burned by the enemies of Rome.", "The enemies burned the city of Rome."),
        ("The bridge was built by 1900.", "1900 built the bridge."),
        ("Results may be biased.", "You may bias results."),
        ("The text is not also copied.", "The text is not copied."),
        ("The list (almost) always grows.", "The list always grows."),
        ("Whereas the checker is static, the cell is not.", "Whereas the checker is static."),
        ("The dog, a cat, and a bird came.", "The dog is a cat."),
    ],
)
def test_cuts_that_an_adversary_found_are_no_proof(sentence: str, text: str) -> None:
    check = check_claim(DraftClaim(text, ("S1.1",)), context((sentence,)))
    assert not check.passed, check


@pytest.mark.parametrize(
    ("before", "sentence", "text"),
    [
        ("Police arrested the protesters.", "They had thrown stones.", "Police had thrown stones."),
        ("The compiler rejects this code.", "This prevents a bug.", "The compiler prevents a bug."),
        ("The pumps are new.", "It is true that they leak.", "The pumps are true that they leak."),
        ("No drug is safe.", "It was tested.", "No drug was tested."),
    ],
)
def test_a_pronoun_that_may_mean_another_is_not_resolved(
    before: str, sentence: str, text: str
) -> None:
    assert not close(text, sentence, before)


@settings(max_examples=400)
@given(st.deferred(lambda: st.sampled_from(sample_prose())), st.randoms(use_true_random=False))
def test_two_words_of_a_sentence_that_change_places_are_no_proof(
    sentence: Sentence, rng: random.Random
) -> None:
    words = sentence.text.split()
    one, other = sorted(rng.sample(range(len(words)), 2))
    words[one], words[other] = words[other], words[one]
    text = " ".join(words)
    assume(words_in(tokens_of(text)) != words_in(tokens_of(sentence.text)))
    check = check_claim(DraftClaim(text, (sentence.id,)), sample_context())
    assume(not _only_joined_words_moved(sentence.text, text))
    assert not check.passed, (sentence.text, text)


def _only_joined_words_moved(before: str, after: str) -> bool:
    """Whether the two texts are alike but for articles and signs, or for an "A and B" turned."""
    one = [t.word for t in tokens_of(before) if t.word not in ("a", "an", "the") and not t.is_sign]
    other = [t.word for t in tokens_of(after) if t.word not in ("a", "an", "the") and not t.is_sign]
    return one == other


def test_a_claim_may_be_cut_at_its_coordinators() -> None:
    cuts = coordinated(tokens_of("The arm lifts the box, and the brake holds it."))
    assert [tuple(map(words_in, cut)) for cut in cuts] == [
        (("the", "arm", "lifts", "the", "box"), ("the", "brake", "holds", "it"))
    ]
