"""Boosting by the reader's place: on a scale of 0 to 1, and only ever the order."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.text.words import terms_of
from functions.book.chunks.chunk import Chapter, StoredChunk
from functions.query.retrieval.chapter_boost import (
    SELECTION_TERMS,
    Boosted,
    boost_chunks,
    boost_of_terms,
    find_chapter,
    names_of_chapter,
    terms_of_selection,
)
from tests.unit.answer.contexts import chunk

NOTHING: frozenset[str] = frozenset()


def chapter_chunk(at: int, chapter: str, text: str = "Robots walk.") -> StoredChunk:
    made = chunk((f"{text} {at}",), path=f"docs/{at}.md")
    return replace(made, chapter=Chapter(chapter, int(chapter[-1]), chapter))


def found(*rows: tuple[str, float]) -> list[tuple[StoredChunk, float]]:
    return [(chapter_chunk(at, name), score) for at, (name, score) in enumerate(rows)]


rows = st.lists(
    st.tuples(st.sampled_from(["ch1", "ch2", "ch3"]), st.floats(-2, 50)), max_size=20
).map(lambda drawn: found(*sorted(drawn, key=lambda row: -row[1])))


@given(rows, st.sampled_from([None, "ch1", "ch9"]), st.sampled_from([NOTHING, frozenset({"walk"})]))
def test_a_boost_reorders_and_neither_adds_nor_loses(
    given_rows: list[tuple[StoredChunk, float]], chapter: str | None, terms: frozenset[str]
) -> None:
    raised, boosted = boost_chunks(given_rows, chapter, terms)
    assert sorted(c.chunk_id for c, _ in raised) == sorted(c.chunk_id for c, _ in given_rows)
    assert boosted.of_chapter == sum(c.chapter.id == chapter for c, _ in given_rows)
    for name in ("ch1", "ch2"):  # within a chapter nothing changes place
        before = [c.chunk_id for c, _ in given_rows if c.chapter.id == name]
        assert [c.chunk_id for c, _ in raised if c.chapter.id == name] == before
    if not boosted.applied:
        assert raised == given_rows


@given(rows, st.floats(0.01, 100), st.floats(-10, 10))
def test_the_scale_of_the_scores_changes_nothing(
    given_rows: list[tuple[StoredChunk, float]], factor: float, shift: float
) -> None:
    order = [(chapter_chunk(99, "ch1"), 60.0), *given_rows, (chapter_chunk(100, "ch2"), -3.0)]
    moved = [(c, score * factor + shift) for c, score in order]
    left, right = (boost_chunks(each, "ch1", NOTHING)[0] for each in (order, moved))
    scores = {c.chunk_id: score for c, score in right}
    assert [s for _, s in left] == pytest.approx([scores[c.chunk_id] for c, _ in left], abs=1e-6)


def test_a_chunk_of_the_chapter_overtakes_what_is_less_than_half_as_much_better() -> None:
    order = found(("ch2", 10.0), ("ch1", 7.0), ("ch1", 6.0), ("ch2", 0.0))
    raised, boosted = boost_chunks(order, "ch1", NOTHING)
    assert [round(score, 3) for _, score in raised] == [1.05, 1.0, 0.9, 0.0]
    assert boosted == Boosted("ch1", 2, True, 1.5)


def test_a_chapter_without_a_hit_is_known_and_changes_nothing() -> None:
    order = found(("ch2", 10.0), ("ch3", 7.0))
    assert boost_chunks(order, "ch1", NOTHING) == (order, Boosted("ch1", 0, False))
    assert boost_chunks([], "ch1", frozenset({"walk"})) == ([], Boosted("ch1", 0, False))


@pytest.mark.parametrize(
    ("count", "factor"), [(0, 1.2), (1, 1.2 + 0.3 * math.log(2)), (20, 2.113), (10**9, 5.0)]
)
def test_terms_boost_by_their_logarithm_up_to_a_ceiling(count: int, factor: float) -> None:
    assert boost_of_terms(count) == pytest.approx(factor, abs=1e-3)


def test_more_of_a_selections_terms_weigh_more() -> None:
    words = ["Gears.", "Gears trade torque.", "Gears trade torque for speed at the motor."]
    order = [(chapter_chunk(at, "ch1", text), 5.0 - at / 10) for at, text in enumerate(words)]
    order.append((chapter_chunk(9, "ch1", "Nothing."), 0.0))
    terms = terms_of_selection("gears, torque, speed and motors")
    raised, _ = boost_chunks(order, None, terms)
    assert raised[0][0].text.startswith("Gears trade ")
    counts = [len(terms.intersection(terms_of(c.text))) for c, _ in raised]
    assert counts[0] == max(counts) == 4


def test_a_selections_terms_are_its_rare_and_repeated_ones() -> None:
    terms = terms_of_selection("the gyroscope and the other gyroscope of it " * 3)
    assert "gyroscop" in terms
    assert not {"the", "and", "of", "it"} & terms
    many = terms_of_selection(" ".join(f"word{n}x" for n in range(100)))
    assert len(many) == SELECTION_TERMS
    assert terms_of_selection("") == NOTHING


@pytest.mark.parametrize(
    ("chapter_id", "title", "ids", "number"),
    [
        ("kinematics", "", ("kinematics",), None),
        ("02-Kinematics", "", ("02-Kinematics", "02-kinematics", "Kinematics", "kinematics"), None),
        ("3", "", ("3",), 3),
        ("Chapter_03", "", ("Chapter_03", "chapter_03"), 3),
        ("ch04-balance", "", ("ch04-balance",), None),
        ("  ", "Chapter 5: Control", (), 5),
        ("kinematics", "Chapter 5: Control", ("kinematics",), None),
    ],
)
def test_a_page_may_name_its_chapter_in_several_ways(
    chapter_id: str, title: str, ids: tuple[str, ...], number: int | None
) -> None:
    names = names_of_chapter(chapter_id, title)
    assert names is not None
    assert (names.ids, names.number) == (ids, number)


@pytest.mark.parametrize(("chapter_id", "title"), [("", ""), (" ", "Kinematics"), ("", "Chapter")])
def test_no_name_is_no_chapter(chapter_id: str, title: str) -> None:
    assert names_of_chapter(chapter_id, title) is None


def test_an_id_counts_before_a_number() -> None:
    order = [(chapter_chunk(1, "ch3"), 1.0), (chapter_chunk(2, "ch2"), 0.9)]
    by_number, by_id = names_of_chapter("chapter-3", ""), names_of_chapter("ch2", "")
    assert by_number is not None
    assert by_id is not None
    assert find_chapter(order, by_number) == "ch3"
    assert find_chapter(order, by_id) == "ch2"
    assert find_chapter(order[:1], replace(by_id, number=None)) is None
