from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.gate.calibration import BOOK, BookCalibration, Signals
from functions.answer.gate.thresholds import GATE
from quoth.calibrate.calibrate import (
    Marks,
    TooFewQuestions,
    calibrate_from,
    fit,
    marks_of,
    rescaled,
    trade_off,
)
from quoth.calibrate.questions import Asked, Kind, without_known_topics

SHIPPED = BookCalibration.shipped("all-MiniLM-L6-v2")
MIDDLE = {"own": (0.62, 0.96, 0.86), "near": (0.4, 0.5, 0.6), "foreign": (0.21, 0.27, 0.56)}
SPREAD = (0.09, 0.12, 0.14)


def asked_of(scale: float = 1.0, shift: float = 0.0, each: int = 60) -> list[Asked]:
    """Questions like those of a real book; `scale` and `shift` are of another model's cosines."""
    chance = random.Random(7)
    found = []
    for kind, middle in MIDDLE.items():
        for at in range(each):
            dense, coverage, focus = (
                min(1.0, max(0.0, chance.gauss(m, s))) for m, s in zip(middle, SPREAD, strict=True)
            )
            signals = Signals(shift + scale * dense, 0.0, coverage, coverage, focus)
            name: Kind = kind  # type: ignore[assignment]
            found.append(
                Asked(f"{kind} {at}", name, str(at % 6), signals, replace(signals, dense=0.0))
            )
    return found


@pytest.mark.parametrize(("scale", "shift"), [(1.0, 0.0), (0.35, 0.6), (1.2, -0.1)])
def test_a_model_with_other_cosines_gets_a_map_that_tells_the_same(
    scale: float, shift: float
) -> None:
    found = calibrate_from(asked_of(scale, shift), SHIPPED)
    at = next(step for step in found.curve if step.threshold == GATE)
    usual = calibrate_from(asked_of(), SHIPPED)
    same = next(step for step in usual.curve if step.threshold == GATE)
    assert at.foreign_answered <= 0.05
    assert at.false_refusal <= 0.15
    assert abs(at.false_refusal - same.false_refusal) <= 0.05
    assert abs(at.near_answered - same.near_answered) <= 0.08


@given(st.floats(0, 0.5), st.floats(0.1, 0.5), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_carrying_over_keeps_the_confidence_of_what_stands_at_the_same_place_between_the_marks(
    foreign: float, width: float, at: float, coverage: float, focus: float
) -> None:
    moved = rescaled(BOOK, Marks(foreign, foreign + width))
    there = Signals(foreign + at * width, 0, coverage, coverage, focus)
    here = Signals(0.21 + at * 0.41, 0, coverage, coverage, focus)
    assert moved.confidence(there) == pytest.approx(BOOK.confidence(here), abs=1e-6)


def test_more_of_the_question_in_the_book_never_speaks_against_it() -> None:
    upside_down = [
        replace(each, kind="near" if each.kind == "own" else "own") for each in asked_of()
    ]
    fitted = fit(upside_down, BOOK, 0.41, by_words=False)
    assert min(fitted.dense, fitted.coverage, fitted.focus) >= 0


def test_a_weight_that_is_shipped_as_none_stays_none() -> None:
    fitted = fit(asked_of(), SHIPPED.by_words, 0.41, by_words=True)
    assert fitted.dense == fitted.best == fitted.union == 0


def test_a_model_that_tells_nothing_apart_is_said_not_fitted() -> None:
    same = [replace(each, signals=replace(each.signals, dense=0.4)) for each in asked_of()]
    with pytest.raises(TooFewQuestions, match="does not tell"):
        marks_of(same)
    with pytest.raises(TooFewQuestions):
        marks_of([each for each in asked_of() if each.kind != "own"])


def test_a_higher_threshold_refuses_no_less_and_lets_in_no_more() -> None:
    curve = trade_off(asked_of(), BOOK, 0.41)
    for lower, higher in pairwise(curve):
        assert lower.false_refusal <= higher.false_refusal
        assert lower.foreign_answered >= higher.foreign_answered
        assert lower.near_answered >= higher.near_answered


def test_a_topic_that_the_book_treats_is_not_asked_as_foreign() -> None:
    asked = [
        replace(each, group="cooking", signals=replace(each.signals, dense=0.7))
        if each.kind == "foreign" and each.group == "3"
        else each
        for each in asked_of()
    ]
    kept, known = without_known_topics(asked)
    assert known == ["cooking"]
    assert len(kept) == len(asked) - 10
