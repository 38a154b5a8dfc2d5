"""Names of the index that move from one collection to another."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from functions.adapters.qdrant.aliases import IndexAliases
from functions.adapters.qdrant.chunk_index import ChunkIndex, IndexUnavailable
from functions.adapters.qdrant.chunk_search import ChunkSearch, SearchFilters
from tests.contract.chunk_points import SIZE, chunk
from tests.contract.conftest import Address


@pytest.fixture
async def name(vector_address: Address) -> AsyncIterator[str]:
    """A name of the index that nothing has; what begins with it is deleted afterwards."""
    name = f"quoth-test-{uuid4().hex}"
    yield name
    aliases = IndexAliases(vector_address.url, vector_address.api_key)
    for collection in await aliases.collections(name):
        await aliases.delete(collection)
    await aliases.aclose()


@pytest.fixture
async def aliases(vector_address: Address) -> AsyncIterator[IndexAliases]:
    aliases = IndexAliases(vector_address.url, vector_address.api_key)
    yield aliases
    await aliases.aclose()


async def filled(address: Address, collection: str, *texts: str) -> None:
    index = ChunkIndex(address.url, address.api_key, collection)
    await index.ensure(SIZE)
    await index.add([chunk(n, text) for n, text in enumerate(texts)], active=True)
    await index.aclose()


async def words_found(address: Address, name: str) -> list[str]:
    search = ChunkSearch(address.url, address.api_key, name, timeout_s=30)
    found = await search.keyword_search("robot", SearchFilters(), limit=5)
    await search.aclose()
    return [str(hit.payload["text"]) for hit in found.hits]


async def test_a_name_finds_its_own_collection_then_the_one_it_is_switched_to(
    vector_address: Address, aliases: IndexAliases, name: str
) -> None:
    assert await aliases.collection_of(name) is None
    await filled(vector_address, name, "a plain robot")
    await filled(vector_address, f"{name}--1", "a new robot")
    await filled(vector_address, f"{name}--2", "a newer robot")
    assert await aliases.collection_of(name) == name
    assert await words_found(vector_address, name) == ["a plain robot"]
    await aliases.switch(name, f"{name}--1")
    assert await words_found(vector_address, name) == ["a new robot"]
    await aliases.switch(name, f"{name}--2")
    assert await aliases.collection_of(name) == f"{name}--2"
    assert await words_found(vector_address, name) == ["a newer robot"]
    assert await aliases.collections(f"{name}--") == [f"{name}--1", f"{name}--2"]
    await aliases.delete(f"{name}--1")
    await aliases.delete(f"{name}--1")
    assert await aliases.collections(f"{name}--") == [f"{name}--2"]


async def test_writes_through_a_name_reach_the_collection_behind_it(
    vector_address: Address, aliases: IndexAliases, name: str
) -> None:
    await filled(vector_address, f"{name}--1")
    await aliases.switch(name, f"{name}--1")
    await filled(vector_address, name, "a robot written through the alias")
    assert await aliases.collections(name) == [f"{name}--1"]
    assert await words_found(vector_address, f"{name}--1") == ["a robot written through the alias"]


async def test_an_index_that_is_down_is_named_so(unused_tcp_port: int) -> None:
    aliases = IndexAliases(f"http://127.0.0.1:{unused_tcp_port}", None)
    with pytest.raises(IndexUnavailable, match="cannot be reached"):
        await aliases.collection_of("book")
    await aliases.aclose()
