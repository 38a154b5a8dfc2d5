"""Brings a bucket to the state of a book's folder, and waits until the index has followed."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from functions.book.site.manifest import FILE_NAME
from functions.ingest.prepare import is_markdown

POLL_SECONDS = 2.0
QUIET_POLLS = 3
"""SQS's counts are approximate: the queue counts as empty when it was so often in a row."""

TYPES = {".json": "application/json"}
Pushed = dict[str, list[str]]


class NotTakenIn(Exception):
    """The index did not follow the bucket. The message says what waits or was lost."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a stage takes its book from: its bucket, and the addresses of its two queues."""

    bucket: str
    queue_url: str
    dead_letter_url: str


def push(s3: Any, bucket: str, book: Path, folder: str, manifest: Path | None) -> Pushed:
    """Upload what differs, delete what is gone; the keys by `put` and `deleted`.

    `folder` is the book's folder of Markdown, named as in the bucket. The manifest goes first, so
    that links are known when the pages are read. Files of other kinds are left alone.
    """
    wanted = dict(_files(book, folder))
    there = dict(_objects(s3, bucket, f"{folder}/"))
    pushed: Pushed = {"put": [], "deleted": []}
    if manifest is not None:
        there |= dict(_objects(s3, bucket, FILE_NAME))
        wanted = {FILE_NAME: manifest, **wanted}
    for key, path in wanted.items():
        data = path.read_bytes()
        if there.get(key) != hashlib.md5(data, usedforsecurity=False).hexdigest():
            kind = TYPES.get(path.suffix, "text/markdown; charset=utf-8")
            s3.put_object(Bucket=bucket, Key=key, Body=data, ContentType=kind)
            pushed["put"].append(key)
    for key in sorted(set(there) - set(wanted)):
        if is_markdown(key):
            s3.delete_object(Bucket=bucket, Key=key)
            pushed["deleted"].append(key)
    return pushed


def lost_messages(sqs: Any, target: Target) -> int:
    return _messages(sqs, target.dead_letter_url)


def wait_until_taken_in(sqs: Any, target: Target, lost_before: int, seconds: float) -> None:
    """Return when no change waits any more. NotTakenIn after `seconds`, or when one was lost."""
    until = time.monotonic() + seconds
    quiet = 0
    while quiet < QUIET_POLLS:
        waiting = _messages(sqs, target.queue_url)
        quiet = 0 if waiting else quiet + 1
        lost = _messages(sqs, target.dead_letter_url) - lost_before
        if lost > 0:
            raise NotTakenIn(f"{lost} changes could not be indexed: read the log of ingest")
        if time.monotonic() > until:
            raise NotTakenIn(f"{waiting} changes still wait after {seconds:.0f} s")
        time.sleep(POLL_SECONDS)


def _files(book: Path, folder: str) -> Iterator[tuple[str, Path]]:
    for path in sorted((book / folder).rglob("*")):
        if path.is_file() and is_markdown(path.name):
            yield path.relative_to(book).as_posix(), path


def _objects(s3: Any, bucket: str, prefix: str) -> Iterator[tuple[str, str]]:
    """Key and MD5 (the ETag of an object put in one piece, encrypted with S3's own key)."""
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        for each in page.get("Contents", []):
            yield each["Key"], each["ETag"].strip('"')


def _messages(sqs: Any, url: str) -> int:
    names = [
        "ApproximateNumberOfMessages",
        "ApproximateNumberOfMessagesNotVisible",
        "ApproximateNumberOfMessagesDelayed",
    ]
    found: Mapping[str, str] = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)[
        "Attributes"
    ]
    return sum(int(found.get(name, 0)) for name in names)
