"""The bucket with the book's source files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

T = TypeVar("T")

CONNECT_SECONDS = 3
READ_SECONDS = 20
ATTEMPTS = 3
MAX_BYTES = 64_000_000

_GONE = frozenset({"NoSuchKey", "404", "NotFound"})

RIGHTS = ("s3:GetObject", "s3:GetObjectVersion", "s3:ListBucket", "s3:ListBucketVersions")
"""The permissions that the role of ingest needs for the bucket."""


class ObjectStoreUnavailable(Exception):
    """The bucket did not answer, or refused: its state is unknown. Try again later."""


class ObjectTooLarge(Exception):
    """The object exceeds the size limit. Trying again does not help."""


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object's newest version. `last_modified` is time-zone aware."""

    data: bytes
    version_id: str
    last_modified: datetime


@dataclass(frozen=True, slots=True)
class ListedObject:
    """An object in the bucket's listing, with its newest version."""

    key: str
    version_id: str
    size: int


class ObjectStore:
    """Reads one versioned bucket. Address and credentials come from the AWS environment.

    `client` is for a local stack. Every method raises
    ObjectStoreUnavailable.
    """

    def __init__(self, bucket: str, client: S3Client | None = None) -> None:
        self.bucket = bucket
        self._client = client

    async def read(self, key: str, max_bytes: int = MAX_BYTES) -> StoredObject | None:
        """The newest version of an object; None if it is deleted. Raises ObjectTooLarge."""
        return await asyncio.to_thread(self._read, key, max_bytes)

    async def list_keys(self) -> list[ListedObject]:
        """All objects that are not deleted, by key. Needs `s3:ListBucketVersions`."""
        return await asyncio.to_thread(self._list)

    def _connected(self) -> S3Client:
        if self._client is None:
            # Imported here: it comes with the Lambda runtime and is not needed to start.
            import boto3
            from botocore.config import Config

            self._client = boto3.client(
                "s3",
                config=Config(
                    connect_timeout=CONNECT_SECONDS,
                    read_timeout=READ_SECONDS,
                    retries={"total_max_attempts": ATTEMPTS, "mode": "standard"},
                ),
            )
        return self._client

    def _read(self, key: str, max_bytes: int) -> StoredObject | None:
        def get() -> StoredObject:
            answer = self._connected().get_object(Bucket=self.bucket, Key=key)
            with answer["Body"] as body:
                if answer["ContentLength"] > max_bytes:
                    raise ObjectTooLarge(
                        f"the file has {answer['ContentLength']:,} bytes; "
                        f"at most {max_bytes:,} are read"
                    )
                return StoredObject(
                    data=body.read(),
                    version_id=answer.get("VersionId", ""),
                    last_modified=answer["LastModified"],
                )

        with self._translated():
            return _none_when_gone(get)

    def _list(self) -> list[ListedObject]:
        with self._translated():
            pages = self._connected().get_paginator("list_object_versions")
            return sorted(
                (
                    ListedObject(found["Key"], found.get("VersionId", ""), found["Size"])
                    for page in pages.paginate(Bucket=self.bucket)
                    for found in page.get("Versions", [])
                    if found["IsLatest"]
                ),
                key=lambda found: found.key,
            )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

        try:
            yield
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            # Without the permission to list, S3 answers "access denied" for missing objects.
            hint = f"; it needs {', '.join(RIGHTS)}" if code == "AccessDenied" else ""
            raise ObjectStoreUnavailable(f"the bucket {self.bucket!r}: {error}{hint}") from error
        except (BotoCoreError, HTTPClientError, OSError) as error:
            raise ObjectStoreUnavailable(f"the bucket {self.bucket!r}: {error}") from error


def _none_when_gone(get: Callable[[], T]) -> T | None:
    from botocore.exceptions import ClientError

    try:
        return get()
    except ClientError as error:
        if error.response.get("Error", {}).get("Code", "") in _GONE:
            return None
        raise
