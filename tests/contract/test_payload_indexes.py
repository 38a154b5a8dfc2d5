"""Each filter of the chunk index is used, and refused where its payload index is missing."""

from __future__ import annotations

from uuid import uuid4

import pytest

import functions.adapters.qdrant.chunk_index
from functions.adapters.qdrant.chunk_index import ChunkIndex, IndexMismatch
from functions.adapters.qdrant.chunk_search import ChapterNames, ChunkSearch, SearchFilters
from functions.adapters.qdrant.schema import payload_indexes
from tests.contract.chunk_points import SIZE, axis, chunk
from tests.contract.conftest import Address

INTRO = "docs/intro.md"


@pytest.mark.parametrize(
    "field",
    ["active", "policy", "version", "locale", "source_path", "first_block", "last_block",
     "chapter_id", "chunk.chapter.number"],
)  # fmt: skip
async def test_every_filter_of_a_search_needs_its_index_and_has_it(
    index: ChunkIndex,
    search: ChunkSearch,
    vector_address: Address,
    monkeypatch: pytest.MonkeyPatch,
    field: str,
) -> None:
    everything = SearchFilters("current", "en", INTRO, (0, 9))
    chapter = ChapterNames(("ch1",), 1)
    await index.add([chunk(0)], active=True)
    found = await search.search("humanoid", axis(0), everything, 3, chapter=chapter)
    assert [hit.chunk_id for hit in found.hits] == ["chunk-0"]
    lacking = await without_index(field, vector_address, monkeypatch)
    poorer = ChunkSearch(vector_address.url, vector_address.api_key, lacking.collection, 30)
    with pytest.raises(IndexMismatch, match=field):
        await poorer.search("humanoid", axis(0), everything, 3, chapter=chapter)
    await poorer.aclose()
    await lacking.delete()
    await lacking.aclose()


async def test_swapping_generations_needs_the_index_of_the_generation(
    vector_address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = await without_index("generation", vector_address, monkeypatch)
    await lacking.add([chunk(0)], active=True)
    with pytest.raises(IndexMismatch, match="generation"):
        await lacking.activate("intro", 2)
    await lacking.delete()
    await lacking.aclose()


async def without_index(
    field: str, address: Address, monkeypatch: pytest.MonkeyPatch
) -> ChunkIndex:
    """A collection that lacks one payload index."""
    kept = {name: schema for name, schema in payload_indexes().items() if name != field}
    monkeypatch.setattr(functions.adapters.qdrant.chunk_index, "payload_indexes", lambda: kept)
    index = ChunkIndex(address.url, address.api_key, f"quoth-test-{uuid4().hex}")
    await index.ensure(SIZE)
    return index
