from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from functions.answer.context import context_of_chunks, context_of_selection
from functions.book.chunks.chunk import StoredChunk
from tests.unit.answer.contexts import STANDING, WALKING, chunk, selection

words = st.text("abc ", min_size=1, max_size=6)
paragraphs = st.lists(st.lists(words, max_size=4), min_size=1, max_size=4)
chunks = st.builds(
    lambda texts, path, first: chunk(*texts, path=path, first_block=first),
    paragraphs,
    st.sampled_from(["docs/a.md", "docs/b.md"]),
    st.integers(1, 3),
)


@given(st.lists(st.tuples(chunks, st.floats(0, 1)), max_size=6))
def test_every_sentence_has_a_number_of_its_own_and_a_source(
    given_chunks: list[tuple[StoredChunk, float]],
) -> None:
    context = context_of_chunks(given_chunks)
    assert len(context.by_id) == len(context.sentences)
    for at, sentence in enumerate(context.sentences):
        source, number = (int(each) for each in sentence.id.removeprefix("S").split("."))
        assert source == sentence.source + 1
        assert number >= 1
        assert context.position[sentence.id] == at
        held = context.sources[sentence.source].chunk
        assert held is not None
        assert sentence.text in {s.text for part in held.parts for s in part.sentences}
    numbers = [sentence.id for sentence in context.sentences]
    assert {int(each.split(".")[0][1:]) for each in numbers} == set(
        range(1, len(context.sources) + 1)
    )


@given(chunks)
def test_a_chunk_found_twice_is_told_once(found: StoredChunk) -> None:
    once = context_of_chunks([(found, 1.0)])
    assert context_of_chunks([(found, 1.0), (found, 0.5)]).sentences == once.sentences


def test_an_overlap_of_two_chunks_is_told_once() -> None:
    both = context_of_chunks(
        [(chunk(STANDING, WALKING), 1.0), (chunk(WALKING, first_block=2), 0.5)]
    )
    assert [sentence.text for sentence in both.sentences] == [*STANDING, *WALKING]
    assert len(both.sources) == 1


def test_equal_words_at_two_places_are_told_twice() -> None:
    twice = context_of_chunks([(chunk(WALKING), 1.0), (chunk(WALKING, path="docs/b.md"), 0.5)])
    assert [sentence.text for sentence in twice.sentences] == [*WALKING, *WALKING]


def test_headings_are_titles_and_no_sentences() -> None:
    assert context_of_chunks([(chunk(("Balance",), kind="heading"), 1.0)]).sentences == ()


def test_a_selection_is_one_source_with_the_best_cosine_as_its_own() -> None:
    context = selection(similarities=(0.1, 0.7, 0.2, 0.0, -0.3))
    assert [source.kind for source in context.sources] == ["selection"]
    assert context.dense == 0.7
    assert [sentence.id for sentence in context.sentences] == [f"S1.{n}" for n in range(1, 6)]
    assert context.titles(context.sentences[0]) == ()
    assert context_of_selection(()).dense is None
