"""The outbox: an SQS queue of records and deferred queries that the database cannot store now."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from functions.runtime.trace import current_trace

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

Kind = Literal["record", "deferral", "look"]
KINDS: tuple[Kind, ...] = ("record", "deferral", "look")

CONNECT_SECONDS = 1
READ_SECONDS = 3
ATTEMPTS = 2
SEND_SECONDS = 2.0
"""Of a reader's request, for all attempts."""
BATCH = 10
MAX_BYTES = 1_048_576
"""The size limit of an SQS message."""
COMPRESS_ABOVE_BYTES = 100_000
"""Longer messages are compressed: a long selection with its answer could exceed the limit."""


class OutboxUnavailable(Exception):
    """SQS did not answer or rejected the call."""


@dataclass(frozen=True, slots=True)
class Message:
    """A received message. A `look` has no body: it only says that a deferred query is waiting in
    the database. `kind` is None for an unreadable message, `handle` is SQS's receipt handle, and
    `request_id` names the request that sent it."""

    kind: Kind | None
    body: Mapping[str, Any]
    handle: str
    request_id: str = ""


class Outbox:
    """One SQS queue. Every method raises OutboxUnavailable.

    Credentials come from AWS's environment. `endpoint` is the address of an emulator, which gets
    dummy credentials.
    """

    def __init__(self, url: str, endpoint: str = "") -> None:
        self._url = url
        self._endpoint = endpoint
        self._client: SQSClient | None = None
        self._connects = threading.Lock()

    def load(self) -> None:
        """Begin to load boto3, in a thread: its first client takes a second."""
        threading.Thread(target=self._load, daemon=True).start()

    async def send(self, kind: Kind, body: Mapping[str, Any]) -> None:
        """Send a message. Returns once SQS has stored it."""
        text = pack_message(kind, body)
        client = await asyncio.to_thread(self._connected)
        try:
            async with asyncio.timeout(SEND_SECONDS):
                await asyncio.to_thread(self._send, client, text)
        except TimeoutError as error:
            raise OutboxUnavailable(f"no answer within {SEND_SECONDS:g} s") from error

    async def waiting(self) -> int:
        """The approximate number of messages, including those being processed."""
        return await asyncio.to_thread(self._waiting)

    async def receive(self) -> list[Message]:
        """Receive up to `BATCH` messages. They are redelivered unless they are deleted."""
        return await asyncio.to_thread(self._receive)

    async def delete(self, message: Message) -> None:
        await asyncio.to_thread(self._delete, message.handle)

    def _load(self) -> None:
        with suppress(OutboxUnavailable):  # said to who sends
            self._connected()

    def _connected(self) -> SQSClient:
        with self._connects, _translated():
            if self._client is None:
                # Imported here: slow to load, and most queries never need it.
                import boto3
                from botocore.config import Config

                dummy = {"aws_access_key_id": "quoth", "aws_secret_access_key": "on-this-machine"}
                emulator: dict[str, Any] = {
                    "endpoint_url": self._endpoint, "region_name": "us-east-1", **dummy
                }  # fmt: skip
                self._client = boto3.client(
                    "sqs",
                    config=Config(
                        connect_timeout=CONNECT_SECONDS,
                        read_timeout=READ_SECONDS,
                        retries={"total_max_attempts": ATTEMPTS, "mode": "standard"},
                    ),
                    **(emulator if self._endpoint else {}),
                )
            return self._client

    def _send(self, client: SQSClient, text: str) -> None:
        with _translated():
            client.send_message(QueueUrl=self._url, MessageBody=text)

    def _waiting(self) -> int:
        with _translated():
            answer = self._connected().get_queue_attributes(
                QueueUrl=self._url,
                AttributeNames=[
                    "ApproximateNumberOfMessages",
                    "ApproximateNumberOfMessagesNotVisible",
                ],
            )
            return sum(int(count) for count in answer.get("Attributes", {}).values())

    def _receive(self) -> list[Message]:
        with _translated():
            answer = self._connected().receive_message(
                QueueUrl=self._url, MaxNumberOfMessages=BATCH, WaitTimeSeconds=1
            )
            return [
                unpack_message(each.get("Body", ""), each.get("ReceiptHandle", ""))
                for each in answer.get("Messages", [])
            ]

    def _delete(self, handle: str) -> None:
        with _translated():
            self._connected().delete_message(QueueUrl=self._url, ReceiptHandle=handle)


def pack_message(kind: Kind, body: Mapping[str, Any]) -> str:
    """A message as text, compressed where it is long."""
    trace = current_trace()
    given = {"kind": kind, "body": body, "request_id": trace.request_id if trace else ""}
    text = json.dumps(given, separators=(",", ":"))
    if len(text) <= COMPRESS_ABOVE_BYTES:
        return text
    packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    return json.dumps({"packed": packed}, separators=(",", ":"))


def unpack_message(text: str, handle: str) -> Message:
    """The message of a text; one without a kind where it cannot be read."""
    try:
        given = json.loads(text)
        if "packed" in given:
            given = json.loads(zlib.decompress(base64.b64decode(given["packed"], validate=True)))
        if given["kind"] in KINDS and isinstance(given["body"], dict):
            request_id = str(given.get("request_id", ""))
            return Message(given["kind"], given["body"], handle, request_id)
    except (ValueError, KeyError, TypeError, zlib.error):
        pass  # reported as a message without a kind
    return Message(None, {}, handle)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
    except ModuleNotFoundError as error:  # a plain server without AWS
        raise OutboxUnavailable("boto3 is not installed here") from error
    try:
        yield
    except (BotoCoreError, ClientError, HTTPClientError, OSError) as error:
        raise OutboxUnavailable(f"the outbox queue: {error}") from error
