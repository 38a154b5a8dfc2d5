"""Repairs differences without events: lost messages, and parts restored from a backup."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from functions.adapters.aws.object_store import ListedObject
from functions.adapters.postgres.document_swap import StoredDocument
from functions.adapters.qdrant.chunk_index import ChunkIndex, IndexMissing
from functions.ingest.embed import DATABASE_SECONDS
from functions.ingest.ingest_document import Ingest
from functions.ingest.outcome import Outcome
from functions.ingest.prepare import is_markdown


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document in the index: the states of its chunks, as (generation, active)."""

    source_path: str
    states: frozenset[tuple[int, bool]]


async def reconcile(
    ingest: Ingest,
    report: Callable[[Outcome], None] | None = None,
    keep: Collection[str] = (),
) -> tuple[Outcome, ...]:
    """Compare bucket, database and index, and ingest each key on which they differ; `keep` are
    keys, or folders ending in "/", to leave alone.

    Raises the errors of the parts that are compared; a failed key is an outcome.
    """
    ingest.manifests.refresh()
    # The bucket last: later changes of it send events.
    indexed = await _indexed_documents(ingest.index)
    documents = await ingest.records.list_documents(seconds=DATABASE_SECONDS)
    relinked = await ingest.keys_with_other_pages()
    objects = await ingest.store.list_keys()
    outcomes: list[Outcome] = []
    folders = tuple(each for each in keep if each.endswith("/"))
    for key in sorted({*keys_that_differ(objects, documents, indexed), *relinked}):
        if key.startswith(folders) or key in keep:
            continue
        outcomes.append(await ingest.ingest_key(key))
        if report is not None:
            report(outcomes[-1])
    return tuple(outcomes)


def keys_that_differ(
    objects: Iterable[ListedObject],
    documents: Iterable[StoredDocument],
    indexed: Mapping[str, IndexedDocument],
) -> list[str]:
    """The keys to ingest, in order. `indexed` is by document id.

    A file that is not part of the book is always among them: only ingesting it can tell.
    """
    in_bucket = {each.key: each.version_id for each in objects if is_markdown(each.key)}
    in_book = {each.source_path: each for each in documents}
    differing: set[str] = set()
    for key, version_id in in_bucket.items():
        stored = in_book.get(key)
        if stored is None or stored.object_version != version_id:
            differing.add(key)
    for key, stored in in_book.items():
        found = indexed.get(stored.document_id)
        states = found.states if found else frozenset()
        if key not in in_bucket or not states <= {(stored.generation, True)}:
            differing.add(key)
        elif not states:
            differing.add(key)  # no chunk at all: lost, or a document without text
    known = {each.document_id for each in in_book.values()}
    differing.update(each.source_path for id, each in indexed.items() if id not in known)
    return sorted(differing)


async def _indexed_documents(index: ChunkIndex) -> dict[str, IndexedDocument]:
    paths: dict[str, str] = {}
    states: dict[str, set[tuple[int, bool]]] = {}
    try:
        async for chunk in index.list_chunks():
            paths[chunk.document_id] = chunk.source_path
            states.setdefault(chunk.document_id, set()).add((chunk.generation, chunk.active))
    except IndexMissing:
        return {}
    return {id: IndexedDocument(paths[id], frozenset(found)) for id, found in states.items()}
