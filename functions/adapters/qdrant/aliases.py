"""Aliases of collections: which one a name refers to, and the switch to another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from qdrant_client import models
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from functions.adapters.qdrant.chunk_index import new_client, unavailable

CONFLICT = 409
ATTEMPTS = 3


class IndexAliases:
    """Reads and changes aliases. Every method raises `IndexUnavailable`."""

    def __init__(self, url: str, api_key: str | None, timeout_s: float = 30.0) -> None:
        self._client = new_client(url, api_key, timeout_s)

    async def collection_of(self, name: str) -> str | None:
        """The collection that a name refers to, as an alias or as its own name."""
        with _translated():
            for alias in (await self._client.get_aliases()).aliases:
                if alias.alias_name == name:
                    return alias.collection_name
            return name if await self._client.collection_exists(name) else None

    async def collections(self, prefix: str) -> list[str]:
        """The collections whose names begin with `prefix`."""
        with _translated():
            found = await self._client.get_collections()
        return sorted(each.name for each in found.collections if each.name.startswith(prefix))

    async def switch(self, name: str, collection: str) -> None:
        """Make `name` an alias of `collection`, atomically for all clients.

        A collection of that name is deleted first, since an alias cannot have the same name: until
        the alias exists, some milliseconds, the name refers to nothing.
        """
        alias = models.CreateAlias(collection_name=collection, alias_name=name)
        change = [models.CreateAliasOperation(create_alias=alias)]
        with _translated():
            for attempt in range(1, ATTEMPTS + 1):
                if await self.collection_of(name) == name:
                    await self._client.delete_collection(name)
                try:
                    await self._client.update_collection_aliases(change)
                except UnexpectedResponse as error:
                    # An ingest that found no such collection has just created one.
                    if error.status_code != CONFLICT or attempt == ATTEMPTS:
                        raise
                else:
                    return

    async def delete(self, collection: str) -> None:
        """Delete a collection; no error if it does not exist."""
        with _translated():
            await self._client.delete_collection(collection)

    async def aclose(self) -> None:
        await self._client.close()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (UnexpectedResponse, ResponseHandlingException) as error:
        raise unavailable(error) from error
