"""A book of ten thousand files through the emulated bucket, events and queue, with four workers."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from functions.adapters.aws.change_queue import ChangeQueue
from functions.adapters.aws.object_store import ObjectStore
from functions.adapters.postgres.book_records import BookRecords
from functions.adapters.postgres.database import Database
from functions.adapters.qdrant.chunk_index import ChunkIndex
from functions.ingest.batch import BatchAnswer, ingest_batch
from functions.ingest.embed import IndexCheck
from functions.ingest.ingest_document import Ingest
from functions.ingest.outcome import Outcome
from functions.ingest.prepare import BookLayout
from functions.ingest.retry_delay import Backoff, delay_retries
from functions.runtime.logs import logger
from quoth.events.emulator import Emulator, running_emulator
from quoth.events.pipeline import Delivery
from quoth.store import DEFAULT_BOOK
from tests.integration.cheap_parts import HashedEmbeddings
from tests.postgres_fixtures import BookDatabase
from tests.qdrant_process import running_server

FILES = 10_000
WORKERS = 4
DIMENSIONS = 16
MOST_GROWTH_MB = 150
LOOK_SECONDS = 2.0

pytestmark = pytest.mark.soak


@dataclass(frozen=True)
class Parts:
    ingest: Ingest
    emulator: Emulator


@pytest.fixture
async def parts(
    fresh_database: BookDatabase, connect: Callable[..., Database], tmp_path: Path
) -> AsyncIterator[Parts]:
    with running_emulator() as emulator, running_server(tmp_path / "qdrant") as qdrant:
        records = BookRecords(connect(fresh_database.dsn("quoth_ingest"), size=WORKERS))
        index = ChunkIndex(qdrant.url, None, "book")
        embeddings: Any = HashedEmbeddings(DIMENSIONS)
        ingest = Ingest(
            ObjectStore(emulator.bucket, emulator.s3()),
            records,
            index,
            embeddings,
            IndexCheck(records, index, "hashed", DIMENSIONS),
            BookLayout(),
        )
        yield Parts(ingest, emulator)
        await index.aclose()


def put_copies(emulator: Emulator) -> set[str]:
    """The sample book's files under many names, each with a sentence of its own."""
    client = emulator.s3()
    sources = sorted((DEFAULT_BOOK / "docs").rglob("*.md"))
    keys: set[str] = set()
    for number in range(FILES):
        source = sources[number % len(sources)]
        key = f"docs/copy-{number // len(sources):04}/{number % len(sources):02}-{source.name}"
        text = f"{source.read_text('utf-8')}\n\nThis is copy {number} of the page.\n"
        client.put_object(Bucket=emulator.bucket, Key=key, Body=text.encode())
        keys.add(key)
    return keys


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def test_no_file_is_lost_and_memory_stays_bounded(
    parts: Parts,
    fresh_database: BookDatabase,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ingest, emulator = parts.ingest, parts.emulator
    logger().setLevel("WARNING")
    await ingest.prepare()
    outcomes: list[str] = []
    memory: list[float] = []

    changes = ChangeQueue(emulator.queue_url, emulator.sqs())

    def heard(outcome: Outcome) -> None:
        outcomes.append(outcome.action)

    async def handle(event: dict[str, Any]) -> BatchAnswer:
        answer = await ingest_batch(event, ingest, lambda: 100.0, heard)
        await delay_retries(event, answer, changes, Backoff(first_s=2))
        return answer

    started = time.perf_counter()
    keys = await asyncio.to_thread(put_copies, emulator)
    put_s = time.perf_counter() - started
    delivery = Delivery(emulator.sqs(), emulator.queue_url, handle, workers=WORKERS)
    started = time.perf_counter()
    running = asyncio.create_task(delivery.run())
    while await delivery.waiting():
        memory.append(resident_mb())
        await asyncio.sleep(LOOK_SECONDS)
    seconds = time.perf_counter() - started
    delivery.stop()
    await running

    live = fresh_database.run(
        "SELECT source_path, id::text, generation FROM documents WHERE deleted_at IS NULL"
    )
    assert {row[0] for row in live} == keys
    generations = {str(row[1]): row[2] for row in live}
    chunks: dict[str, int] = {}
    async for chunk in ingest.index.list_chunks():
        assert (chunk.active, chunk.generation) == (True, generations[chunk.document_id])
        chunks[chunk.document_id] = chunks.get(chunk.document_id, 0) + 1
    rows = fresh_database.run("SELECT document_id::text, count(*)::integer FROM chunks GROUP BY 1")
    assert chunks == {str(row[0]): row[1] for row in rows}
    assert set(chunks) == set(generations)
    assert outcomes.count("failed") == 0
    dead = emulator.sqs().get_queue_attributes(
        QueueUrl=emulator.dead_letter_url, AttributeNames=["ApproximateNumberOfMessages"]
    )
    assert dead["Attributes"]["ApproximateNumberOfMessages"] == "0"

    warm = memory[len(memory) // 5]
    growth = max(memory) - warm
    with capsys.disabled():
        sys.stdout.write(
            f"\n{len(keys):,} files, {sum(chunks.values()):,} chunks: put in {put_s:.0f} s, taken "
            f"in by {WORKERS} workers in {seconds:.0f} s, {len(keys) / seconds:.1f} files/s; "
            f"{warm:.0f} MB after a fifth, at most {max(memory):.0f} MB\n"
        )
    assert growth < MOST_GROWTH_MB
