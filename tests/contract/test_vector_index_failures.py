"""What the chunk index says when it does not fit, is away or answers with something else."""

from __future__ import annotations

import httpx2
import pytest

from functions.adapters.qdrant.chunk_index import (
    ChunkIndex,
    IndexMismatch,
    IndexMissing,
    IndexUnavailable,
)
from functions.adapters.qdrant.chunk_search import (
    ChapterNames,
    ChunkSearch,
    SearchFilters,
    SearchUnavailable,
)
from tests.contract.chunk_points import SIZE, axis, chunk

ANYTHING = SearchFilters()


async def test_vectors_of_another_model_are_refused_with_the_remedy(
    index: ChunkIndex, search: ChunkSearch
) -> None:
    with pytest.raises(IndexMismatch, match="index the book"):
        await index.ensure(SIZE + 1)
    with pytest.raises(IndexMismatch, match="index the book again"):
        await index.add([chunk(0, vectors=[[1.0, 2.0]])])
    with pytest.raises(IndexMismatch, match="index the book again"):
        await search.search("robot", [1.0, 2.0], ANYTHING, limit=3)
    assert await index.count() == 0


async def test_a_missing_collection_is_named_with_the_remedy(
    index: ChunkIndex, search: ChunkSearch
) -> None:
    await index.delete()
    with pytest.raises(IndexMissing, match="index the book first"):
        await search.search("robot", axis(0), ANYTHING, limit=3)
    with pytest.raises(IndexMissing, match=r"ensure\(\)"):
        await index.add([chunk(0)])


async def test_a_search_over_its_time_is_given_up(search: ChunkSearch) -> None:
    with pytest.raises(SearchUnavailable, match=r"within 1e-06 s"):
        await search.search("robot", axis(0), ANYTHING, limit=3, timeout_s=1e-6)


async def test_an_index_that_is_down_is_named_so(unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}"
    index, search = ChunkIndex(url, None, "book"), ChunkSearch(url, None, "book", timeout_s=5)
    with pytest.raises(IndexUnavailable, match="cannot be reached"):
        await index.count()
    with pytest.raises(SearchUnavailable, match="cannot be reached"):
        await search.search("robot", axis(0), ANYTHING, limit=3)
    await index.aclose()
    await search.aclose()


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (httpx2.Response(503, text="upstream"), "answers 503"),
        (httpx2.Response(403, json={"status": {"error": "forbidden"}}), "check the key"),
        (httpx2.Response(200, text="<html>"), "not Qdrant"),
        (httpx2.Response(200, json={"result": []}), "0 of 3"),
    ],
)
async def test_an_answer_that_is_no_result_makes_the_search_unavailable(
    response: httpx2.Response, message: str
) -> None:
    client = httpx2.AsyncClient(transport=httpx2.MockTransport(lambda _: response))
    search = ChunkSearch("https://qdrant.test", "key", "book", timeout_s=5, client=client)
    with pytest.raises(SearchUnavailable, match=message):
        await search.search("robot", axis(0), ANYTHING, limit=3)
    await search.aclose()


async def test_a_hybrid_search_is_one_round_trip_with_the_key() -> None:
    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, json={"result": [{"points": []}] * 4})

    client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    search = ChunkSearch("https://qdrant.test:6333/", "key", "a book", 5, client)
    await search.search("robot", axis(0), ANYTHING, limit=3, chapter=ChapterNames(("ch1",)))
    await search.aclose()
    assert [str(request.url) for request in seen] == [
        "https://qdrant.test:6333/collections/a%20book/points/query/batch"
    ]
    assert seen[0].headers["api-key"] == "key"
