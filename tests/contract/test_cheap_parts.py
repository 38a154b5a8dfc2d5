"""The parts that cost nothing behave as the real ones do."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import Any

import pytest
from moto import mock_aws

from functions.adapters.aws.object_store import ObjectStore, ObjectTooLarge
from functions.adapters.openai.embeddings import Embeddings
from quoth.events.resources import s3_client
from tests.integration.cheap_parts import HashedEmbeddings, MemoryBucket
from tests.openai_server.service import OpenAIServer

WIDTH = 64


class S3Bucket:
    """A real bucket with the two changes that `MemoryBucket` offers."""

    def __init__(self) -> None:
        self.client = s3_client("https://s3.us-east-1.amazonaws.com")
        self.bucket = f"quoth-{uuid.uuid4().hex}"
        self.client.create_bucket(Bucket=self.bucket)
        self.client.put_bucket_versioning(
            Bucket=self.bucket, VersioningConfiguration={"Status": "Enabled"}
        )
        store = ObjectStore(self.bucket, self.client)
        self.read, self.list_keys = store.read, store.list_keys

    def put(self, key: str, data: bytes) -> str:
        return self.client.put_object(Bucket=self.bucket, Key=key, Body=data)["VersionId"]

    def delete(self, key: str) -> None:
        self.client.delete_object(Bucket=self.bucket, Key=key)


@pytest.fixture(params=["memory", "moto"])
def bucket(request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param == "memory":
        yield MemoryBucket()
    else:
        with mock_aws():
            yield S3Bucket()


@pytest.fixture(params=["hashed", "service"])
async def embeddings(
    request: pytest.FixtureRequest, openai_server: OpenAIServer
) -> AsyncIterator[Any]:
    if request.param == "hashed":
        made: Any = HashedEmbeddings(WIDTH)
    else:
        made = Embeddings(
            openai_server.base_url, openai_server.api_key, "text-embedding-3-small", WIDTH
        )
    yield made
    await made.close()


async def test_a_bucket_gives_the_newest_version_until_it_is_deleted(bucket: Any) -> None:
    first = bucket.put("docs/a b.md", b"one")
    second = bucket.put("docs/a b.md", b"two")
    found = await bucket.read("docs/a b.md")
    assert (found.data, found.version_id) == (b"two", second)
    assert first != second
    assert found.last_modified.utcoffset() == timedelta(0)
    bucket.delete("docs/a b.md")
    bucket.delete("docs/never.md")
    assert await bucket.read("docs/a b.md") is None
    assert await bucket.list_keys() == []


async def test_a_bucket_lists_what_is_there_by_key_and_refuses_what_is_too_large(
    bucket: Any,
) -> None:
    versions = {key: bucket.put(key, key.encode()) for key in ("b.md", "a.md", "c.png")}
    listed = await bucket.list_keys()
    assert [(each.key, each.version_id, each.size) for each in listed] == [
        (key, versions[key], len(key)) for key in ("a.md", "b.md", "c.png")
    ]
    with pytest.raises(ObjectTooLarge):
        await bucket.read("a.md", 3)


async def test_each_text_has_one_vector_in_the_order_of_the_texts(embeddings: Any) -> None:
    texts = ["a gait", "balance", "a gait", "Torque, in newton metres"]
    vectors = await embeddings.embed(texts, 10.0)
    assert [len(vector) for vector in vectors] == [WIDTH] * 4
    assert vectors[0] == pytest.approx(vectors[2])
    assert vectors[0] != pytest.approx(vectors[1])
    assert (await embeddings.embed(["balance"], 10.0))[0] == pytest.approx(vectors[1])
    assert await embeddings.embed([], 10.0) == []
    assert all(any(number != 0 for number in vector) for vector in vectors)
