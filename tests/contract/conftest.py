"""The vector index the contract tests run against.

The local server always, and a real one as well where QDRANT_URL names it.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from uuid import uuid4

import pytest

from functions.adapters.qdrant.chunk_index import ChunkIndex
from functions.adapters.qdrant.chunk_search import ChunkSearch
from tests.contract.chunk_points import SIZE
from tests.qdrant_process import running_server


@dataclass(frozen=True)
class Address:
    url: str
    api_key: str | None


@pytest.fixture(scope="module", params=["local server", "real server"])
def vector_address(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Address]:
    if request.param == "real server":
        url = os.environ.get("QDRANT_URL")
        if not url:
            pytest.skip("QDRANT_URL names no real Qdrant server")
        yield Address(url, os.environ.get("QDRANT_API_KEY"))
    else:
        with running_server(tmp_path_factory.mktemp("qdrant")) as server:
            yield Address(server.url, None)


@pytest.fixture
async def index(vector_address: Address) -> AsyncIterator[ChunkIndex]:
    index = ChunkIndex(vector_address.url, vector_address.api_key, f"quoth-test-{uuid4().hex}")
    await index.ensure(SIZE)
    yield index
    await index.delete()
    await index.aclose()


@pytest.fixture
async def search(vector_address: Address, index: ChunkIndex) -> AsyncIterator[ChunkSearch]:
    search = ChunkSearch(vector_address.url, vector_address.api_key, index.collection, timeout_s=30)
    yield search
    await search.aclose()
