"""A change whose work fails, comes again, and is not lost."""

from __future__ import annotations

import json
import time

from quoth.events.sync import FolderSync
from tools.rehearse.book_steps import Stage, markdown_keys
from tools.rehearse.gateway_steps import queue_arn
from tools.rehearse.log import Log, require
from tools.rehearse.openai_front import Absence
from tools.rehearse.wait import messages_in, wait_for_book, wait_for_empty_queue

PAGE = "docs/98-comes-again.md"
TEXT = "# Comes again\n\nThe green hoist of hall nine waits for spare bearings from Ostrava.\n"
FAIL_SECONDS = 60.0
AGAIN_SECONDS = 120.0
"""Of the half hour that a message is hidden when nobody says otherwise."""


def fail_and_come_again(log: Log, stage: Stage, sync: FolderSync, absence: Absence) -> None:
    """Put a page while nothing embeds; it must come in soon after that is over."""
    with log.step("A change that fails comes again") as seen:
        _grant(stage)
        (stage.book / PAGE).write_text(TEXT, "utf-8")
        absence.on = True
        require(PAGE in sync.run().put, f"{PAGE} was not put")
        until = time.monotonic() + FAIL_SECONDS
        while absence.refused < 2:  # the call, and its one repetition
            require(time.monotonic() < until, "nobody asked for embeddings")
            time.sleep(0.1)
        failed = time.monotonic()
        seen.append(f"put {PAGE}; its embeddings: {absence.refused} × 503, the change failed")
        absence.on = False
        waiting = messages_in(stage.cloud, stage.deployed, "ChangesQueueUrl")
        require(waiting, "the queue forgot the change")
        wait_for_book(stage.owner_dsn, markdown_keys(stage.book), AGAIN_SECONDS)
        seen.append(f"it came again and is in the book {time.monotonic() - failed:.0f} s later")
        wait_for_empty_queue(stage.cloud, stage.deployed, AGAIN_SECONDS)
        lost = messages_in(stage.cloud, stage.deployed, "DeadLettersUrl")
        require(lost == 0, f"{lost} changes are in the dead-letter queue")
        found = stage.reader.send("GET", "/search?q=green%20hoist%20bearings", session="rehearsal")
        first = found.json()["sections"][0]
        require("comes-again" in first["url"], f"{first}")
        seen.append(f"GET /search finds it: {first['url']}; queue empty, no dead letter")
    log.could_not(
        "the right to say when a failed change comes again: the local AWS asks for one of the"
        " batch call's own, which AWS does not have, so the role of ingest was given it here"
    )


def _grant(stage: Stage) -> None:
    """What only the local AWS asks for. The template has `sqs:ChangeMessageVisibility`, by which
    AWS judges the batch call as well."""
    statement = {
        "Effect": "Allow",
        "Action": "sqs:ChangeMessageVisibilityBatch",
        "Resource": queue_arn(stage),
    }
    stage.cloud.client("iam").put_role_policy(
        RoleName=stage.deployed.resources["IngestRole"],
        PolicyName="of-the-local-aws",
        PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [statement]}),
    )
