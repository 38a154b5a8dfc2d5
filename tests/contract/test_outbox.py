"""The queue for what the database cannot take, against the emulator's SQS."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from functions.adapters.aws.outbox import Outbox, OutboxUnavailable
from quoth.events.emulator import Emulator, running_emulator


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with running_emulator() as emulator:
        yield emulator


async def test_keeps_small_and_large_messages_until_they_are_deleted(emulator: Emulator) -> None:
    outbox = Outbox(emulator.outbox_urls["query"], emulator.url)
    assert await outbox.waiting() == 0
    large = {"selected_text": "".join(chr(0x4E00 + n * 7919 % 20_000) for n in range(200_000))}
    sent = [("record", large), ("deferral", {"query_id": "1"}), ("look", {})]
    for kind, body in sent:
        await outbox.send(kind, body)  # type: ignore[arg-type]
    emulator.sqs().send_message(
        QueueUrl=emulator.outbox_urls["query"], MessageBody='{"packed": "none"}'
    )
    got = []
    while messages := await outbox.receive():
        got += messages
    assert await outbox.waiting() == 4
    for each in got:
        await outbox.delete(each)
    assert await outbox.waiting() == 0
    assert [each.kind for each in got].count(None) == 1
    found = {each.kind: each.body for each in got if each.kind}
    assert found == dict(sent)


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
