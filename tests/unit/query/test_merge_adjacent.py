"""Neighbouring chunks are read as one stretch, and nothing of them is lost or said twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from functions.answer.context import context_of_chunks
from functions.answer.write.quote_writer import QuoteWriter
from functions.book.chunks.chunk import StoredChunk
from functions.query.retrieval.merge_adjacent import merged_context
from quoth.calibrate.local_index import chunks_of_book
from tests.unit.answer.contexts import BOOK, SOON, STANDING, WALKING, chunk


@cache
def sample_chunks() -> tuple[StoredChunk, ...]:
    return tuple(each.chunk for each in chunks_of_book(BOOK))


def neighbours() -> tuple[StoredChunk, StoredChunk]:
    first = chunk(STANDING, first_block=4)
    return first, replace(chunk(WALKING, first_block=5), ordinal=1)


def places(chunks: list[tuple[StoredChunk, float]], *, joined: bool) -> Counter[tuple[object, ...]]:
    context = (merged_context if joined else context_of_chunks)(chunks)
    return Counter(
        (context.sources[s.source].chunk.document_id, s.block, s.first_line, s.text)  # type: ignore[union-attr]
        for s in context.sentences
    )


@given(st.lists(st.sampled_from(range(len(sample_chunks()))), unique=True, max_size=12), st.data())
def test_joining_keeps_every_sentence_and_every_chunk(ats: list[int], data: st.DataObject) -> None:
    near = [at + data.draw(st.integers(0, 2)) for at in ats]
    found = [(sample_chunks()[at], 1 / (n + 1)) for n, at in enumerate(dict.fromkeys(near))
             if at < len(sample_chunks())]  # fmt: skip
    assert places(found, joined=True) == places(found, joined=False)
    context = merged_context(found)
    members = [row for source in context.sources for row in source.chunks]
    with_sentences = [row for source in context_of_chunks(found).sources for row in source.chunks]
    assert {chunk.chunk_id for chunk, _ in with_sentences} <= {c.chunk_id for c, _ in members}
    relevances = [source.relevance for source in context.sources]
    assert relevances == sorted(relevances, reverse=True)
    for source in context.sources:
        ordinals = [chunk.ordinal for chunk, _ in source.chunks]
        assert ordinals == list(range(ordinals[0], ordinals[0] + len(ordinals)))


def test_two_neighbours_are_one_source_in_the_books_order() -> None:
    first, second = neighbours()
    context = merged_context([(second, 1.0), (first, 0.5)])
    (source,) = context.sources
    assert [sentence.text for sentence in context.sentences] == [*STANDING, *WALKING]
    assert source.relevance == 1.0
    assert source.chunks == ((first, 0.5), (second, 1.0))
    assert source.chunk is not None
    assert source.chunk.text == f"{first.text}\n\n{second.text}"


def test_a_chunk_between_joins_those_beside_it() -> None:
    chunks = [replace(chunk((f"Sentence {n} walks.",), first_block=n), ordinal=n) for n in range(3)]
    context = merged_context([(chunks[0], 1.0), (chunks[2], 0.9), (chunks[1], 0.2)])
    assert [len(source.chunks) for source in context.sources] == [3]
    assert [sentence.block for sentence in context.sentences] == [0, 1, 2]


def test_other_sections_pages_and_generations_stay_apart() -> None:
    first, second = neighbours()
    for other in (
        replace(second, titles=("Balance", "Walking"), url="/balance#walking"),
        replace(second, document_id="another"),
        replace(second, generation=2),
        replace(second, ordinal=2),
    ):
        assert len(merged_context([(first, 1.0), (other, 0.9)]).sources) == 2


def test_what_neighbours_share_is_said_once() -> None:
    first, second = neighbours()
    again = replace(second, parts=(first.parts[0], *second.parts))
    context = merged_context([(first, 1.0), (again, 0.9)])
    assert [sentence.text for sentence in context.sentences] == [*STANDING, *WALKING]


async def test_what_one_of_them_may_only_quote_is_only_quoted() -> None:
    first, second = neighbours()
    context = merged_context([(first, 1.0), (replace(second, policy="quote-only"), 0.9)])
    assert context.sources[0].chunk is not None
    assert context.sources[0].chunk.policy == "quote-only"
    draft = await QuoteWriter().write("What ends a fall?", context, SOON)
    quoted = [context.by_id[id].text for claim in draft.claims for id in claim.sentence_ids]
    assert [claim.text for claim in draft.claims] == [" ".join(quoted)]
