"""`quoth rebuild`: index the whole book again, with readers on the old index until it is done."""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack
from pathlib import Path

import click

from functions.adapters.aws.object_store import ObjectStore, ObjectStoreUnavailable
from functions.adapters.aws.secrets import secret
from functions.adapters.openai.embeddings import EmbeddingsRejected, EmbeddingsUnavailable
from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
from functions.adapters.qdrant.aliases import IndexAliases
from functions.adapters.qdrant.chunk_index import ChunkIndex, IndexUnavailable
from functions.ingest.compose import compose_ingest
from functions.ingest.rebuild import GRACE_SECONDS, Rebuild, RebuildFailed, Rebuilt, new_collection
from functions.runtime.plural import plural
from functions.runtime.settings import MissingSettings, Settings, read_settings
from quoth.commands.progress import console
from quoth.commands.start_stack import check_book, plain_errors
from quoth.events.sync import FolderSync
from quoth.parts import running_parts
from quoth.stack import function_settings
from quoth.store import DEFAULT_BOOK, store_of

FAILURES = (
    DatabaseRejected, DatabaseUnavailable, EmbeddingsRejected, EmbeddingsUnavailable,
    IndexUnavailable, MissingSettings, ObjectStoreUnavailable, RebuildFailed,
)  # fmt: skip


@click.command()
@click.argument("book", type=click.Path(path_type=Path), default=DEFAULT_BOOK)
@click.option("--data", type=click.Path(path_type=Path), help="Where the book's data is kept.")
@click.option(
    "--deployed", is_flag=True, help="The book of a deployment; QUOTH_… variables name its parts."
)
def rebuild(book: Path, data: Path | None, deployed: bool) -> None:
    """Rebuild the index of BOOK from scratch, for another embedding model or chunk size.

    The variables QUOTH_EMBEDDING_MODEL, QUOTH_EMBEDDING_DIMENSIONS, QUOTH_CHUNK_WORDS,
    QUOTH_OVERLAP_WORDS and QUOTH_PASSAGE_WORDS configure it; set them for the functions too.
    Readers use the old index until the new one is complete.
    """
    with plain_errors(*FAILURES):
        if deployed:
            rebuilt = asyncio.run(_rebuild(read_settings(os.environ), None))
        else:
            rebuilt = _rebuild_here(check_book(book), data)
    counts = rebuilt.counts
    click.echo(
        f"{rebuilt.collection}: {plural(counts.documents, 'document')}, "
        f"{plural(counts.chunks, 'chunk')}, {plural(counts.embedded, 'embedding')} computed, "
        f"{counts.reused} reused, {len(rebuilt.repaired)} checked again."
    )
    for outcome in rebuilt.repaired:
        if outcome.reason:
            click.echo(f"  {outcome.action} {outcome.key}: {outcome.reason}")
    if any(not outcome.is_settled for outcome in rebuilt.repaired):
        raise SystemExit(1)


def _rebuild_here(book: Path, data: Path | None) -> Rebuilt:
    store = store_of(book, data)
    with store.held(), running_parts(store.folder) as parts:
        settings = function_settings(book, parts, os.environ)["ingest"]
        bucket = ObjectStore(parts.emulator.bucket, parts.emulator.s3())
        FolderSync(book, bucket.bucket, parts.emulator.s3()).run()
        return asyncio.run(_rebuild(settings, bucket))


async def _rebuild(settings: Settings, store: ObjectStore | None) -> Rebuilt:
    # Nobody reads the embedded index meanwhile: its store is locked.
    grace_s = GRACE_SECONDS if store is None else 0.0
    ingest = compose_ingest(settings, store)
    name, key = settings.qdrant_collection, secret(settings, "qdrant_api_key")
    async with AsyncExitStack() as exits:
        exits.push_async_callback(ingest.aclose)
        index = ChunkIndex(settings.qdrant_url, key, new_collection(name))
        exits.push_async_callback(index.aclose)
        aliases = IndexAliases(settings.qdrant_url, key)
        exits.push_async_callback(aliases.aclose)
        work = Rebuild(ingest, index, aliases, grace_s)
        with console.status("Filling the new index …") as status:
            return await work.run(lambda key: status.update(f"Filled {key}"))
