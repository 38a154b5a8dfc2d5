"""`book`: a new bucket, database and index for each test of ingest."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from moto import mock_aws

from functions.adapters.aws.object_store import ObjectStore
from functions.adapters.openai.embeddings import Embeddings
from functions.adapters.postgres.book_records import BookRecords
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.query_records import QueryRecords
from functions.adapters.qdrant.chunk_index import ChunkIndex
from functions.ingest.embed import IndexCheck
from functions.ingest.ingest_document import Ingest
from quoth.events.resources import s3_client
from tests.integration.ingest_book import (
    DIMENSIONS,
    LAYOUT,
    MODEL,
    Book,
)
from tests.openai_server.service import OpenAIServer
from tests.postgres_fixtures import BookDatabase
from tests.qdrant_process import running_server


@pytest.fixture(scope="module")
def book_qdrant_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_server(tmp_path_factory.mktemp("qdrant")) as server:
        yield server.url


@pytest.fixture
async def book_index(book_qdrant_url: str) -> AsyncIterator[ChunkIndex]:
    """One collection for the module, empty for each test: making one takes a second."""
    index = ChunkIndex(book_qdrant_url, None, "book")
    await index.ensure(DIMENSIONS)
    yield index
    for document_id in {chunk.document_id async for chunk in index.list_chunks()}:
        await index.remove(document_id)
    await index.aclose()


@pytest.fixture(scope="module")
def book_bucket_client() -> Iterator[Any]:
    with mock_aws():
        yield s3_client("https://s3.us-east-1.amazonaws.com")


@pytest.fixture
async def book(
    fresh_database: BookDatabase,
    connect: Callable[..., Database],
    openai_server: OpenAIServer,
    book_index: ChunkIndex,
    book_qdrant_url: str,
    book_bucket_client: Any,
) -> AsyncIterator[Book]:
    index, s3 = book_index, book_bucket_client
    bucket = f"quoth-{uuid.uuid4().hex}"
    s3.create_bucket(Bucket=bucket)
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    records = BookRecords(connect(fresh_database.dsn("quoth_ingest"), size=2))
    embeddings = Embeddings(
        openai_server.base_url, openai_server.api_key, MODEL, DIMENSIONS, patient=True
    )
    check = IndexCheck(records, index, MODEL, DIMENSIONS)
    ingest = Ingest(ObjectStore(bucket, s3), records, index, embeddings, check, LAYOUT)
    queries = QueryRecords(connect(fresh_database.dsn("quoth_query")))
    yield Book(ingest, s3, fresh_database, queries, openai_server, book_qdrant_url)
    await embeddings.close()
