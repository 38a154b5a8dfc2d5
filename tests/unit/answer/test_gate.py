from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.context import Context, context_of_chunks
from functions.answer.gate.calibration import (
    ANSWERABLE,
    BOOK,
    BOOK_BY_WORDS,
    SELECTION,
    SELECTION_BY_WORDS,
    BookCalibration,
    Calibration,
    Signals,
    read_signals,
)
from functions.answer.gate.thresholds import GATE
from tests.unit.answer.contexts import chunk, context, selection

share = st.floats(0, 1)
signals = st.builds(Signals, share, st.floats(0, 1.6), share, share, share)
calibrations = st.sampled_from([BOOK, BOOK_BY_WORDS, SELECTION, SELECTION_BY_WORDS])


@given(calibrations, signals)
def test_a_confidence_is_between_zero_and_one(calibration: Calibration, seen: Signals) -> None:
    assert 0 <= calibration.confidence(seen) <= 1


@given(signals)
def test_nothing_in_common_never_passes_and_all_in_common_always_does(seen: Signals) -> None:
    assert BOOK.confidence(Signals(0, 0, 0, 0)) < GATE < BOOK.confidence(Signals(1, 1.6, 1, 1, 1))
    assert BOOK_BY_WORDS.confidence(Signals(seen.dense, 0, 0, 0)) < GATE
    assert SELECTION_BY_WORDS.confidence(Signals(0, 0, 0, 0)) < GATE


@given(share, share)
def test_more_of_the_question_in_the_book_never_lowers_the_confidence(a: float, b: float) -> None:
    low, high = sorted((a, b))
    for calibration in (BOOK, BOOK_BY_WORDS):
        assert calibration.confidence(Signals(0.5, 0, low, low)) <= calibration.confidence(
            Signals(0.5, 0, high, high)
        )


def test_a_calibration_is_read_from_what_the_index_keeps() -> None:
    kept = {"bias": -1, "dense": 2, "best": 0, "coverage": 3, "union": 0.5, "focus": 1}
    kept["unknown"] = -4
    both = {"by_meaning": kept, "by_words": kept | {"dense": 0}, "questions": {"own": 119}}
    read = BookCalibration.from_json(both)
    assert read.of(True) == Calibration(-1.0, 2.0, 0.0, 3.0, 0.5, 1.0, -4.0, ANSWERABLE)
    assert read.of(False).dense == 0
    with pytest.raises(KeyError):
        BookCalibration.from_json({"by_meaning": {"bias": 1}})


def test_a_model_that_was_not_measured_leans_on_words() -> None:
    measured = BookCalibration.shipped("all-MiniLM-L6-v2")
    other = BookCalibration.shipped("text-embedding-3-small")
    assert (measured.by_meaning, other.by_words) == (BOOK, BOOK_BY_WORDS)
    assert other.by_meaning.dense < measured.by_meaning.dense
    assert other.by_meaning.confidence(Signals(0.14, 0, 0.3, 0.3, 0.5)) < GATE
    assert other.by_meaning.confidence(Signals(0.6, 0, 0.75, 0.75, 0.8)) > GATE


def test_what_stands_in_one_place_has_more_focus_than_what_is_scattered() -> None:
    paragraph = ("Balance", "A robot keeps its balance with its ankles.")
    one = [(chunk(paragraph, path="docs/01-a/a.md", number=1), 1.0)]
    other = [(chunk(paragraph, path="docs/02-b/b.md", number=2), 1.0)]
    far = [(chunk(paragraph, path="docs/02-b/b.md", number=2), 0.2)]
    asked = "How does a robot keep its balance?"
    focus = [
        read_signals(asked, context_of_chunks(found)).focus
        for found in (one, [*one, *other], [*one, *far])
    ]
    assert focus[0] == 1
    assert focus[1] == 0.5
    assert 0.9 < focus[2] < 1


def test_signals_say_how_much_of_the_question_stands_in_the_context() -> None:
    whole = read_signals("Which strategy corrects small pushes?", context())
    none = read_signals("Who painted the Mona Lisa?", context())
    assert whole.coverage > 0.9
    assert whole.coverage == whole.union
    assert none.coverage == none.best == 0
    assert whole.dense == 0.9


def test_cosines_of_sentences_count_where_they_are_known() -> None:
    question = "Who painted the Mona Lisa?"
    known = read_signals(question, selection(similarities=(0.0, 0.8, 0.1, 0.0, 0.2)))
    assert known.best == pytest.approx(0.8)
    assert known.dense == 0.8
    assert read_signals(question, selection()).best == 0


def test_an_empty_context_has_no_signals() -> None:
    assert read_signals("What is it?", Context((), ())) == Signals(0, 0, 0, 0)
