"""Each transformation on a sentence it must change, and on one that it must leave alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("HanTa", reason="the tagger is installed by make .venv/dev")

from tools.evaluate.claims import (
    changed_clauses,
    changed_words,
    generate,
    kept_clauses,
    kept_words,
    reworded,
)
from tools.evaluate.claims.book_sentences import Book, BookSentence, Paragraph, read_book
from tools.evaluate.claims.claim import Transformation
from tools.evaluate.claims.random_swap import random_swap


def claims(make: Transformation, *texts: str, kind: str = "paragraph") -> list[str]:
    """The claims from the last of the sentences of one paragraph."""
    paragraph = Paragraph("arm.md", 0, kind, " ".join(texts), readable=frozenset(texts))
    paragraph.sentences.extend(BookSentence(text, paragraph, at) for at, text in enumerate(texts))
    book = Book("arm", (paragraph,))
    return [each.text for each in make(paragraph.sentences[-1], book, random.Random(1))]


CHANGED: Sequence[tuple[Transformation, Sequence[str], str]] = (
    (changed_clauses.roles_swapped, ["The controller checks the encoder."],
     "The encoder checks the controller."),
    (changed_clauses.roles_swapped, ["The driver is written by the maintainers."],
     "The maintainers are written by the driver."),
    (changed_clauses.cause_turned, ["The friction leads to high temperatures."],
     "High temperatures lead to the friction."),
    (changed_clauses.cause_turned, ["The arm stops because the brake closes."],
     "The brake closes because the arm stops."),
    (changed_clauses.cause_invented, ["The motor runs hot, and the seals wear quickly."],
     "The motor runs hot because the seals wear quickly."),
    (changed_clauses.crossed,
     ["The gripper holds small parts.", "The camera reads every label."],
     "The camera holds small parts."),
    (changed_clauses.conjuncts_swapped, ["The gripper holds parts, and the camera reads labels."],
     "The camera holds parts, and the gripper reads labels."),
    (changed_clauses.condition_dropped, ["The arm restarts provided that the gate is locked."],
     "The arm restarts."),
    (changed_clauses.condition_dropped, ["If the gate is open, the arm stops."], "The arm stops."),
    (changed_clauses.attitude_dropped, ["Many people believe that the motor needs no brake."],
     "The motor needs no brake."),
    (changed_clauses.attitude_dropped, ["The planner tries to avoid walls."],
     "The planner avoids walls."),
    (changed_clauses.order_turned, ["The controller opens the brake before the arm moves."],
     "The controller opens the brake after the arm moves."),
    (changed_words.number_of_neighbour,
     ["The battery lasts 200 hours.", "The arm can lift 25 kg."], "The arm can lift 200 kg."),
    (changed_words.unit, ["The arm can lift 25 kg."], "The arm can lift 25 g."),
    (changed_words.quantifier, ["Most robots use encoders."], "All robots use encoders."),
    (changed_words.hedge_dropped, ["The controller may restart."], "The controller restarts."),
    (changed_words.modal_changed, ["The controller can restart."], "The controller must restart."),
    (changed_words.negation_added, ["The controller checks the encoder."],
     "The controller does not check the encoder."),
    (changed_words.negation_dropped, ["The controller does not check the encoder."],
     "The controller checks the encoder."),
    (changed_words.only_added, ["Robots use encoders."], "Only robots use encoders."),
    (changed_words.opposite, ["The input is valid."], "The input is invalid."),
    (changed_words.comparison, ["The arm is faster than the belt."],
     "The arm is slower than the belt."),
)  # fmt: skip
KEPT: Sequence[tuple[Transformation, Sequence[str], str]] = (
    (kept_clauses.clause, ["The gripper holds parts, and the camera reads labels."],
     "The gripper holds parts."),
    (kept_clauses.passive, ["The controller checks the encoder."],
     "The encoder is checked by the controller."),
    (kept_clauses.passive, ["The encoder is checked by the controller."],
     "The controller checks the encoder."),
    (kept_clauses.relative, ["The camera, which reads labels, needs light."],
     "The camera reads labels."),
    (kept_clauses.relative, ["A planner is a program that finds paths."], "A planner finds paths."),
    (kept_clauses.apposition, ["Inverse Kinematics (IK) finds the joint angles."],
     "IK stands for Inverse Kinematics."),
    (kept_clauses.moved, ["When the gate opens, the arm stops."],
     "The arm stops when the gate opens."),
    (kept_words.list_shortened, ["The arm has motors, brakes, and encoders."],
     "The arm has motors and encoders."),
    (kept_words.pronoun_resolved, ["The camera reads small labels.", "It needs light."],
     "The camera needs light."),
    (kept_words.synonym, ["The planner utilizes a map."], "The planner uses a map."),
    (kept_words.marker_dropped, ["However, the camera needs light."], "The camera needs light."),
    (kept_words.parenthesis_dropped, ["The camera (a small one) needs light."],
     "The camera needs light."),
    (kept_words.filler_dropped, ["The camera also needs light."], "The camera needs light."),
    (reworded.predicate, ["The camera reads labels and finds parts."], "The camera finds parts."),
    (reworded.adjunct_dropped, ["The camera uses a lamp to read labels."],
     "The camera uses a lamp."),
    (reworded.possessive, ["The camera's lamp needs power."],
     "The lamp of the camera needs power."),
    (reworded.tense, ["The arm will stop."], "The arm stops."),
    (reworded.reworded, ["You can replace the lamp."], "It is possible to replace the lamp."),
    (reworded.two_sentences, ["The camera reads small labels.", "The arm moves heavy parts."],
     "The camera reads small labels, and the arm moves heavy parts."),
)  # fmt: skip


@pytest.mark.parametrize(("make", "texts", "expected"), [*CHANGED, *KEPT])
def test_a_claim_is_made_from_a_sentence_that_is_understood(
    make: Transformation, texts: Sequence[str], expected: str
) -> None:
    assert expected in claims(make, *texts)


LEFT_ALONE: Sequence[tuple[Transformation, Sequence[str]]] = (
    (changed_clauses.roles_swapped, ["The arm resembles the leg."]),  # says the same
    (changed_clauses.roles_swapped, ["It checks the encoder."]),
    (changed_clauses.cause_turned, ["It stops because the brake closes."]),
    (changed_clauses.cause_invented, ["The motor runs hot, and it wears quickly."]),
    (changed_clauses.crossed, ["The gripper holds parts.", "It holds the camera."]),
    (changed_clauses.conjuncts_swapped, ["The gripper holds parts, and it reads labels."]),
    (changed_clauses.condition_dropped, ["If you want to move the arm, you can use a pendant."]),
    (changed_clauses.condition_dropped, ["The arm can move only on rails."]),  # it can move
    (changed_clauses.attitude_dropped, ["The test shows that the motor needs no brake."]),
    (changed_clauses.order_turned, ["The brake opens before and after the arm moves."]),
    (changed_words.number_of_neighbour, ["See Chapter 4 for the arm."]),
    (changed_words.unit, ["The arm weighs 25 kg or 25000 g."]),
    (changed_words.quantifier, ["The most common robots use encoders."]),
    (changed_words.hedge_dropped, ["You could restart the controller."]),
    (changed_words.hedge_dropped, ["The arm can't possibly know the load."]),  # the same without
    (changed_words.modal_changed, ["The controller can only restart."]),
    (changed_words.negation_added, ["Most controllers check the encoder."]),
    (changed_words.negation_dropped, ["The test is not only for arms."]),
    (changed_words.only_added, ["The controller does not check the encoder."]),
    (changed_words.opposite, ["The value is valid or invalid."]),
    (changed_words.comparison, ["The arm is no longer faster or slower."]),
    (kept_clauses.clause, ["If the gripper holds parts, and the camera reads labels, it moves."]),
    (kept_clauses.passive, ["Every controller checks no encoder."]),
    (kept_clauses.relative, ["The planner is the program that finds paths."]),
    (kept_clauses.apposition, ["The Arm Base (XY) holds the motor."]),
    (kept_clauses.moved, ["When the gate opens, the arm does not stop."]),
    (kept_words.list_shortened, ["The value is between one, two, and three."]),
    (kept_words.list_shortened, ["The arm has no motors, brakes, or encoders."]),
    (kept_words.pronoun_resolved, ["The camera reads small labels.", "They need light."]),
    (
        kept_words.pronoun_resolved,
        ["The camera reads small labels.", "It is possible to read more."],
    ),
    (kept_words.synonym, ["The arm moves."]),
    (kept_words.marker_dropped, ["The camera needs light."]),
    (kept_words.parenthesis_dropped, ["The camera (unless it is off) needs light."]),
    (kept_words.filler_dropped, ["The camera is not a very good one."]),  # it may be a good one
    (reworded.predicate, ["Either the camera reads labels and finds parts or it stops."]),
    (reworded.adjunct_dropped, ["The camera allows the arm to move."]),
    (reworded.possessive, ["Our camera's lamp needs power."]),
    (reworded.tense, ["It will stop."]),
    (reworded.two_sentences, ["It reads very small labels.", "The arm moves heavy parts."]),
)


@pytest.mark.parametrize(("make", "texts"), LEFT_ALONE)
def test_no_claim_is_made_where_its_truth_is_not_certain(
    make: Transformation, texts: Sequence[str]
) -> None:
    assert claims(make, *texts) == []


def test_entries_of_a_list_are_said_and_crossed() -> None:
    texts = ["Homing: Moving each joint to its stop", "Teaching: Recording positions of the arm"]
    assert claims(kept_words.entry_as_sentence, *texts, kind="list") == [
        "Teaching involves recording positions of the arm."
    ]
    assert claims(changed_clauses.entries_crossed, *texts, kind="list") == [
        "Teaching involves moving each joint to its stop."
    ]
    assert claims(kept_words.entry_as_sentence, *texts) == []


def test_members_of_a_list_are_not_exchanged() -> None:
    assert claims(random_swap, "It has motors and brakes.") == []
    [text] = claims(random_swap, "The motor of a robot turns.")
    assert sorted(text.lower().split()) == sorted("the motor of a robot turns.".split())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    book = tmp_path / "arms"
    book.mkdir()
    book.joinpath("arm.md").write_text(
        "# Arms\n\nThe controller checks the encoder. Most robots use motors, brakes, and encoders."
        "\n\nThe camera, which reads labels, needs light. The `planner` may avoid walls.\n",
        "utf-8",
    )
    return book


def test_the_set_of_a_book_is_the_same_each_time_and_cites_what_its_context_has(
    folder: Path,
) -> None:
    rows = generate.claims_of_book(folder)
    assert rows == generate.claims_of_book(folder)
    assert {row["supported"] for row in rows} == {True, False}
    texts = {sentence.text for sentence in read_book(folder).sentences}
    for row in rows:
        assert set(row["cited"]) <= texts
        assert row["response"] not in row["cited"]
        assert row["kind"].startswith("S_") == row["supported"]
    assert len({row["id"] for row in rows}) == len(rows)


def test_dropped_rows_are_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dropped = generate.claims_of_book(folder)[0]["id"]
    monkeypatch.setattr(generate, "dropped_ids", lambda: frozenset({dropped}))
    assert dropped not in {row["id"] for row in generate.claims_of_book(folder)}
