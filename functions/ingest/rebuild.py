"""Indexes the whole book again into a new collection, and switches readers to it at once.

For another embedding model or another chunk size. Until the switch readers search the old
collection, from then on the new one; the index's name is an alias of one or the other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from functions.adapters.aws.object_store import ObjectTooLarge
from functions.adapters.postgres.document_swap import StoredDocument
from functions.adapters.qdrant.aliases import IndexAliases
from functions.adapters.qdrant.chunk_index import ChunkIndex
from functions.book.chunks.passages import pack_passages
from functions.book.markdown.parse import UnreadableDocument
from functions.ingest.embed import DATABASE_SECONDS
from functions.ingest.ingest_document import Ingest, ObjectMissing
from functions.ingest.outcome import Outcome
from functions.ingest.prepare import document_id_of
from functions.ingest.reconcile import reconcile
from functions.ingest.to_rows import points_of, stored_chunks

PASSES = 5
"""How often documents changed meanwhile are copied again before the switch; others follow it."""

GRACE_SECONDS = 5.0
"""Searches that began before the switch may still read the old collection."""

MAX_WAIT_SECONDS = 150.0
POLL_SECONDS = 0.25

State = tuple[int, str, str]
"""What a document was copied from: its generation, its object's version, its fingerprint."""


class RebuildFailed(Exception):
    """The new collection does not hold the whole book. Readers still have the old one."""


@dataclass
class Counts:
    """What was written. `embedded` and `reused` count passages."""

    documents: int = 0
    chunks: int = 0
    embedded: int = 0
    reused: int = 0


@dataclass(frozen=True, slots=True)
class Copied:
    """A document in the new collection. `is_stored`: the database has these very chunks."""

    state: State
    is_stored: bool
    chunks: int


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did. `repaired` are the outcomes for keys that changed around the switch."""

    collection: str
    replaced: str
    counts: Counts
    repaired: tuple[Outcome, ...]


@dataclass(frozen=True)
class Rebuild:
    """One rebuild into `index`, the new collection.

    `ingest` is the book's own under the new settings: it writes to the name that readers search.
    """

    ingest: Ingest
    index: ChunkIndex
    aliases: IndexAliases
    grace_s: float = GRACE_SECONDS
    counts: Counts = field(default_factory=Counts)

    async def run(self, report: Callable[[str], None] = lambda _: None) -> Rebuilt:
        """Copy, switch, repair, delete the old collection. `report` gets each key copied.

        A rebuild that ends early changes nothing for readers and may be run again. Raises
        RebuildFailed and the errors of the parts.
        """
        name, check, records = self.ingest.index.collection, self.ingest.check, self.ingest.records
        old = await self.aliases.collection_of(name)
        await self._delete_leftovers(old)
        await self.index.ensure(check.dimensions)
        copied: dict[str, Copied] = {}
        await self._copy_all(copied, report)
        state = await records.index_state(seconds=DATABASE_SECONDS)
        same_model = (state.embedding_model, state.dimensions) == (check.model, check.dimensions)
        await records.set_index_state(
            embedding_model=check.model,
            dimensions=check.dimensions,
            collection=self.index.collection,
            calibration=state.calibration if same_model else None,
            seconds=DATABASE_SECONDS,
        )
        if not same_model:
            # From here on no worker starts with the old model; wait for those that did.
            await self._wait_for_workers()
            await self._copy_all(copied, report)
        await self._check_complete(copied)
        await self.aliases.switch(name, self.index.collection)
        for key, document in copied.items():
            if not document.is_stored:
                await self.ingest.ingest_key(key)
        repaired = await reconcile(self.ingest)
        if old is not None and old != name:
            await asyncio.sleep(self.grace_s)
            await self.aliases.delete(old)
        return Rebuilt(self.index.collection, old or "", self.counts, repaired)

    async def _copy_all(self, copied: dict[str, Copied], report: Callable[[str], None]) -> None:
        for _ in range(PASSES):
            if not await self._copy_changed(copied, report):
                return

    async def _copy_changed(self, copied: dict[str, Copied], report: Callable[[str], None]) -> bool:
        """Copy the documents that are new or changed, and remove those that left the book.
        Whether there were any."""
        self.ingest.manifests.refresh()
        documents = await self.ingest.records.list_documents(seconds=DATABASE_SECONDS)
        versions = {each.key: each.version_id for each in await self.ingest.store.list_keys()}
        changed = False
        for document in documents:
            key = document.source_path
            state = (document.generation, versions.get(key, ""), document.content_hash)
            known = copied.get(key)
            if key in versions and (known is None or known.state != state):
                copied[key] = await self._copy(document, state)
                changed = True
                report(key)
        for key in set(copied) - {each.source_path for each in documents if versions}:
            await self.index.remove(document_id_of(key))
            del copied[key]
            changed = True
        return changed

    async def _copy(self, stored: StoredDocument, state: State) -> Copied:
        """Write a document to the new collection, and leave the database as it is."""
        ingest, generation, prepared = self.ingest, stored.generation, None
        try:
            page = await ingest.manifests.page_of(stored.source_path)
            prepared, found = await ingest.read(stored.source_path, page)
        except (ObjectMissing, UnreadableDocument, ObjectTooLarge):
            pass
        if prepared is None or prepared.withheld:
            # Readers have the last version that could be read; only the database still has it.
            chunks = await ingest.records.chunks_of(stored.document_id, seconds=DATABASE_SECONDS)
            passages = tuple(
                pack_passages(
                    chunk.titles[-1] if chunk.titles else stored.title,
                    chunk.parts,
                    ingest.layout.passage_words,
                )
                for chunk in chunks
            )
        else:
            generation += prepared.fingerprint != stored.content_hash
            chunks = stored_chunks(prepared, found, generation)
            passages = prepared.passages
        vectors = await ingest.embed(passages)
        await self.index.add(points_of(chunks, passages, vectors.by_hash))
        await self.index.activate(stored.document_id, generation)
        self.counts.documents += 1
        self.counts.chunks += len(chunks)
        self.counts.embedded += vectors.embedded
        self.counts.reused += vectors.reused
        return Copied(state, generation == stored.generation, len(chunks))

    async def _check_complete(self, copied: dict[str, Copied]) -> None:
        """Never switch readers to less than they have."""
        indexed = {chunk.source_path async for chunk in self.index.list_chunks()}
        for key, document in copied.items():
            if document.chunks and key not in indexed:
                raise RebuildFailed(f"the new collection lacks {key}; run it again")

    async def _wait_for_workers(self) -> None:
        for _ in range(round(MAX_WAIT_SECONDS / POLL_SECONDS)):
            if not await self.ingest.records.count_leases(seconds=DATABASE_SECONDS):
                return
            await asyncio.sleep(POLL_SECONDS)

    async def _delete_leftovers(self, old: str | None) -> None:
        """Delete the collections of rebuilds that ended early."""
        for collection in await self.aliases.collections(_prefix(self.ingest.index.collection)):
            if collection != old:
                await self.aliases.delete(collection)


def new_collection(name: str) -> str:
    """A name for a collection that `name` is to be an alias of."""
    return _prefix(name) + datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")


def _prefix(name: str) -> str:
    return f"{name}--"
