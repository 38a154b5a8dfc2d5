"""Puts a rebuild of the index together from settings."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from functions.adapters.aws.object_store import ObjectStore
from functions.adapters.aws.secrets import secret
from functions.adapters.openai.embeddings import Embeddings
from functions.adapters.qdrant.aliases import IndexAliases
from functions.adapters.qdrant.chunk_index import ChunkIndex
from functions.ingest.compose import compose_ingest, layout_of
from functions.ingest.rebuild import GRACE_SECONDS, Rebuild, new_collection
from functions.ingest.rebuild_fill import Filling
from functions.runtime.settings import Settings


@asynccontextmanager
async def composed_rebuild(
    settings: Settings, store: ObjectStore | None = None, grace_s: float = GRACE_SECONDS
) -> AsyncIterator[Rebuild]:
    """A rebuild under the new settings, its connections open while the block runs.

    Raises MissingSettings and SecretUnavailable.
    """
    ingest = compose_ingest(settings, store)
    key = secret(settings, "qdrant_api_key")
    aliases = IndexAliases(settings.qdrant_url, key)
    index = ChunkIndex(settings.qdrant_url, key, new_collection(settings.qdrant_collection))
    embeddings = Embeddings(
        settings.embeddings_base_url,
        secret(settings, "openai_api_key"),
        settings.embedding_model,
        settings.embedding_dimensions,
        patient=True,
    )
    filling = Filling(
        store=ingest.store,
        records=ingest.records,
        index=index,
        embeddings=embeddings,
        kept_as=f"{settings.embedding_model}@{settings.embedding_dimensions}",
        layout=layout_of(settings),
        manifests=ingest.manifests,
        seconds=settings.ingest_seconds,
    )
    async with AsyncExitStack() as exits:
        for close in (
            ingest.index.aclose,
            ingest._embeddings.close,
            ingest.records._database.close,
            aliases.aclose,
            index.aclose,
            embeddings.close,
        ):
            exits.push_async_callback(close)
        yield Rebuild(
            name=settings.qdrant_collection,
            filling=filling,
            ingest=ingest,
            aliases=aliases,
            model=settings.embedding_model,
            dimensions=settings.embedding_dimensions,
            grace_s=grace_s,
        )
