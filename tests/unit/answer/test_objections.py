"""What is held against a claim that a judge could take for a paraphrase."""

from __future__ import annotations

import pytest

from functions.answer.check.alignment import tokens_of
from functions.answer.check.objections import find_objections
from functions.answer.text.words import term_set


def objections(text: str, *sentences: str) -> tuple[str, ...]:
    known = frozenset[str]().union(*map(term_set, sentences))
    return find_objections(tokens_of(text), [tokens_of(each) for each in sentences], known)


@pytest.mark.parametrize(
    ("name", "sentence", "text"),
    [
        (
            "order",
            "Grace Hopper wrote a compiler, and Ada Lovelace wrote notes.",
            "Ada Lovelace wrote a compiler, and Grace Hopper wrote notes.",
        ),
        (
            "order",
            "The planner sends a path to the controller.",
            "The controller sends a path to the planner.",
        ),
        (
            "order",
            "The left arm lifts 10 kg and weighs 25 kg.",
            "The left arm lifts 25 kg and weighs 10 kg.",
        ),
        ("order", "The dog bit the man.", "The dog was bitten by the man."),
        ("negation", "The brake holds the arm.", "The brake does not hold the arm."),
        ("negation", "The brake does not hold the arm.", "The brake holds the arm."),
        ("modality", "The controller may restart the motor.", "The controller restarts the motor."),
        (
            "modality",
            "The controller may restart the motor.",
            "The controller must restart the motor.",
        ),
        ("quantifier", "Most robots need a brake.", "All robots need a brake."),
        ("quantifier", "The robots need a brake.", "The robots always need a brake."),
        ("quantifier", "Usually, the robots need a brake.", "The robots need a brake."),
        ("condition", "The gate opens if the key is turned.", "The gate opens."),
        ("condition", "The gate opens unless it is locked.", "The gate opens."),
        ("attitude", "Many believe that the motor needs no brake.", "The motor needs no brake."),
        (
            "attitude",
            "According to the vendor, the motor runs for 200 hours.",
            "The motor runs for 200 hours.",
        ),
        (
            "cause",
            "The seal failed after the motor ran hot.",
            "The seal failed because the motor ran hot.",
        ),
        (
            "order",
            "The seal failed because the motor ran hot.",
            "The motor ran hot because the seal failed.",
        ),
        ("time", "The lamp is lit before the gate opens.", "The lamp is lit after the gate opens."),
        (
            "comparison",
            "The left arm is heavier than the right arm.",
            "The left arm is less heavy than the right arm.",
        ),
        (
            "opposite",
            "The left arm is faster than the right arm.",
            "The left arm is slower than the right arm.",
        ),
        ("opposite", "The client sends a request.", "The server sends a request."),
        ("number", "The arm lifts 25 kg.", "The arm lifts 200 kg."),
        ("addition", "The motor needs a brake.", "The motor needs a brake and a gearbox."),
        (
            "name",
            "As with Send and Sync, the compiler implements it for all types.",
            "As with Send and Clone, the compiler implements it for all types.",
        ),
    ],
)
def test_an_edit_that_no_paraphrase_makes_is_named(name: str, sentence: str, text: str) -> None:
    assert name in objections(text, sentence)


def test_a_subject_from_another_sentence_is_mixed_in() -> None:
    told = ("The worker holds on to the receiver.", "The execute method sends the job.")
    assert "mixed" in objections("The execute method holds on to the receiver.", *told)
    refers = ("The execute method sends the job.", "It holds on to the receiver.")
    assert objections("The execute method holds on to the receiver.", *refers) == ()


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("The brake holds the arm.", "The brake keeps hold of the arm."),
        ("The team won the cup in 1996.", "In 1996 the team wins the cup."),
        ("The team won the cup in 1996.", "The cup was won by the team in 1996."),
        ("Smoking is not permitted in the laboratory.", "Smoking is not allowed in the lab."),
        ("Rex is the largest robot.", "Rex is the biggest robot."),
        ("Walls of stone surround the town.", "Stone walls surround the town."),
        ("Because the seal failed, the motor stopped.", "The motor stopped since the seal failed."),
        ("You can move the arm by hand.", "It is possible to move the arm by hand."),
        ("Often the arm, which is light, moves.", "The arm often moves."),
    ],
)
def test_other_words_for_the_same_are_left_to_the_judge(sentence: str, text: str) -> None:
    assert objections(text, sentence) == ()


def test_a_claim_with_few_of_a_sentences_words_is_left_to_the_judge() -> None:
    told = "The controller may restart the motor unless the gate is open."
    assert objections("A stopped engine can be started again.", told) == ()


def test_each_clause_is_held_against_its_own_sentence() -> None:
    told = ("The Atlas gripper weighs 2 kg.", "The Hermes gripper weighs 3 kg.")
    text = "The Atlas gripper weighs 2 kg, and the Hermes gripper weighs 3 kg."
    assert objections(text, *told) == ()
    swapped = "The Atlas gripper weighs 3 kg, and the Hermes gripper weighs 2 kg."
    assert objections(swapped, *told) != ()
