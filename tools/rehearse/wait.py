"""Waits for the deployed stack to take in what changed in its bucket."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass

import psycopg

from tools.rehearse.cloud import Cloud
from tools.rehearse.deploy import Deployed
from tools.rehearse.log import StepFailed

POLL_SECONDS = 0.5
CONNECT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class TakenIn:
    documents: frozenset[str]
    chunks: int
    vectors: int


def read_book(dsn: str) -> TakenIn:
    """What of the book is in the database now."""
    with psycopg.connect(dsn, connect_timeout=CONNECT_SECONDS) as connection:
        paths = connection.execute("SELECT source_path FROM documents WHERE deleted_at IS NULL")
        documents = frozenset(path for (path,) in paths)
        chunks = connection.execute("SELECT count(*) FROM chunks").fetchone()
        vectors = connection.execute("SELECT count(*) FROM passage_vectors").fetchone()
    return TakenIn(documents, chunks[0] if chunks else 0, vectors[0] if vectors else 0)


def wait_for_book(dsn: str, keys: Collection[str], seconds: float) -> TakenIn:
    """Return when the database holds just these documents. StepFailed after `seconds`."""
    wanted = frozenset(keys)
    until = time.monotonic() + seconds
    while (found := read_book(dsn)).documents != wanted:
        if time.monotonic() > until:
            raise StepFailed(
                f"after {seconds:.0f} s the database lacks {sorted(wanted - found.documents)}"
                f" and still has {sorted(found.documents - wanted)}"
            )
        time.sleep(POLL_SECONDS)
    return found


def messages_in(cloud: Cloud, deployed: Deployed, output: str) -> int:
    """Messages in the queue that an output of the stack names, those in hand included."""
    answer = cloud.client("sqs").get_queue_attributes(
        QueueUrl=deployed.outputs[output], AttributeNames=["All"]
    )
    return sum(
        int(count)
        for name, count in answer["Attributes"].items()
        if name.startswith("ApproximateNumberOfMessages")
    )


def wait_for_empty_queue(cloud: Cloud, deployed: Deployed, seconds: float) -> None:
    """Return when no change is on its way any more. StepFailed after `seconds`."""
    until = time.monotonic() + seconds
    while left := messages_in(cloud, deployed, "ChangesQueueUrl"):
        if time.monotonic() > until:
            raise StepFailed(f"{left} messages are in the queue after {seconds:.0f} s")
        time.sleep(POLL_SECONDS)
