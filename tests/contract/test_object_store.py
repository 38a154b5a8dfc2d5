"""The bucket's adapter, against moto and against the emulator that `quoth up` runs."""

from __future__ import annotations

import socket
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from moto import mock_aws

from functions.adapters.aws.object_store import ObjectStore, ObjectStoreUnavailable, ObjectTooLarge
from quoth.events.emulator import running_emulator
from quoth.events.resources import s3_client


@dataclass(frozen=True)
class Bucket:
    name: str
    client: Any

    def put(self, key: str, data: bytes) -> str:
        return self.client.put_object(Bucket=self.name, Key=key, Body=data)["VersionId"]

    def delete(self, key: str) -> None:
        self.client.delete_object(Bucket=self.name, Key=key)


@pytest.fixture(scope="module", params=["moto", "emulator"])
def client(request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param == "moto":
        with mock_aws():
            yield s3_client("https://s3.us-east-1.amazonaws.com")
    else:
        with running_emulator() as emulator:
            yield emulator.s3()


@pytest.fixture
def bucket(client: Any) -> Bucket:
    name = f"quoth-{uuid.uuid4().hex}"
    client.create_bucket(Bucket=name)
    client.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    return Bucket(name, client)


@pytest.fixture
def store(bucket: Bucket) -> ObjectStore:
    return ObjectStore(bucket.name, bucket.client)


@pytest.mark.parametrize("key", ["docs/a.md", "docs/a b+c%20é.md", "docs/日本語.mdx", "x" * 900])
async def test_reads_the_newest_version_whatever_the_key(
    store: ObjectStore, bucket: Bucket, key: str
) -> None:
    bucket.put(key, b"old")
    version = bucket.put(key, b"new \xff bytes")
    found = await store.read(key)
    assert found is not None
    assert (found.data, found.version_id) == (b"new \xff bytes", version)
    assert found.last_modified.tzinfo is not None


async def test_finds_nothing_where_an_object_was_deleted_or_never_was(
    store: ObjectStore, bucket: Bucket
) -> None:
    bucket.put("docs/a.md", b"text")
    bucket.delete("docs/a.md")
    assert await store.read("docs/a.md") is None
    assert await store.read("docs/never.md") is None
    bucket.put("docs/a.md", b"again")
    found = await store.read("docs/a.md")
    assert found is not None
    assert found.data == b"again"


async def test_does_not_read_an_object_that_is_too_large(
    store: ObjectStore, bucket: Bucket
) -> None:
    bucket.put("docs/a.md", b"x" * 101)
    with pytest.raises(ObjectTooLarge, match="101 bytes"):
        await store.read("docs/a.md", max_bytes=100)
    bucket.put("docs/a.md", b"x" * 100)
    assert await store.read("docs/a.md", max_bytes=100) is not None


async def test_lists_every_object_once_with_its_newest_version(
    store: ObjectStore, bucket: Bucket
) -> None:
    bucket.put("docs/a.md", b"1")
    newest = bucket.put("docs/a.md", b"two")
    bucket.put("docs/gone.md", b"3")
    bucket.delete("docs/gone.md")
    for number in range(30):
        bucket.put(f"docs/many/{number:02} ü.md", b"")
    listed = await store.list_keys()
    assert [each.key for each in listed] == sorted(
        ["docs/a.md", *(f"docs/many/{number:02} ü.md" for number in range(30))]
    )
    assert (listed[0].version_id, listed[0].size) == (newest, 3)


async def test_a_missing_bucket_is_not_taken_for_a_deleted_object(client: Any) -> None:
    store = ObjectStore("quoth-no-such-bucket", client)
    with pytest.raises(ObjectStoreUnavailable, match="quoth-no-such-bucket"):
        await store.read("docs/a.md")
    with pytest.raises(ObjectStoreUnavailable):
        await store.list_keys()


async def test_a_store_that_does_not_answer_is_unavailable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        store = ObjectStore("book", s3_client(f"http://127.0.0.1:{taken.getsockname()[1]}"))
        with pytest.raises(ObjectStoreUnavailable):
            await store.read("docs/a.md")
