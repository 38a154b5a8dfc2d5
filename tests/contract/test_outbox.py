"""The queue for what the database cannot take: the emulator's SQS, and a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import functions.adapters.sqlite.outbox
from functions.adapters.aws.outbox import Outbox, OutboxUnavailable, unpack_message
from functions.adapters.sqlite.outbox import MOST_DELIVERIES, FileOutbox
from quoth.events.emulator import Emulator, running_emulator


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with running_emulator() as emulator:
        yield emulator


@pytest.fixture(params=["sqs", "file"])
def outbox(request: pytest.FixtureRequest, tmp_path: Path) -> Outbox | FileOutbox:
    if request.param == "file":
        return FileOutbox(tmp_path / "outbox.sqlite")
    emulator: Emulator = request.getfixturevalue("emulator")
    return Outbox(emulator.outbox_urls["query"], emulator.url)


async def test_keeps_small_and_large_messages_until_they_are_deleted(
    outbox: Outbox | FileOutbox,
) -> None:
    assert await outbox.waiting() == 0
    large = {"selected_text": "".join(chr(0x4E00 + n * 7919 % 20_000) for n in range(200_000))}
    sent = [("record", large), ("deferral", {"query_id": "1"}), ("look", {})]
    for kind, body in sent:
        await outbox.send(kind, body)  # type: ignore[arg-type]
    got = []
    while messages := await outbox.receive():
        got += messages
    assert await outbox.waiting() == 3
    for each in got:
        await outbox.delete(each)
    assert await outbox.waiting() == 0
    assert {each.kind: each.body for each in got} == dict(sent)


@pytest.mark.parametrize("text", ['{"packed": "none"}', "[]", "{", '{"kind": "other", "body": {}}'])
def test_a_message_that_cannot_be_read_has_no_kind(text: str) -> None:
    assert unpack_message(text, "handle").kind is None


async def test_a_file_keeps_messages_for_the_next_process_and_hides_them_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "outbox.sqlite"
    await FileOutbox(path).send("deferral", {"query_id": "1"})
    assert path.stat().st_mode & 0o777 == 0o600
    (first,) = await FileOutbox(path).receive()
    assert await FileOutbox(path).receive() == []
    monkeypatch.setattr(functions.adapters.sqlite.outbox, "HIDDEN_SECONDS", 0.0)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE messages SET due = 0")
    connection.close()
    for _ in range(MOST_DELIVERIES - 1):
        assert await FileOutbox(path).receive() == [first]
    assert await FileOutbox(path).receive() == []  # a dead letter
    assert await FileOutbox(path).waiting() == 0


async def test_says_that_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "outbox.sqlite").write_bytes(b"no database" * 100)
    for path in (tmp_path / "nowhere" / "outbox.sqlite", tmp_path / "outbox.sqlite"):
        with pytest.raises(OutboxUnavailable):
            await FileOutbox(path).send("look", {})


async def test_the_functions_have_a_queue_each(emulator: Emulator) -> None:
    first = Outbox(emulator.outbox_urls["query"], emulator.url)
    other = Outbox(emulator.outbox_urls["selected"], emulator.url)
    await first.send("look", {})
    assert await other.waiting() == 0
    (message,) = await first.receive()
    await first.delete(message)


async def test_says_when_the_queue_is_away() -> None:
    outbox = Outbox("http://127.0.0.1:9/000000000000/none", "http://127.0.0.1:9")
    for call in (outbox.send("look", {}), outbox.receive(), outbox.waiting()):
        with pytest.raises(OutboxUnavailable):
            await call
