"""How soon a change comes again whose work failed: the function's own handler, and a queue of SQS
that hides messages as long as the deployed one does."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from mypy_boto3_sqs import SQSClient

from functions.ingest import handler
from functions.ingest.retry_delay import Backoff, retry_delays
from functions.runtime.settings import settings
from quoth.events.emulator import Emulator, running_emulator
from quoth.events.resources import ACCESS_KEY, REGION, SECRET_KEY
from tools.build.gateway_events import object_changed

BUCKET, KEY = "quoth-book", "docs/a.md"
HIDDEN_S = 1800
NOBODY = "127.0.0.1:9"
CACHED = (settings, handler._runner, handler._ingest, handler._changes, handler._failures)


@dataclass(frozen=True)
class Changes:
    """A queue with one change of the book in it."""

    client: SQSClient
    url: str

    def receive(self) -> list[dict[str, Any]]:
        """As Lambda hands messages to a function."""
        answer = self.client.receive_message(
            QueueUrl=self.url, WaitTimeSeconds=1, MessageSystemAttributeNames=["All"]
        )
        return [
            {
                "messageId": each.get("MessageId"),
                "receiptHandle": each.get("ReceiptHandle"),
                "body": each.get("Body"),
                "attributes": dict(each.get("Attributes", {})),
            }
            for each in answer.get("Messages", [])
        ]


class Context:
    def get_remaining_time_in_millis(self) -> int:
        return 60_000


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with running_emulator() as emulator:
        yield emulator


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch, emulator: Emulator) -> Iterator[Changes]:
    """The function's settings lead to this queue, and to parts that are away."""
    client = emulator.sqs()
    attributes = {"VisibilityTimeout": str(HIDDEN_S)}
    name = f"changes-{uuid.uuid4().hex}"
    url = client.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
    client.send_message(QueueUrl=url, MessageBody=json.dumps(object_changed(BUCKET, KEY)))
    given = {
        "QUOTH_BUCKET": BUCKET,
        "QUOTH_CHANGES_URL": url,
        "QUOTH_DATABASE_URL": f"postgresql://{NOBODY}/book",
        "QUOTH_QDRANT_URL": f"http://{NOBODY}",
        "QUOTH_EMBEDDINGS_BASE_URL": f"http://{NOBODY}/v1",
        "QUOTH_OPENAI_API_KEY": "none",
        "AWS_ENDPOINT_URL_SQS": emulator.url,
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_DEFAULT_REGION": REGION,
    }
    for variable, value in given.items():
        monkeypatch.setenv(variable, value)
    _forget()
    yield Changes(client, url)
    handler._runner().close()
    _forget()


def _forget() -> None:
    for cached in CACHED:
        cached.cache_clear()


def test_a_change_that_failed_is_shown_long_before_the_queue_would_show_it(
    changes: Changes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handler, "Backoff", lambda: Backoff(first_s=0))
    for delivery in (1, 2, 3):
        (record,) = changes.receive()
        assert record["attributes"]["ApproximateReceiveCount"] == str(delivery)
        assert changes.receive() == []
        answer = handler.handler({"Records": [record]}, Context())
        assert answer == {"batchItemFailures": [{"itemIdentifier": record["messageId"]}]}


def test_a_change_in_the_hands_of_a_function_that_crashed_stays_hidden(
    changes: Changes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crash(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(handler, "ingest_batch", crash)
    with pytest.raises(MemoryError):
        handler.handler({"Records": changes.receive()}, Context())
    assert changes.receive() == []


def test_a_queue_that_does_not_listen_costs_the_delay_only(
    changes: Changes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (record,) = changes.receive()
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", f"http://{NOBODY}")
    answer = handler.handler({"Records": [record]}, Context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": record["messageId"]}]}


def test_waits_double_up_to_the_queues_own_and_only_what_failed_waits() -> None:
    records = [
        {
            "messageId": f"m{deliveries}",
            "receiptHandle": f"h{deliveries}",
            "attributes": {"ApproximateReceiveCount": str(deliveries)},
        }
        for deliveries in range(1, 10)
    ]
    failed = [{"itemIdentifier": f"m{n}"} for n in range(2, 10)]
    waits = retry_delays({"Records": records}, {"batchItemFailures": failed}, Backoff())
    assert waits == {
        "h2": 60, "h3": 120, "h4": 240, "h5": 480, "h6": 960, "h7": 1800, "h8": 1800, "h9": 1800,
    }  # fmt: skip
    assert Backoff().delay_after(1) == 30
    assert Backoff(2, 60).delay_after(400) == 60
