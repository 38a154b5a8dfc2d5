"""Makes index and database equal to the bucket, one key at a time.

Ingesting is level-triggered: an event names a key, and the key's state is read from the bucket. The
steps below may be repeated, and a crash between any two of them is repaired by ingesting again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from functions.adapters.aws.object_store import (
    ObjectStore,
    ObjectStoreUnavailable,
    ObjectTooLarge,
    StoredObject,
)
from functions.adapters.openai.embeddings import (
    Embeddings,
    EmbeddingsMismatch,
    EmbeddingsRejected,
    EmbeddingsUnavailable,
)
from functions.adapters.postgres.book_records import BookRecords
from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
from functions.adapters.postgres.document_swap import GenerationConflict, StoredDocument
from functions.adapters.qdrant.chunk_index import (
    ChunkIndex,
    IndexMismatch,
    IndexMissing,
    IndexUnavailable,
)
from functions.book.markdown.parse import MAX_BYTES, UnreadableDocument
from functions.book.site.manifest import ManifestPage
from functions.ingest.embed import (
    DATABASE_SECONDS,
    IndexCheck,
    OtherEmbeddingModel,
    PassageVectors,
    embed_passages,
)
from functions.ingest.lease import DocumentBusy, lease_on
from functions.ingest.outcome import Outcome
from functions.ingest.prepare import (
    BookLayout,
    PreparedDocument,
    document_id_of,
    is_markdown,
    reason_to_leave_out,
)
from functions.ingest.prepare_process import documents
from functions.ingest.site_manifest import Manifests, read_chapter_title
from functions.ingest.to_rows import (
    points_of,
    stored_blocks,
    stored_chunks,
    stored_document,
)

LEASE_PATIENCE_SECONDS = 5.0

FAILURES = (
    DatabaseRejected,
    DatabaseUnavailable,
    DocumentBusy,
    EmbeddingsMismatch,
    EmbeddingsRejected,
    EmbeddingsUnavailable,
    GenerationConflict,
    IndexMismatch,
    IndexMissing,
    IndexUnavailable,
    ObjectStoreUnavailable,
    OtherEmbeddingModel,
)
"""What a later attempt may succeed at, once the part or the setting is right again."""


class ObjectMissing(Exception):
    """The bucket has no such object."""


Indexed = Literal["complete", "activated", "incomplete"]
Read = tuple[PreparedDocument, StoredObject]


class Ingest:
    """Ingests keys. Safe to call for several keys at once, also from several processes.

    `seconds` bounds one document, `file_seconds` the processor time of reading its file. `check`
    rejects vectors of another model; `manifests` give the links of the built site, where there is
    one.
    """

    def __init__(
        self,
        store: ObjectStore,
        records: BookRecords,
        index: ChunkIndex,
        embeddings: Embeddings,
        check: IndexCheck,
        layout: BookLayout,
        *,
        seconds: float = 300.0,
        file_seconds: float = 30.0,
        manifests: Manifests | None = None,
    ) -> None:
        self.store = store
        self.manifests = manifests or Manifests(store, "")
        self.records = records
        self.index = index
        self.check = check
        self._embeddings = embeddings
        self.layout = layout
        self._seconds = seconds
        self._file_seconds = file_seconds

    async def prepare(self) -> None:
        """Create the collection if need be. Raises OtherEmbeddingModel and the parts' errors."""
        await self.check.run()

    async def aclose(self) -> None:
        await self.index.aclose()
        await self._embeddings.close()
        await self.records.close()

    async def keys_with_other_pages(self) -> list[str]:
        """The documents whose built page differs from the one they were stored with.

        Raises the errors of the database and of the bucket.
        """
        documents = await self.records.list_documents(seconds=DATABASE_SECONDS)
        return await self.manifests.keys_with_other_pages(documents, self.layout)

    async def ingest_key(self, key: str, seconds: float | None = None) -> Outcome:
        """Ingest a key within `seconds`. A known failure is an outcome, not an exception."""
        limit = self._seconds if seconds is None else min(seconds, self._seconds)
        try:
            async with asyncio.timeout(limit):
                outcome = await self._ingest(key, limit)
        except TimeoutError:
            outcome = Outcome(key, "failed", reason=f"not done within {limit:.0f} s")
        except FAILURES as error:
            if isinstance(error, IndexMissing):
                self.check.forget()
            outcome = Outcome(key, "failed", reason=f"{type(error).__name__}: {error}")
        outcome.log()
        return outcome

    async def read(self, key: str, page: ManifestPage | None) -> Read:
        """Read and prepare a file; `page` is its page in the manifest.

        Raises ObjectMissing, ObjectTooLarge, UnreadableDocument and ObjectStoreUnavailable.
        """
        found = await self.store.read(key, MAX_BYTES)
        if found is None:
            raise ObjectMissing
        title = (page.chapter if page else "") or await read_chapter_title(
            self.store, key, self.layout
        )
        prepared = await asyncio.to_thread(
            documents.prepare, key, found.data, self.layout, title, page, self._file_seconds
        )
        return prepared, found

    async def embed(self, passages: Sequence[Sequence[str]]) -> PassageVectors:
        """The vectors of chunks' passages. Raises the errors of the service and the database."""
        return await embed_passages(
            (passage for each in passages for passage in each),
            self.records,
            self._embeddings,
            self.check.vectors_name,
            self._seconds,
        )

    async def _ingest(self, key: str, limit: float) -> Outcome:
        if not is_markdown(key):
            return Outcome(key, "skipped", reason="the object is not Markdown")
        await self.check.run()
        async with lease_on(self.records, key, limit, LEASE_PATIENCE_SECONDS):
            stored = await self.records.document_by_id(
                document_id_of(key), seconds=DATABASE_SECONDS
            )
            page = await self.manifests.page_of(key)
            if reason := reason_to_leave_out(key, self.layout, page):
                return await self._remove(key, stored, reason)
            try:
                prepared, found = await self.read(key, page)
            except ObjectMissing:
                return await self._remove(key, stored)
            except (UnreadableDocument, ObjectTooLarge) as error:
                return await self._keep_last(key, stored, str(error))
            if prepared.withheld:
                return await self._remove(key, stored, prepared.withheld)
            return await self._bring_up_to_date(key, stored, prepared, found)

    async def _bring_up_to_date(
        self,
        key: str,
        stored: StoredDocument | None,
        prepared: PreparedDocument,
        found: StoredObject,
    ) -> Outcome:
        warnings = prepared.warnings
        if stored and not stored.deleted and stored.content_hash == prepared.fingerprint:
            state = await self._finish_swap(stored, set(prepared.chunk_ids))
            if state != "incomplete":
                chunks = len(prepared.chunks)
                if state == "complete":
                    return Outcome(key, "unchanged", chunks=chunks, warnings=warnings)
                return Outcome(
                    key, "updated", chunks=chunks, reason="finished an interrupted update"
                )
        outcome = await self._replace(key, stored, prepared, found)
        return replace(outcome, warnings=warnings)

    async def _replace(
        self,
        key: str,
        stored: StoredDocument | None,
        prepared: PreparedDocument,
        found: StoredObject,
    ) -> Outcome:
        """Write the new generation, not yet visible; swap; delete the old one."""
        vectors = await self.embed(prepared.passages)
        expected = stored.generation if stored else 0
        # Above all that interrupted or slower workers wrote, so that none of it is found.
        left = await self.index.generations(prepared.document_id)
        generation = max(expected, *(each.number for each in left), 0) + 1
        # Long work for a long file: not on the event loop.
        chunks = await asyncio.to_thread(stored_chunks, prepared, found, generation)
        await self.index.add(
            await asyncio.to_thread(points_of, chunks, prepared.passages, vectors.by_hash)
        )
        await self.records.swap_document(
            stored_document(prepared, found, generation),
            chunks,
            await asyncio.to_thread(stored_blocks, prepared),
            expected,
            seconds=2 * DATABASE_SECONDS,
        )
        await self.index.activate(prepared.document_id, generation)
        return Outcome(
            key,
            "created" if stored is None or stored.deleted else "updated",
            embedded=vectors.embedded,
            reused=vectors.reused,
            chunks=len(chunks),
        )

    async def _remove(self, key: str, stored: StoredDocument | None, reason: str = "") -> Outcome:
        was_there = stored is not None and not stored.deleted
        if stored is not None and was_there:
            await self.records.remove_document(
                stored.document_id, stored.generation, seconds=DATABASE_SECONDS
            )
        # Also when the database has no such document: an interrupted worker may have left points.
        await self.index.remove(document_id_of(key))
        if was_there:
            return Outcome(key, "removed", reason=reason)
        return Outcome(key, "skipped" if reason else "unchanged", reason=reason)

    async def _keep_last(self, key: str, stored: StoredDocument | None, reason: str) -> Outcome:
        """The file cannot be read: keep the last version that could."""
        if stored is None or stored.deleted:
            return Outcome(key, "skipped", reason=reason)
        await self._finish_swap(stored, None)
        return Outcome(key, "skipped", reason=f"{reason}; the last good version stays")

    async def _finish_swap(self, stored: StoredDocument, wanted: set[str] | None) -> Indexed:
        """Make sure that searches find the stored generation and no older one.

        `wanted` are its chunks, None when they are unknown. "complete": nothing was to do;
        "activated": done now; "incomplete": only a new generation can mend the index.
        """
        indexed = [chunk async for chunk in self.index.list_chunks(stored.document_id)]
        current = [chunk for chunk in indexed if chunk.generation == stored.generation]
        newer = any(chunk.generation > stored.generation for chunk in indexed)
        if wanted is None:
            if not current:
                return "incomplete"
        elif newer or {chunk.chunk_id for chunk in current} != wanted:
            return "incomplete"
        older = any(chunk.generation < stored.generation for chunk in indexed)
        if not older and all(chunk.active for chunk in current):
            return "complete"
        await self.index.activate(stored.document_id, stored.generation)
        return "activated"
