"""Cutting chunks to a range of blocks, and the last look at what was answered from it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from functions.answer.answers import Answer
from functions.answer.chain import answer_from
from functions.answer.context import Context, context_of_chunks
from functions.answer.gate.calibration import Calibration
from functions.answer.refusals import NOT_IN_SELECTION
from functions.book.chunks.chunk import StoredChunk
from functions.query.requests import HighlightBody, QueryRequest
from functions.query.retrieval.highlight_range import (
    BlockRange,
    cut_chunk,
    cut_to_range,
    keep_inside,
)
from quoth.calibrate.local_index import chunks_of_book
from tests.unit.answer.contexts import BOOK, SOON, STANDING, WALKING, Scripted, chunk

PATH = "docs/balance.md"
OPEN = Calibration(30, 0, 0, 0, 0)
FIRST = ("Standing needs two ankles.", WALKING[0])


@cache
def sample_chunks() -> tuple[StoredChunk, ...]:
    return tuple(each.chunk for each in chunks_of_book(BOOK))


@st.composite
def ranges(draw: st.DrawFn) -> tuple[StoredChunk, BlockRange]:
    """A chunk of the sample book, and a range near it, mostly of its own page."""
    cut = draw(st.sampled_from(sample_chunks()))
    first = draw(st.integers(max(0, cut.parts[0].block - 3), cut.parts[-1].block + 3))
    last = draw(st.integers(first, cut.parts[-1].block + 5))
    path = draw(st.sampled_from([cut.source_path] * 9 + ["docs/other.md"]))
    return cut, BlockRange(path, first, last)


@given(ranges())
def test_a_cut_chunk_has_every_block_inside_and_none_outside(
    drawn: tuple[StoredChunk, BlockRange],
) -> None:
    whole, within = drawn
    inside = [part for part in whole.parts if within.holds(whole.source_path, part.block)]
    cut = cut_chunk(whole, within)
    if cut is None:
        assert not inside
        return
    assert [part.block for part in cut.parts] == [part.block for part in inside]
    assert [part.sentences for part in cut.parts] == [part.sentences for part in inside]
    for ours, theirs in zip(cut.parts, inside, strict=True):
        assert cut.text[ours.start : ours.end] == whole.text[theirs.start : theirs.end]
    assert cut.text in whole.text
    assert len(cut.text) == max(part.end for part in cut.parts)
    assert (cut.hash == whole.hash) == (len(inside) == len(whole.parts))
    assert (cut.chunk_id, cut.url, cut.place) == (whole.chunk_id, whole.url, whole.place)


@given(ranges())
def test_cutting_again_changes_nothing(drawn: tuple[StoredChunk, BlockRange]) -> None:
    whole, within = drawn
    once = cut_to_range([(whole, 1.0)], within)
    assert cut_to_range(once, within) == once


@given(ranges(), st.integers(0, 400))
def test_ranges_that_meet_share_no_block_and_lose_none(
    drawn: tuple[StoredChunk, BlockRange], at: int
) -> None:
    whole, within = drawn
    middle = within.first + at % (within.last - within.first + 1)
    halves = [replace(within, last=middle), replace(within, first=middle + 1)]
    parts = [part.block for half in halves if (cut := cut_chunk(whole, half)) for part in cut.parts]
    both = cut_chunk(whole, within)
    assert parts == ([part.block for part in both.parts] if both else [])


def test_a_sentence_just_outside_is_gone_from_text_and_sentences() -> None:
    paragraphs = (STANDING, WALKING, FIRST)
    text = "\n\n".join(" ".join(each) for each in paragraphs)
    whole = chunk(*paragraphs, first_block=4)
    starts = [text.index(each[0]) for each in paragraphs]
    ends = [start + len(" ".join(each)) for start, each in zip(starts, paragraphs, strict=True)]
    whole = replace(
        whole,
        parts=tuple(
            replace(part, start=start, end=end)
            for part, start, end in zip(whole.parts, starts, ends, strict=True)
        ),
    )
    cut = cut_chunk(whole, BlockRange(PATH, 5, 5))
    assert cut is not None
    assert cut.text == " ".join(WALKING)


async def answered(context: Context, *ids: str) -> Answer:
    claims = tuple((context.by_id[i].text, (i,)) for i in ids)
    return await answer_from("What ends a fall?", context, Scripted(*claims), OPEN, "book", SOON)


async def test_an_answer_inside_its_range_is_left_as_it_is() -> None:
    context = context_of_chunks([(chunk(STANDING, WALKING, first_block=4), 1.0)])
    answer = await answered(context, "S1.1", "S1.4")
    assert keep_inside(answer, context, BlockRange(PATH, 4, 5)) is answer
    assert answer.blocks_outside == 0


async def test_a_claim_from_a_block_outside_is_taken_out_and_its_blocks_are_counted() -> None:
    context = context_of_chunks([(chunk(STANDING, WALKING, first_block=4), 1.0)])
    answer = await answered(context, "S1.1", "S1.4")
    kept = keep_inside(answer, context, BlockRange(PATH, 5, 9))
    assert kept.blocks_outside == 1
    assert [claim.text for claim in kept.claims] == [WALKING[0]]
    assert kept.status == "partial"
    assert STANDING[0] not in str((kept.text, kept.claims, kept.citations))


async def test_quotes_that_stand_for_claims_are_kept_inside_too() -> None:
    context = context_of_chunks([(chunk(STANDING, WALKING, first_block=4), 1.0)])
    lies = (("Ankles end 99 falls.", ("S1.1",)), ("A capture step ends 99 falls.", ("S1.4",)))
    answer = await answer_from(
        "What ends a fall of the ankle strategy?", context, Scripted(*lies), OPEN, "book", SOON
    )
    assert [claim.text for claim in answer.claims] == [STANDING[0], WALKING[0]]
    kept = keep_inside(answer, context, BlockRange(PATH, 5, 9))
    assert [claim.text for claim in kept.claims] == [WALKING[0]]
    assert [check.claim.text for check in kept.shown] == [WALKING[0]]
    assert STANDING[0] not in str((kept.text, kept.claims, kept.citations))


async def test_an_answer_from_another_page_is_refused() -> None:
    context = context_of_chunks([(chunk(STANDING, first_block=4), 1.0)])
    kept = keep_inside(await answered(context, "S1.1"), context, BlockRange("docs/no.md", 0, 9))
    assert (kept.status, kept.refusal, kept.text) == ("refused", "not_grounded", NOT_IN_SELECTION)
    assert (kept.claims, kept.citations, kept.blocks_outside) == ((), (), 1)


async def test_a_block_outside_counts_even_when_nobody_cites_it() -> None:
    context = context_of_chunks([(chunk(STANDING, WALKING, first_block=4), 1.0)])
    answer = await answered(context, "S1.4")
    kept = keep_inside(answer, context, BlockRange(PATH, 5, 5))
    assert kept.blocks_outside == 1
    assert kept.claims == answer.claims


HIGHLIGHT = {"text": "a", "source_path": PATH, "start_block": 0, "end_block": 3}


@pytest.mark.parametrize(
    "change",
    [
        {"start_block": 4},
        {"start_block": -1},
        {"start_block": True},
        {"start_block": "1"},
        {"start_block": 1.0},
        {"end_block": 10**7},
        {"end_block": None},
        {"source_path": " "},
        {"text": "\x00 "},
    ],
)
def test_a_range_that_is_none_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        HighlightBody.model_validate(HIGHLIGHT | change)


def asked(**fields: object) -> QueryRequest:
    return QueryRequest.model_validate({"question": "Why?", "session_id": "s"} | fields)


def test_the_mode_is_the_one_the_reader_chose() -> None:
    assert asked().answered_mode == asked(mode="book-wide").answered_mode == "book-wide"
    assert asked(highlight=HIGHLIGHT).answered_mode == "highlight"
    assert asked(highlight=HIGHLIGHT, mode="highlight").answered_mode == "highlight"


@pytest.mark.parametrize(
    "fields",
    [{"mode": "highlight"}, {"mode": "book-wide", "highlight": HIGHLIGHT}, {"highlight": {}}],
)
def test_a_mode_that_contradicts_the_body_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        asked(**fields)


def test_every_other_range_and_every_other_place_is_another_search() -> None:
    bodies = [
        asked(),
        asked(page={"version": "1.0"}),
        asked(page={"locale": "1.0"}),
        asked(chapter_context={"chapter_id": "ch1"}),
        asked(selected_text="gait"),
        asked(highlight=HIGHLIGHT),
        asked(highlight=HIGHLIGHT | {"end_block": 4}),
        asked(highlight=HIGHLIGHT | {"source_path": PATH.upper()}),
    ]
    assert len({body.search_key() for body in bodies}) == len(bodies)
    assert len({body.highlight_key() for body in bodies}) == 4
