"""Indexes the whole book again into a new collection, and switches readers to it at once.

For another embedding model or another way of cutting. Until the switch readers ask the old
collection, from then on the new one; a name of the index finds one or the other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from functions.adapters.postgres.document_swap import GenerationConflict
from functions.adapters.postgres.rebuild_records import count_leases
from functions.adapters.qdrant.aliases import IndexAliases
from functions.ingest.embed import DATABASE_SECONDS
from functions.ingest.ingest_document import Ingest
from functions.ingest.outcome import Outcome
from functions.ingest.rebuild_fill import Counts, Filled, Filling
from functions.ingest.reconcile import reconcile

PASSES = 5
"""How often what changed meanwhile is filled again before the switch; the rest comes after it."""

GRACE_SECONDS = 5.0
"""Searches that began before the switch may still read the old collection."""

LONGEST_WAIT_SECONDS = 150.0
LOOK_SECONDS = 0.25


class RebuildFailed(Exception):
    """The new collection does not hold the whole book. Readers still have the old one."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did. `repaired` are the looks at keys that changed around the switch."""

    collection: str
    replaced: str
    counts: Counts
    repaired: tuple[Outcome, ...]


@dataclass(frozen=True)
class Rebuild:
    """One rebuild. `filling` writes the new collection, `ingest` is the book's usual one under the
    new settings, and both were made for `name`, the name that readers ask.

    `model` and `dimensions` are the new ones.
    """

    name: str
    filling: Filling
    ingest: Ingest
    aliases: IndexAliases
    model: str
    dimensions: int
    grace_s: float = GRACE_SECONDS

    async def run(self, report: Callable[[str], None] = lambda _: None) -> Rebuilt:
        """Fill, switch, repair, delete the old collection. `report` hears of each document filled.

        A rebuild that ends early changes nothing for readers and may simply be run again. Raises
        RebuildFailed and the errors of the parts.
        """
        old = await self.aliases.collection_of(self.name)
        await self._delete_leftovers(old)
        await self.filling.index.ensure(self.dimensions)
        filled: dict[str, Filled] = {}
        counts = Counts()
        await self._fill(filled, counts, report)
        state = await self.ingest.records.index_state(seconds=DATABASE_SECONDS)
        same_model = (state.embedding_model, state.dimensions) == (self.model, self.dimensions)
        await self.ingest.records.set_index_state(
            embedding_model=self.model,
            dimensions=self.dimensions,
            collection=self.filling.index.collection,
            calibration=state.calibration if same_model else None,
            seconds=DATABASE_SECONDS,
        )
        if not same_model:
            # Nobody begins with the old model any more; what was begun must not meet the switch.
            await self._wait_for_workers()
            await self._fill(filled, counts, report)
        await self._check_complete(filled)
        await self.aliases.switch(self.name, self.filling.index.collection)
        for key, document in filled.items():
            await self._settle(key, document)
        repaired = await reconcile(self.ingest)
        if old is not None and old != self.name:
            await asyncio.sleep(self.grace_s)
            await self.aliases.delete(old)
        return Rebuilt(self.filling.index.collection, old or "", replace(counts), repaired)

    async def _fill(
        self, filled: dict[str, Filled], counts: Counts, report: Callable[[str], None]
    ) -> None:
        for _ in range(PASSES):
            if not await self.filling.fill_changed(filled, counts, report):
                return

    async def _check_complete(self, filled: dict[str, Filled]) -> None:
        """Never switch readers to less than they have."""
        indexed = {chunk.source_path async for chunk in self.filling.index.list_chunks()}
        for key, document in filled.items():
            if document.chunks and key not in indexed:
                raise RebuildFailed(f"the new collection lacks {key}; run it again")

    async def _settle(self, key: str, document: Filled) -> None:
        if document.is_stored:
            return
        try:
            is_settled = await self.filling.settle(key, document)
        except GenerationConflict:
            is_settled = False
        if not is_settled:
            await self.ingest.ingest_key(key)

    async def _wait_for_workers(self) -> None:
        for _ in range(round(LONGEST_WAIT_SECONDS / LOOK_SECONDS)):
            if not await count_leases(self.ingest.records, seconds=DATABASE_SECONDS):
                return
            await asyncio.sleep(LOOK_SECONDS)

    async def _delete_leftovers(self, old: str | None) -> None:
        """Collections of rebuilds that ended early."""
        for collection in await self.aliases.collections(prefix_of(self.name)):
            if collection != old:
                await self.aliases.delete(collection)


def prefix_of(name: str) -> str:
    """How the collections behind a name begin."""
    return f"{name}--"


def new_collection(name: str) -> str:
    """A name for a collection that is to stand behind `name`."""
    return prefix_of(name) + datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
