"""The queue for what the database cannot take now: records of answers, and deferred queries."""

from __future__ import annotations

import asyncio
import base64
import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from functions.runtime.trace import current_trace

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

Kind = Literal["record", "deferral", "look"]
KINDS: tuple[Kind, ...] = ("record", "deferral", "look")

CONNECT_SECONDS = 2
READ_SECONDS = 4
ATTEMPTS = 2
BATCH = 10
MAX_BYTES = 1_048_576
"""Of a message, as the queue allows."""
COMPRESS_ABOVE_BYTES = 100_000
"""Longer messages are compressed: a long selection with its answer would pass the queue's limit."""


class OutboxUnavailable(Exception):
    """The queue did not answer, or refused."""


@dataclass(frozen=True, slots=True)
class Message:
    """Something kept. `look` says only that the database has something new to try. `handle` is the
    queue's, to delete it with; None of one that was garbled. `request_id` is of the request that
    sent it."""

    kind: Kind | None
    body: Mapping[str, Any]
    handle: str
    request_id: str = ""


class Outbox:
    """One SQS queue. The rights come from AWS's own environment; `endpoint` is the address of an
    emulator, whose keys are made up. Every method raises OutboxUnavailable."""

    def __init__(self, url: str, endpoint: str = "") -> None:
        self._url = url
        self._endpoint = endpoint
        self._client: SQSClient | None = None

    async def send(self, kind: Kind, body: Mapping[str, Any]) -> None:
        """Keep something. Returns when the queue has it."""
        text = _pack(kind, body)
        await asyncio.to_thread(self._send, text)

    async def waiting(self) -> int:
        """About how many messages there are, those in hand included."""
        return await asyncio.to_thread(self._waiting)

    async def receive(self) -> list[Message]:
        """Some messages, or none. They come again unless they are deleted."""
        return await asyncio.to_thread(self._receive)

    async def delete(self, message: Message) -> None:
        await asyncio.to_thread(self._delete, message.handle)

    def _connected(self) -> SQSClient:
        if self._client is None:
            # Imported here: it comes with the Lambda runtime and most queries never need it.
            import boto3
            from botocore.config import Config

            made_up = {"aws_access_key_id": "quoth", "aws_secret_access_key": "on-this-machine"}
            emulator: dict[str, Any] = {
                "endpoint_url": self._endpoint, "region_name": "us-east-1", **made_up
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

    def _send(self, text: str) -> None:
        with _translated():
            self._connected().send_message(QueueUrl=self._url, MessageBody=text)

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
                _unpack(each.get("Body", ""), each.get("ReceiptHandle", ""))
                for each in answer.get("Messages", [])
            ]

    def _delete(self, handle: str) -> None:
        with _translated():
            self._connected().delete_message(QueueUrl=self._url, ReceiptHandle=handle)


def _pack(kind: Kind, body: Mapping[str, Any]) -> str:
    trace = current_trace()
    given = {"kind": kind, "body": body, "request_id": trace.request_id if trace else ""}
    text = json.dumps(given, separators=(",", ":"))
    if len(text) <= COMPRESS_ABOVE_BYTES:
        return text
    packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    return json.dumps({"packed": packed}, separators=(",", ":"))


def _unpack(text: str, handle: str) -> Message:
    try:
        given = json.loads(text)
        if "packed" in given:
            given = json.loads(zlib.decompress(base64.b64decode(given["packed"], validate=True)))
        if given["kind"] in KINDS and isinstance(given["body"], dict):
            request_id = str(given.get("request_id", ""))
            return Message(given["kind"], given["body"], handle, request_id)
    except (ValueError, KeyError, TypeError, zlib.error):
        pass  # told by the missing kind
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
        raise OutboxUnavailable(f"the queue of what waits: {error}") from error
