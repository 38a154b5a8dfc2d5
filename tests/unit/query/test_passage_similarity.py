"""How near each sentence stands: told by the passage that holds it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.adapters.qdrant.chunk_search import Hit
from functions.adapters.qdrant.passage_vectors import pack_vectors, passage_cosines
from functions.answer.write.quote_writer import QuoteWriter
from functions.book.chunks.passages import pack_passages, passage_starts, sentences_in_passages
from functions.query.retrieval.merge_adjacent import merged_context
from functions.query.retrieval.rerank import passage_similarities, rank_chunks
from quoth.calibrate.local_index import chunks_of_book
from tests.unit.answer.contexts import BOOK, STANDING, WALKING, chunk

NUMBERS = st.floats(-1, 1, allow_nan=False, allow_subnormal=False)
VECTORS = st.lists(NUMBERS, min_size=16, max_size=16).filter(lambda v: math.hypot(*v) > 0.1)


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    dot = sum(a * b for a, b in zip(one, other, strict=True))
    return dot / math.hypot(*one) / math.hypot(*other)


@given(st.lists(VECTORS, min_size=1, max_size=4), VECTORS)
def test_a_packed_vector_has_the_cosine_of_the_vector(
    vectors: list[list[float]], question: list[float]
) -> None:
    starts = list(range(len(vectors)))
    packed = {"starts": starts, "vectors": pack_vectors(vectors)}
    found = passage_cosines(packed, question)
    assert [start for start, _ in found] == starts
    for (_, told), vector in zip(found, vectors, strict=True):
        assert told == pytest.approx(cosine(vector, question), abs=0.02)


@pytest.mark.parametrize(
    "packed",
    [
        None,
        {},
        {"starts": [0]},
        {"starts": [0, 1], "vectors": pack_vectors([[1.0, 0.0]])},
        {"starts": [0], "vectors": pack_vectors([[1.0, 0.0, 0.0]])},
        {"starts": [0], "vectors": ["not base64"]},
        {"starts": [0], "vectors": [7]},
    ],
)
def test_an_index_without_vectors_of_this_model_tells_nothing(
    packed: dict[str, object] | None,
) -> None:
    assert passage_cosines(packed, [1.0, 0.0]) == ()


def test_every_passage_of_the_sample_book_begins_where_it_is_told_to() -> None:
    for each in chunks_of_book(BOOK):
        sentences = [sentence.text for _, sentence in sentences_in_passages(each.chunk.parts)]
        starts = passage_starts(each.chunk.parts, each.passages)
        assert len(starts) == (len(each.passages) if sentences else 0)
        title = each.passages[0].split(": ")[0] if not each.chunk.titles else each.chunk.titles[-1]
        front = min(len(title.split()), 20)
        for passage, start in zip(each.passages if sentences else (), starts, strict=True):
            body = passage.split()[front:]
            own = len(sentences[start].split())
            onward = " ".join(sentences[start:]).split()[: own + 2]
            assert " ".join(body[:3]) in " ".join(onward)


def test_headings_alone_begin_with_no_sentence() -> None:
    parts = chunk(["Balance"], kind="heading").parts
    assert passage_starts(parts, pack_passages("Balance", parts, 90)) == ()


def hit(passages: tuple[tuple[int, float], ...]) -> Hit:
    return Hit("", 1.0, None, None, {}, passages)


def test_a_sentence_in_two_passages_has_the_nearer_one() -> None:
    found = [(chunk(STANDING), 1.0)]
    passages = passage_similarities(found, [hit(((0, 0.1), (1, 0.3), (1, 0.5)))])
    assert sorted(passages.values()) == [0.1, 0.5, 0.5]


def test_without_passages_nothing_is_near_and_ranking_goes_by_words() -> None:
    found = [(chunk(STANDING), 1.0), (chunk(WALKING, path="docs/other.md"), 0.9)]
    passages = passage_similarities(found, [hit(()), hit(())])
    assert passages == {}
    question = "When did Honda show the P2?"
    assert rank_chunks(question, found, passages) == rank_chunks(question, found)
    assert not any(
        sentence.passage_similarity
        for sentence in merged_context(found, passages=passages).sentences
    )


def test_of_chunks_that_fit_alike_by_words_the_nearer_one_comes_first() -> None:
    left, right = (chunk(["It walks."], path=f"docs/{name}.md") for name in ("left", "right"))
    found = [(left, 1.0), (right, 1.0)]
    passages = passage_similarities(found, [hit(((0, 0.2),)), hit(((0, 0.6),))])
    ranked = rank_chunks("How does a robot get about?", found, passages)
    assert [each.source_path for each, _ in ranked] == ["docs/right.md", "docs/left.md"]


def test_of_sentences_that_fit_alike_the_one_in_the_nearer_passage_is_quoted() -> None:
    found = [(chunk(["Springs push."], ["Dampers resist."]), 1.0)]
    passages = passage_similarities(found, [hit(((0, 0.1), (1, 0.6)))])
    context = merged_context(found, passages=passages)
    draft = QuoteWriter(1).pick("What slows a swing down?", context)
    assert [claim.text for claim in draft.claims] == ["Dampers resist."]
