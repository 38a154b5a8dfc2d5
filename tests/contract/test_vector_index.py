"""The chunk index, the same for the local server and, where QDRANT_URL names one, a real server."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest

from functions.adapters.qdrant.chunk_index import (
    PAGE,
    ChunkIndex,
    Generation,
    IndexedChunk,
)
from functions.adapters.qdrant.chunk_search import (
    ChapterNames,
    ChunkSearch,
    SearchFilters,
)
from tests.contract.chunk_points import SIZE, axis, chunk

ANYTHING = SearchFilters()
INTRO = "docs/intro.md"


async def found(
    search: ChunkSearch, question: str, vector: Sequence[float], filters: SearchFilters = ANYTHING
) -> list[str]:
    result = await search.search(question, vector, filters, limit=10)
    return [hit.chunk_id for hit in result.hits]


async def test_a_chunk_is_found_only_once_its_generation_is_active(
    index: ChunkIndex, search: ChunkSearch
) -> None:
    await index.add([chunk(0), chunk(1)])
    assert await found(search, "humanoid", axis(0)) == []
    await index.activate("intro", 1)
    assert await found(search, "humanoid", axis(0)) == ["chunk-0", "chunk-1"]


async def test_a_hit_brings_back_what_was_stored_with_it(
    index: ChunkIndex, search: ChunkSearch
) -> None:
    stored = chunk(0)
    await index.add([stored], active=True)
    result = await search.search("humanoid", axis(0), ANYTHING, limit=3)
    assert result.hits[0].payload == stored.chunk


async def test_activating_a_generation_takes_the_older_ones_away(
    index: ChunkIndex, search: ChunkSearch
) -> None:
    await index.add([chunk(0), chunk(1)], active=True)
    await index.add([chunk(0, chunk_id="rewritten", generation=2)])
    await index.add([chunk(0, document_id="other", chunk_id="other")], active=True)
    assert await index.generations("intro") == (Generation(1, 2, 2), Generation(2, 1, 0))
    await index.activate("intro", 2)
    assert await index.generations("intro") == (Generation(2, 1, 1),)
    assert set(await found(search, "humanoid", axis(0))) == {"rewritten", "other"}


async def test_of_two_active_generations_of_a_document_only_the_newer_has_hits(
    index: ChunkIndex, search: ChunkSearch
) -> None:
    other = chunk(2, document_id="other")
    newer = chunk(0, chunk_id="newer", generation=2)
    await index.add([chunk(0), chunk(1), newer, other], active=True)
    assert sorted(await found(search, "humanoid", axis(0))) == ["chunk-2", "newer"]


async def test_writing_the_same_points_again_changes_nothing(index: ChunkIndex) -> None:
    await index.add([chunk(0), chunk(1)])
    await index.add([chunk(0), chunk(1)])
    assert await index.count() == 2


async def test_keyword_search_finds_other_forms_of_a_word_and_ignores_accents(
    index: ChunkIndex, search: ChunkSearch
) -> None:
    await index.add([chunk(n) for n in range(5)], active=True)
    walking = await search.keyword_search("Who was WALKING?", ANYTHING, limit=3)
    assert [hit.chunk_id for hit in walking.hits] == ["chunk-0"]
    cafe = await search.keyword_search("cafe", ANYTHING, limit=3)
    assert [hit.chunk_id for hit in cafe.hits] == ["chunk-4"]
    assert cafe.top_dense is None
    assert cafe.hits[0].bm25_score == cafe.top_bm25 == cafe.hits[0].score


@pytest.mark.parametrize("question", ["", "what is the of", "zebra", "?!"])
async def test_a_question_without_a_word_of_the_book_is_answered_by_meaning_alone(
    index: ChunkIndex, search: ChunkSearch, question: str
) -> None:
    await index.add([chunk(n) for n in range(5)], active=True)
    result = await search.search(question, axis(2), ANYTHING, limit=3)
    assert result.hits[0].chunk_id == "chunk-2"
    assert result.top_bm25 is None
    assert (await search.keyword_search(question, ANYTHING, limit=3)).hits == ()


async def test_the_best_passage_speaks_for_its_chunk(
    index: ChunkIndex, search: ChunkSearch
) -> None:
    one_good = chunk(0, vectors=[axis(5), axis(6), axis(1)])
    all_middling = chunk(1, vectors=[[1.0, 1.0, *[0.0] * 6]] * 3)
    await index.add([one_good, all_middling], active=True)
    result = await search.search("zebra", axis(1), ANYTHING, limit=2)
    scores = {hit.chunk_id: hit.dense_score for hit in result.hits}
    assert scores == pytest.approx({"chunk-0": 1.0, "chunk-1": math.sqrt(0.5)})
    assert result.top_dense == pytest.approx(1.0)


async def test_meaning_and_words_together_beat_either_alone(
    index: ChunkIndex, search: ChunkSearch
) -> None:
    near = [[0.9 if i == 2 else 0.1 for i in range(SIZE)]]
    both = chunk(0, "torque of a motor", chunk_id="both", vectors=near)
    by_meaning = chunk(1, "nothing alike", chunk_id="meaning", vectors=[axis(2)])
    by_words = chunk(2, "motor torque", chunk_id="words", vectors=[axis(7)])
    others = [chunk(n, f"filler number {n}", vectors=[axis(n % 2)]) for n in range(3, 12)]
    await index.add([both, by_meaning, by_words, *others], active=True)
    hits = await found(search, "motor torque", axis(2))
    assert hits[0] == "both"
    assert set(hits[:3]) == {"both", "meaning", "words"}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (SearchFilters(), {"chunk-0", "chunk-1", "chunk-2", "old", "german", "quote-only"}),
        (
            SearchFilters(version="current", locale="en"),
            {"chunk-0", "chunk-1", "chunk-2", "quote-only"},
        ),
        (SearchFilters(version="1.0"), {"old"}),
        (SearchFilters(locale="de"), {"german"}),
        (SearchFilters(source_path=INTRO), {"chunk-0", "chunk-1", "chunk-2"}),
        (SearchFilters(source_path=INTRO, blocks=(2, 5)), {"chunk-1", "chunk-2"}),
        (SearchFilters(source_path=INTRO, blocks=(1, 4)), {"chunk-0", "chunk-1", "chunk-2"}),
        (SearchFilters(source_path=INTRO, blocks=(3, 3)), {"chunk-1"}),
        (SearchFilters(source_path=INTRO, blocks=(3, 4)), {"chunk-1", "chunk-2"}),
        (SearchFilters(source_path=INTRO, blocks=(6, 99)), set()),
        (SearchFilters(source_path=INTRO, version="1.0", blocks=(0, 99)), set()),
        (SearchFilters(source_path="docs/none.md", blocks=(0, 99)), set()),
        (SearchFilters(version="2.0"), set()),
    ],
)
async def test_only_what_passes_the_filters_is_a_hit(
    index: ChunkIndex, search: ChunkSearch, filters: SearchFilters, expected: set[str]
) -> None:
    await index.add([chunk(0), chunk(1), chunk(2)], active=True)
    await index.add(
        [
            chunk(0, document_id="a", chunk_id="old", source_path="a.md", version="1.0"),
            chunk(0, document_id="b", chunk_id="german", source_path="b.md", locale="de"),
            chunk(
                0, document_id="c", chunk_id="quote-only", source_path="c.md", policy="quote-only"
            ),
            chunk(0, document_id="d", chunk_id="excluded", source_path="d.md", policy="exclude"),
        ],
        active=True,
    )
    await index.add([chunk(3, chunk_id="waiting")])
    assert set(await found(search, "robot humanoid motor", axis(0), filters)) == expected
    by_words = await search.keyword_search("humanoid lidar torque", filters, limit=10)
    assert {hit.chunk_id for hit in by_words.hits} == expected


@pytest.mark.parametrize(
    ("names", "known"),
    [
        (ChapterNames(("ch2",)), "ch2"),
        (ChapterNames(("Ch2", "ch2")), "ch2"),
        (ChapterNames(("3", "chapter-3"), 3), "ch3"),
        (ChapterNames((), 3), "ch3"),
        (ChapterNames(("ch9",)), None),
        (ChapterNames(("9",), 9), None),
    ],
)
async def test_tells_whether_the_book_has_the_chapter_without_changing_what_is_found(
    index: ChunkIndex, search: ChunkSearch, names: ChapterNames, known: str | None
) -> None:
    points = [
        chunk(n, "robot motor", chapter_id=f"ch{n}", chunk={"ordinal": n, "chapter": {"number": n}})
        for n in range(4)
    ]
    await index.add(points, active=True)
    plain = await search.search("robot motor", axis(0), ANYTHING, limit=4)
    named = await search.search("robot motor", axis(0), ANYTHING, 4, chapter=names)
    by_words = await search.keyword_search("robot motor", ANYTHING, 4, chapter=names)
    assert (plain.chapter_id, named.chapter_id, by_words.chapter_id) == (None, known, known)
    by_id = {hit.chunk_id: hit for hit in plain.hits}  # equal scores come in any order
    assert {hit.chunk_id: hit for hit in named.hits} == by_id


async def test_a_chapter_of_another_version_is_not_known(
    index: ChunkIndex, search: ChunkSearch
) -> None:
    await index.add([chunk(0, chapter_id="ch1", version="1.0")], active=True)
    names, newer = ChapterNames(("ch1",)), SearchFilters(version="2.0")
    assert (await search.search("robot", axis(0), newer, 4, chapter=names)).chapter_id is None


async def test_removing_a_document_leaves_the_others(index: ChunkIndex) -> None:
    await index.add([chunk(0), chunk(1), chunk(0, document_id="other")])
    await index.remove("intro")
    await index.remove("intro")
    assert (await index.count(), await index.count("intro"), await index.count("other")) == (
        1,
        0,
        1,
    )


async def test_the_listing_goes_through_all_pages(index: ChunkIndex) -> None:
    points = [chunk(n) for n in range(PAGE + 3)]
    await index.add(points)
    listed = [each async for each in index.list_chunks()]
    assert sorted(each.chunk_id for each in listed) == sorted(point.chunk_id for point in points)
    expected = IndexedChunk("chunk-0", "intro", "docs/intro.md", "current", 1, False)
    assert expected in listed


async def test_the_listing_gives_vectors_back_when_asked(index: ChunkIndex) -> None:
    await index.add([chunk(0, vectors=[axis(3), axis(4)])])
    listed = [each async for each in index.list_chunks("intro", vectors=True)]
    assert [each.vectors for each in listed] == [(tuple(axis(3)), tuple(axis(4)))]


async def test_a_large_document_is_written_in_several_requests(index: ChunkIndex) -> None:
    generator = random.Random(7)
    rows = [[generator.gauss(0, 1) for _ in range(SIZE)] for _ in range(10_000)]
    await index.add([chunk(n, vectors=rows) for n in range(7)])
    assert await index.count() == 7


async def test_ensuring_again_keeps_the_points(index: ChunkIndex) -> None:
    await index.add([chunk(0)])
    await index.ensure(SIZE)
    assert await index.count() == 1
