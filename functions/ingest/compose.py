"""Builds `Ingest` from the settings."""

from __future__ import annotations

from functions.adapters.aws.object_store import ObjectStore
from functions.adapters.aws.secrets import secret
from functions.adapters.openai.embeddings import Embeddings
from functions.adapters.postgres.book_records import BookRecords
from functions.adapters.postgres.database import Database
from functions.adapters.qdrant.chunk_index import ChunkIndex
from functions.book.site.heading_ids import HeadingIds
from functions.ingest.embed import IndexCheck
from functions.ingest.ingest_document import Ingest
from functions.ingest.prepare import BookLayout
from functions.ingest.site_manifest import Manifests
from functions.runtime.settings import Settings

_DEFAULT_IDS: dict[str, HeadingIds] = {"mkdocs": "python-markdown"}


def layout_of(settings: Settings) -> BookLayout:
    """The book's layout, from the settings."""
    return BookLayout(
        generator=settings.generator,
        docs_root=settings.docs_root,
        base_url=settings.base_url,
        route_base=settings.route_base,
        directory_urls=settings.directory_urls,
        heading_ids=settings.heading_ids or _DEFAULT_IDS.get(settings.generator, "github"),
        chunk_words=settings.chunk_words,
        overlap_words=settings.overlap_words,
        passage_words=settings.passage_words,
    )


def compose_ingest(settings: Settings, store: ObjectStore | None = None) -> Ingest:
    """`Ingest` with the parts that the settings name; nothing is connected yet.

    Raises MissingSettings and SecretUnavailable.
    """
    settings.require("database_url", "qdrant_url")
    if store is None:
        settings.require("bucket")
        store = ObjectStore(settings.bucket)
    records = BookRecords(
        Database(secret(settings, "database_url"), size=settings.database_pool_size)
    )
    index = ChunkIndex(
        settings.qdrant_url, secret(settings, "qdrant_api_key"), settings.qdrant_collection
    )
    embeddings = Embeddings(
        settings.embeddings_base_url,
        secret(settings, "openai_api_key"),
        settings.embedding_model,
        settings.embedding_dimensions,
        patient=True,
    )
    check = IndexCheck(records, index, settings.embedding_model, settings.embedding_dimensions)
    return Ingest(
        store,
        records,
        index,
        embeddings,
        check,
        layout_of(settings),
        seconds=settings.ingest_seconds,
        file_seconds=settings.file_seconds,
        manifests=Manifests(store, settings.manifest_key),
    )
