"""Reads a batch of SQS messages, ingests its keys, and reports the messages that failed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote_plus

from functions.book.site.manifest import is_manifest
from functions.ingest.ingest_document import FAILURES, Ingest
from functions.ingest.outcome import Outcome
from functions.ingest.prepare import is_markdown
from functions.runtime.logs import logger
from functions.runtime.trace import current_trace, traced

MIN_SECONDS = 5.0
"""With less time left, no document is begun."""
MAX_ID_LENGTH = 100
CHANGES = frozenset({"Object Created", "Object Deleted"})


@dataclass(frozen=True)
class _Change:
    """The messages that name a key, and the cause of the first of them."""

    cause: str
    messages: list[str] = field(default_factory=list)


BatchAnswer = dict[str, list[dict[str, str]]]


async def ingest_batch(
    event: Mapping[str, Any],
    ingest: Ingest,
    seconds_left: Callable[[], float],
    report: Callable[[Outcome], None] | None = None,
) -> BatchAnswer:
    """Ingest each key that an SQS batch names, once, and return the messages that failed.

    What is no event of this bucket is logged and dropped. For a manifest of the built site, each
    document whose page it changed is ingested. `report` gets every outcome.
    """
    ingest.manifests.refresh()
    manifest_key = ingest.manifests.key
    failed: dict[str, None] = {}
    for key, change in _changes_by_key(event, ingest.store.bucket, manifest_key).items():
        with _caused_by(change.cause):
            if is_manifest(key, manifest_key):
                settled = await _relink(key, ingest, seconds_left, report)
            else:
                settled = await _ingest(key, ingest, seconds_left(), report)
        if not settled:
            failed.update(dict.fromkeys(change.messages))
    return {"batchItemFailures": [{"itemIdentifier": message} for message in failed]}


async def _ingest(
    key: str, ingest: Ingest, seconds: float, report: Callable[[Outcome], None] | None
) -> bool:
    if seconds < MIN_SECONDS:
        logger().warning("no time left for a document", extra={"source_path": key})
        return False
    try:
        outcome = await ingest.ingest_key(key, seconds)
    except Exception as error:  # a defect with one document must not stop the others
        logger().exception("a document could not be ingested", extra={"source_path": key})
        outcome = Outcome(key, "failed", reason=f"{type(error).__name__}: {error}")
    if report is not None:
        report(outcome)
    return outcome.is_settled


async def _relink(
    manifest_key: str,
    ingest: Ingest,
    seconds_left: Callable[[], float],
    report: Callable[[Outcome], None] | None,
) -> bool:
    """Ingest the documents whose page changed. If time runs out, the rest follows with the
    message's next delivery: ingested documents no longer differ."""
    outcome = None
    keys: list[str] = []
    try:
        keys = await ingest.keys_with_other_pages()
    except FAILURES as error:
        outcome = Outcome(manifest_key, "failed", reason=f"{type(error).__name__}: {error}")
    if ingest.manifests.problem:
        outcome = Outcome(manifest_key, "skipped", reason=ingest.manifests.problem)
    if outcome is not None:
        if report is not None:
            report(outcome)
        return outcome.is_settled
    settled = True
    for key in keys:
        settled &= await _ingest(key, ingest, seconds_left(), report)
    return settled


def _caused_by(cause: str) -> AbstractContextManager[object]:
    """Log lines within the block carry the cause as their correlation id."""
    trace = current_trace()
    return traced(replace(trace, correlation_id=cause)) if trace else nullcontext()


def _changes_by_key(event: Mapping[str, Any], bucket: str, manifest_key: str) -> dict[str, _Change]:
    changes: dict[str, _Change] = {}
    for record in event["Records"]:
        message = str(record.get("messageId", ""))
        read = read_message(str(record.get("body", "")), bucket, manifest_key)
        for reason in read.dropped:
            logger().warning(
                "a message was dropped", extra={"message_id": message, "reason": reason}
            )
        for key in read.keys:
            changes.setdefault(key, _Change(read.cause)).messages.append(message)
    return changes


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """The keys in a message, why the rest of it is dropped, and the id of its cause: the request
    that changed the bucket, else the event."""

    keys: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    cause: str = ""


class _Dropped(Exception):
    """This message, or this part of one, is not about the book."""


def read_message(body: str, bucket: str, manifest_key: str = "") -> ReadMessage:
    """Read one message: an EventBridge event or an S3 notification.

    Its keys are Markdown files, and manifests of the built site if `manifest_key` is set. The kind
    of change is ignored: the bucket has the key's state. Never raises: a message that cannot be
    read now cannot be read later either.
    """
    keys: list[str] = []
    dropped: list[str] = []
    try:
        events = _events_in(body)
    except _Dropped as reason:
        return ReadMessage(dropped=(str(reason),))
    cause = ""
    for event in events:
        cause = cause or _cause_of(event)
        try:
            key = _key_of(event, bucket, manifest_key)
        except _Dropped as reason:
            dropped.append(str(reason))
        else:
            if key not in keys:
                keys.append(key)
    return ReadMessage(tuple(keys), tuple(dropped), cause)


def _events_in(body: str) -> list[Any]:
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        raise _Dropped("the message is not JSON") from None
    if isinstance(event, dict) and isinstance(event.get("Records"), list):
        return list(event["Records"])
    if isinstance(event, dict) and event.get("Event") == "s3:TestEvent":
        raise _Dropped("a test event")
    return [event]


def _cause_of(event: Any) -> str:
    for path in (("detail", "request-id"), ("responseElements", "x-amz-request-id"), ("id",)):
        found: Any = event
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        if isinstance(found, str) and found:
            return found[:MAX_ID_LENGTH]
    return ""


def _key_of(event: Any, bucket: str, manifest_key: str) -> str:
    if not isinstance(event, Mapping):
        raise _Dropped("the message is not an event")
    if "detail" in event:
        if event.get("detail-type") not in CHANGES:
            raise _Dropped("the event is no change of an object")
        place, is_encoded = event["detail"], False
    else:
        # Only the older notifications encode their keys.
        place, is_encoded = event.get("s3"), True
    try:
        name, key = place["bucket"]["name"], place["object"]["key"]
    except (KeyError, TypeError):
        raise _Dropped("the event names no object") from None
    if not isinstance(key, str) or not key:
        raise _Dropped("the event names no object")
    if name != bucket:
        raise _Dropped("the event is of another bucket")
    key = unquote_plus(key) if is_encoded else key
    if not is_markdown(key) and not is_manifest(key, manifest_key):
        raise _Dropped("the object is not Markdown")
    return key
