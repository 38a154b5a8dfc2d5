"""From a change in the folder or the bucket to what a reader can find, over real events."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from functions.adapters.aws.change_queue import ChangeQueue
from functions.adapters.aws.object_store import ObjectStore
from functions.adapters.openai.embeddings import Embeddings
from functions.adapters.postgres.book_records import BookRecords
from functions.adapters.postgres.database import Database
from functions.adapters.qdrant.chunk_index import ChunkIndex
from functions.adapters.qdrant.chunk_search import ChunkSearch, SearchFilters
from functions.ingest.embed import IndexCheck
from functions.ingest.ingest_document import Ingest
from functions.ingest.outcome import Outcome
from functions.ingest.prepare import BookLayout
from functions.ingest.retry_delay import Backoff, delay_retries
from quoth.events.emulator import Emulator, EmulatorFailed, running_emulator
from quoth.events.pipeline import BookEvents, Delivery, running_events
from quoth.events.resources import s3_client
from quoth.events.sync import FolderSync
from tests.openai_server.service import OpenAIServer
from tests.postgres_fixtures import BookDatabase
from tests.qdrant_process import running_server

MODEL, DIMENSIONS = "text-embedding-3-small", 1536
POLLS, POLL_SECONDS = 300, 0.1


@dataclass
class Running:
    """A folder whose changes reach an index, and what was heard of it."""

    folder: Path
    emulator: Emulator
    events: BookEvents
    search: ChunkSearch
    outcomes: list[Outcome] = field(default_factory=list)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    async def found(self, words: str) -> set[str]:
        """The source paths of the chunks that hold these words."""
        result = await self.search.keyword_search(words, SearchFilters(), 10)
        return {hit.payload["source_path"] for hit in result.hits}

    async def wait_for(self, check: Callable[[], Awaitable[bool]]) -> None:
        for _ in range(POLLS):
            if await check():
                return
            await asyncio.sleep(POLL_SECONDS)
        raise AssertionError(f"it did not come to be; heard: {self.outcomes}")

    async def wait_until_found(self, words: str, *paths: str) -> None:
        async def check() -> bool:
            return await self.found(words) == set(paths)

        await self.wait_for(check)


@pytest.fixture(scope="module")
def qdrant_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_server(tmp_path_factory.mktemp("qdrant")) as server:
        yield server.url


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with running_emulator() as emulator:
        yield emulator


@pytest.fixture
async def running(
    fresh_database: BookDatabase,
    connect: Callable[..., Database],
    openai_server: OpenAIServer,
    qdrant_url: str,
    tmp_path: Path,
) -> AsyncIterator[Running]:
    folder = tmp_path / "book"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "first.md").write_text("# First\n\nTrilobites crawled here.\n")
    records = BookRecords(connect(fresh_database.dsn("quoth_ingest"), size=2))
    index = ChunkIndex(qdrant_url, None, f"book-{tmp_path.name}")
    embeddings = Embeddings(openai_server.base_url, openai_server.api_key, MODEL, DIMENSIONS)
    search = ChunkSearch(qdrant_url, None, index.collection, timeout_s=10)
    check = IndexCheck(records, index, MODEL, DIMENSIONS)
    outcomes: list[Outcome] = []
    with running_emulator() as emulator:
        store = ObjectStore(emulator.bucket, emulator.s3())
        ingest = Ingest(store, records, index, embeddings, check, BookLayout(), seconds=60)
        async with running_events(folder, emulator, ingest, on_outcome=outcomes.append) as events:
            yield Running(folder, emulator, events, search, outcomes)
    await search.aclose()
    await embeddings.close()
    await index.delete()
    await index.aclose()


async def test_what_is_put_into_the_bucket_is_found_updated_and_gone(running: Running) -> None:
    client, bucket = running.emulator.s3(), running.emulator.bucket
    key = "docs/put by hand+%.md"
    client.put_object(Bucket=bucket, Key=key, Body=b"# Put\n\nAmmonites swam there.\n")
    await running.wait_until_found("ammonites", key)
    client.put_object(Bucket=bucket, Key=key, Body=b"# Put\n\nBelemnites swam there.\n")
    await running.wait_until_found("belemnites", key)
    assert await running.found("ammonites") == set()
    client.delete_object(Bucket=bucket, Key=key)
    await running.wait_until_found("belemnites")
    actions = [outcome.action for outcome in running.outcomes if outcome.key == key]
    assert actions == ["created", "updated", "removed"]


async def test_changes_of_the_folder_follow(running: Running) -> None:
    assert running.events.first.put == ("docs/first.md",)
    await running.events.wait_until_ingested(("docs/first.md",))
    assert await running.found("trilobites") == {"docs/first.md"}
    running.write("docs/deep/second.mdx", "# Second\n\nGraptolites drifted.\n")
    await running.wait_until_found("graptolites", "docs/deep/second.mdx")
    running.write("docs/first.md", "# First\n\nBrachiopods stayed.\n")
    await running.wait_until_found("brachiopods", "docs/first.md")
    assert await running.found("trilobites") == set()
    (running.folder / "docs" / "deep").rename(running.folder / "docs" / "moved")
    await running.wait_until_found("graptolites", "docs/moved/second.mdx")
    (running.folder / "docs" / "first.md").unlink()
    await running.wait_until_found("brachiopods")


async def test_the_reconciler_takes_out_what_left_while_nobody_watched(running: Running) -> None:
    await running.events.wait_until_ingested(("docs/first.md",))
    client, bucket = running.emulator.s3(), running.emulator.bucket
    notifications: dict[str, Any] = {}
    client.put_bucket_notification_configuration(
        Bucket=bucket, NotificationConfiguration=notifications
    )
    client.delete_object(Bucket=bucket, Key="docs/first.md")
    client.put_object(Bucket=bucket, Key="docs/unseen.md", Body=b"# Unseen\n\nEurypterids.\n")
    assert await running.found("eurypterids") == set()
    actions = {each.key: each.action for each in await running.events.reconcile()}
    assert actions == {"docs/first.md": "removed", "docs/unseen.md": "created"}
    assert await running.found("eurypterids") == {"docs/unseen.md"}
    assert await running.found("trilobites") == set()


async def test_a_failed_message_comes_again_and_then_goes_to_the_dead_letters(
    emulator: Emulator,
) -> None:
    client = emulator.sqs()
    bodies = [json.dumps({"number": number}) for number in range(8)]
    for body in bodies:
        client.send_message(QueueUrl=emulator.queue_url, MessageBody=body)
    seen: dict[str, int] = {}

    async def handle(event: dict[str, Any]) -> dict[str, list[dict[str, str]]]:
        failed = []
        for record in event["Records"]:
            assert record["eventSource"] == "aws:sqs"
            seen[record["body"]] = seen.get(record["body"], 0) + 1
            if record["body"] == bodies[0] or (
                record["body"] == bodies[1] and seen[record["body"]] < 3
            ):
                failed.append({"itemIdentifier": record["messageId"]})
        answer = {"batchItemFailures": failed}
        await delay_retries(
            event, answer, ChangeQueue(emulator.queue_url, client), Backoff(first_s=0)
        )
        return answer

    delivery = Delivery(client, emulator.queue_url, handle)
    task = asyncio.create_task(delivery.run())
    dead: list[str] = []
    for _ in range(POLLS):
        answer = client.receive_message(QueueUrl=emulator.dead_letter_url)
        dead += [message["Body"] for message in answer.get("Messages", [])]
        if dead and await delivery.waiting() == 0:
            break
        await asyncio.sleep(POLL_SECONDS)
    delivery.stop()
    await task
    assert dead == [bodies[0]]
    assert seen == {bodies[0]: 8, bodies[1]: 3} | dict.fromkeys(bodies[2:], 1)


async def test_a_handler_that_raises_fails_its_batch_and_delivery_goes_on(
    emulator: Emulator,
) -> None:
    client = emulator.sqs()
    client.send_message(QueueUrl=emulator.queue_url, MessageBody="once more")
    calls: list[int] = []
    done = asyncio.Event()

    async def handle(event: dict[str, Any]) -> dict[str, list[dict[str, str]]]:
        calls.append(len(event["Records"]))
        if len(calls) == 1:
            raise RuntimeError("a defect")
        done.set()
        return {"batchItemFailures": []}

    delivery = Delivery(client, emulator.queue_url, handle, crash_s=0)
    task = asyncio.create_task(delivery.run())
    await asyncio.wait_for(done.wait(), 60)
    delivery.stop()
    await task
    assert calls == [1, 1]
    assert await delivery.waiting() == 0


def test_two_emulators_run_at_once_and_listen_on_one_port_each(emulator: Emulator) -> None:
    with running_emulator() as other:
        other.s3().put_object(Bucket=other.bucket, Key="docs/a.md", Body=b"x")
        listed = emulator.s3().list_objects_v2(Bucket=emulator.bucket)
        assert "Contents" not in listed
        assert other.url != emulator.url


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(EmulatorFailed, match=str(port)), running_emulator(port=port):
            pass


def test_the_emulator_needs_and_reads_nothing_of_the_users_own(
    monkeypatch: pytest.MonkeyPatch, emulator: Emulator
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "there-is-no-such-profile")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert emulator.s3().list_buckets()["Buckets"]


def test_the_folder_is_put_once_and_what_is_skipped_is_named(
    emulator: Emulator, tmp_path: Path
) -> None:
    client = s3_client(emulator.url)
    client.create_bucket(Bucket="quoth-sync")
    outside = tmp_path / "outside.md"
    outside.write_text("not of the book")
    book = tmp_path / "book"
    texts = {
        "docs/a.md": "# A",
        "docs/ü b+%.mdx": "# B",
        "docs/01-x/_category_.json": "{}",
        "docs/picture.png": "",
        ".git/notes.md": "",
        "node_modules/x/README.md": "",
        "build/a.md": "",
        "docs/.hidden.md": "",
    }
    for name, text in texts.items():
        (book / name).parent.mkdir(parents=True, exist_ok=True)
        (book / name).write_text(text)
    (book / "docs" / "link.md").symlink_to(outside)
    sync = FolderSync(book, "quoth-sync", client)
    first = sync.run()
    assert first.put == ("docs/a.md", "docs/ü b+%.mdx", "docs/01-x/_category_.json")
    assert dict(first.skipped) == {
        ".git/": "it is hidden",
        "build/": "it is no part of the text",
        "node_modules/": "it is no part of the text",
        "docs/.hidden.md": "it is hidden",
        "docs/link.md": "it is a link that leaves the folder",
    }
    again = sync.run()
    assert (again.put, again.deleted, again.unchanged) == ((), (), 3)
    assert FolderSync(book, "quoth-sync", client).run().put == ()

    os.utime(book / "docs" / "a.md")  # touched, and the same
    client.put_object(Bucket="quoth-sync", Key="docs/by-hand.md", Body=b"stays")
    (book / "docs" / "ü b+%.mdx").unlink()
    third = sync.run()
    assert (third.put, third.deleted) == ((), ("docs/ü b+%.mdx",))
    listed = client.list_objects_v2(Bucket="quoth-sync")["Contents"]
    assert [found["Key"] for found in listed] == [
        "docs/01-x/_category_.json",
        "docs/a.md",
        "docs/by-hand.md",
    ]


def test_an_open_file_is_left_for_later_and_an_unlistable_folder_keeps_its_files(
    emulator: Emulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = s3_client(emulator.url)
    client.create_bucket(Bucket="quoth-open")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.md").write_text("# A")
    page = tmp_path / "b.md"
    sync = FolderSync(tmp_path, "quoth-open", client)
    with page.open("w") as writing:
        writing.write("# Half")
        writing.flush()
        first = sync.run()
        assert (first.put, first.unfinished, first.unread) == (("deep/a.md",), ("b.md",), ("b.md",))
    assert sync.run().put == ("b.md",)

    listing = os.scandir

    def refuse(path: str) -> Any:
        if os.fspath(path).endswith("deep"):
            raise PermissionError(13, "Permission denied", path)
        return listing(path)

    monkeypatch.setattr(os, "scandir", refuse)
    closed = sync.run()
    assert (closed.deleted, closed.skipped) == ((), (("deep/", "Permission denied"),))
    monkeypatch.undo()
    shutil.rmtree(tmp_path / "deep")
    assert sync.run().deleted == ("deep/a.md",)


def test_a_file_that_was_just_saved_is_waited_for(emulator: Emulator, tmp_path: Path) -> None:
    client = s3_client(emulator.url)
    client.create_bucket(Bucket="quoth-settle")
    page = tmp_path / "a.md"
    page.write_text("# A")
    sync = FolderSync(tmp_path, "quoth-settle", client, settle_s=30)
    assert sync.run().unfinished == ("a.md",)
    os.utime(page, (0, 0))
    assert sync.run().put == ("a.md",)
