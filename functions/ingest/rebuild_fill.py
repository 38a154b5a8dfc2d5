"""Fills a new collection with the book as it is now, while readers go on asking the old one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from functions.adapters.aws.object_store import ObjectStore, ObjectTooLarge, StoredObject
from functions.adapters.openai.embeddings import Embeddings
from functions.adapters.postgres.book_records import BookRecords
from functions.adapters.postgres.document_swap import StoredDocument
from functions.adapters.postgres.rebuild_records import stored_chunks_of
from functions.adapters.qdrant.chunk_index import ChunkIndex
from functions.book.chunks.passages import pack_passages
from functions.book.markdown.parse import MAX_BYTES, UnreadableDocument
from functions.ingest.chapter_titles import read_chapter_title
from functions.ingest.embed import DATABASE_SECONDS, embed_passages
from functions.ingest.prepare import (
    BookLayout,
    PreparedDocument,
    document_id_of,
    prepare_document,
)
from functions.ingest.site_manifest import Manifests
from functions.ingest.to_points import points_of
from functions.ingest.to_rows import stored_blocks, stored_chunks, stored_document

State = tuple[int, str, str]
"""What a document was filled from: its generation, its object's version, its fingerprint."""

Prepared = tuple[PreparedDocument, StoredObject]


@dataclass(frozen=True, slots=True)
class Filled:
    """A document in the new collection. `generation` is what the database will give it, and
    `is_stored` whether it has that already."""

    state: State
    generation: int
    is_stored: bool
    chunks: int


@dataclass
class Counts:
    """What a fill did. `embedded` and `reused` count passages."""

    documents: int = 0
    chunks: int = 0
    embedded: int = 0
    reused: int = 0


@dataclass(frozen=True)
class Filling:
    """Brings documents into `index`, the new collection, and leaves the database as it is.

    Its methods raise the errors of the parts.
    """

    store: ObjectStore
    records: BookRecords
    index: ChunkIndex
    embeddings: Embeddings
    kept_as: str
    layout: BookLayout
    manifests: Manifests
    seconds: float

    async def fill_changed(
        self, filled: dict[str, Filled], counts: Counts, report: Callable[[str], None]
    ) -> int:
        """Fill what is not in `filled` yet, or was filled from another state, and take out what
        left the book. How many documents that were."""
        self.manifests.look_again()
        documents = await self.records.list_documents(seconds=DATABASE_SECONDS)
        versions = {each.key: each.version_id for each in await self.store.list_keys()}
        changed = 0
        for document in documents:
            key = document.source_path
            state = (document.generation, versions.get(key, ""), document.content_hash)
            known = filled.get(key)
            if key in versions and (known is None or known.state != state):
                filled[key] = await self._fill(document, state, counts)
                changed += 1
                report(key)
        for key in set(filled) - {each.source_path for each in documents if versions}:
            await self.index.remove(document_id_of(key))
            del filled[key]
            changed += 1
        return changed

    async def settle(self, key: str, filled: Filled) -> bool:
        """Give the database the chunks that the new collection already has; False when the file
        changed meanwhile. Raises GenerationConflict when the document did."""
        made = await self._prepare(key)
        if made is None or made[1].version_id != filled.state[1]:
            return False
        prepared, found = made
        await self.records.swap_document(
            stored_document(prepared, found, filled.generation),
            stored_chunks(prepared, found, filled.generation),
            stored_blocks(prepared),
            filled.state[0],
            seconds=2 * DATABASE_SECONDS,
        )
        return True

    async def _fill(self, document: StoredDocument, state: State, counts: Counts) -> Filled:
        generation, is_stored = document.generation, True
        made = await self._prepare(document.source_path)
        if made is None:
            # Readers have the last version that could be read; only the database still has it.
            chunks = await stored_chunks_of(
                self.records, document.document_id, seconds=DATABASE_SECONDS
            )
            passages = [
                pack_passages(
                    chunk.titles[-1] if chunk.titles else document.title,
                    chunk.parts,
                    self.layout.passage_words,
                )
                for chunk in chunks
            ]
        else:
            prepared, found = made
            is_stored = prepared.fingerprint == document.content_hash
            generation += not is_stored
            chunks = stored_chunks(prepared, found, generation)
            passages = [chunk.passages for chunk in prepared.chunks]
        vectors = await embed_passages(
            (passage for each in passages for passage in each),
            self.records,
            self.embeddings,
            self.kept_as,
            self.seconds,
        )
        await self.index.add(points_of(chunks, passages, vectors.by_hash))
        await self.index.activate(document.document_id, generation)
        counts.documents += 1
        counts.chunks += len(chunks)
        counts.embedded += vectors.embedded
        counts.reused += vectors.reused
        return Filled(state, generation, is_stored, len(chunks))

    async def _prepare(self, key: str) -> Prepared | None:
        """The file as ingest would take it in; None when there is nothing to take in."""
        try:
            found = await self.store.read(key, MAX_BYTES)
            if found is None:
                return None
            title = await read_chapter_title(self.store, key, self.layout)
            page = await self.manifests.page_of(key)
            prepared = await asyncio.to_thread(
                prepare_document, key, found.data, self.layout, title, page
            )
        except (UnreadableDocument, ObjectTooLarge):
            return None
        return None if prepared.withheld else (prepared, found)
