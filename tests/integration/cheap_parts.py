"""Parts that cost nothing, for tests that need very many looks at keys.

Each behaves as the real one does; `tests/contract/test_cheap_parts.py` runs both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from functions.adapters.aws.object_store import (
    MAX_BYTES,
    ListedObject,
    ObjectTooLarge,
    StoredObject,
)

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


class HashedEmbeddings:
    """In the place of `Embeddings`: one vector for each text, from its hash; near means nothing."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions

    async def embed(self, texts: Sequence[str], timeout_s: float) -> list[list[float]]:
        return [self._vector(text) for text in texts]

    async def close(self) -> None:
        pass

    def _vector(self, text: str) -> list[float]:
        digest = hashlib.shake_256(text.encode()).digest(self._dimensions)
        return [(byte - 127.5) / 128 for byte in digest]


class MemoryBucket:
    """In the place of `ObjectStore` and its bucket. The newest version of each key counts."""

    def __init__(self, bucket: str = "memory") -> None:
        self.bucket = bucket
        self.objects: dict[str, StoredObject] = {}
        self._versions = 0

    def put(self, key: str, data: bytes) -> str:
        self._versions += 1
        version = f"v{self._versions}"
        modified = BEGINNING + timedelta(seconds=self._versions)
        self.objects[key] = StoredObject(data, version, modified)
        return version

    def delete(self, key: str) -> None:
        self.objects.pop(key, None)

    async def read(self, key: str, max_bytes: int = MAX_BYTES) -> StoredObject | None:
        found = self.objects.get(key)
        if found is not None and len(found.data) > max_bytes:
            raise ObjectTooLarge(f"the file has {len(found.data):,} bytes")
        return found

    async def list_keys(self) -> list[ListedObject]:
        return [
            ListedObject(key, found.version_id, len(found.data))
            for key, found in sorted(self.objects.items())
        ]
