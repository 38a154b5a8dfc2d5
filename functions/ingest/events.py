"""From the queue's messages to the keys they ask to look at."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote_plus

from functions.book.site.manifest import is_manifest

MARKDOWN = frozenset({".md", ".mdx"})
LONGEST_ID = 100
CHANGES = frozenset({"Object Created", "Object Deleted"})


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """The keys a message names, why the rest of it is dropped, and the id of what caused it: the
    request that changed the bucket, else the event."""

    keys: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    cause: str = ""


class _Dropped(Exception):
    """This message, or this part of one, says nothing of the book."""


def is_markdown(key: str) -> bool:
    return PurePosixPath(key).suffix.lower() in MARKDOWN


def read_message(body: str, bucket: str, manifest_key: str = "") -> ReadMessage:
    """Read one message: an EventBridge event or an S3 notification.

    Its keys are Markdown files, and the manifests of the built site where `manifest_key` names one.
    An event says only that something happened to a key; what, the bucket knows. Never raises: a
    message that cannot be read now cannot be read later either.
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
            return found[:LONGEST_ID]
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
