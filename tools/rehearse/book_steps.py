"""Rehearsal steps for a book: upload, ingest, ask, delete, run the pipelines' scripts."""

from __future__ import annotations

import json
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from functions.answer.refusals import OUT_OF_SCOPE
from quoth.commands.cost import set_ceilings
from quoth.doctor.findings import MARKS
from quoth.events.sync import FolderSync
from tools.rehearse.cloud import Cloud
from tools.rehearse.deploy import STACK, STAGE, Deployed, examine, run_script, way_to_gateways
from tools.rehearse.gateway import GatewayReader, Json
from tools.rehearse.log import Log, StepFailed, require

POLL_SECONDS = 0.5
CONNECT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class IndexedBook:
    documents: frozenset[str]
    chunks: int
    vectors: int


def read_book(dsn: str) -> IndexedBook:
    """The book as the database has it now."""
    with psycopg.connect(dsn, connect_timeout=CONNECT_SECONDS) as connection:
        paths = connection.execute("SELECT source_path FROM documents WHERE deleted_at IS NULL")
        documents = frozenset(path for (path,) in paths)
        chunks = connection.execute("SELECT count(*) FROM chunks").fetchone()
        vectors = connection.execute("SELECT count(*) FROM passage_vectors").fetchone()
    return IndexedBook(documents, chunks[0] if chunks else 0, vectors[0] if vectors else 0)


def wait_for_book(dsn: str, keys: Collection[str], seconds: float) -> IndexedBook:
    """Wait until the database holds exactly these documents. StepFailed after `seconds`."""
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
    """Messages in the queue named by a stack output, in-flight and delayed ones included."""
    answer = cloud.client("sqs").get_queue_attributes(
        QueueUrl=deployed.outputs[output], AttributeNames=["All"]
    )
    return sum(
        int(count)
        for name, count in answer["Attributes"].items()
        if name.startswith("ApproximateNumberOfMessages")
    )


def wait_for_empty_queue(cloud: Cloud, deployed: Deployed, seconds: float) -> None:
    """Wait until no change is pending. StepFailed after `seconds`."""
    until = time.monotonic() + seconds
    while left := messages_in(cloud, deployed, "ChangesQueueUrl"):
        if time.monotonic() > until:
            raise StepFailed(f"{left} messages are in the queue after {seconds:.0f} s")
        time.sleep(POLL_SECONDS)


INGEST_SECONDS = 300.0

QUESTION = "What does Moravec's paradox say?"
OUTSIDE = "What is the capital of France?"
SELECTION = (
    "The Zero Moment Point (ZMP) is the point on the ground where the horizontal moments of "
    "gravity and inertia vanish. The ZMP is used for dynamic balance control in bipedal walking. "
    "A robot does not tip over while the ZMP stays inside the support polygon of its feet."
)


@dataclass(frozen=True, slots=True)
class Stage:
    """The deployed stack, a copy of a book, and a reader at the gateway. `pooled`: whether there is
    a pooler before the database."""

    cloud: Cloud
    deployed: Deployed
    book: Path
    owner_dsn: str
    reader: GatewayReader
    pooled: bool


def markdown_keys(book: Path) -> list[str]:
    """Keys that become documents; a file whose name begins with "_" is a partial."""
    return sorted(
        path.relative_to(book).as_posix()
        for suffix in ("*.md", "*.mdx")
        for path in (book / "docs").rglob(suffix)
        if not path.name.startswith("_")
    )


def upload_and_ingest(log: Log, stage: Stage) -> FolderSync:
    """Upload the book to the bucket, and wait until its events have indexed it."""
    sync = FolderSync(
        stage.book, stage.deployed.outputs["BookBucketName"], stage.cloud.client("s3")
    )
    keys = markdown_keys(stage.book)
    with log.step("Upload the sample book, and wait for its events to bring it in") as seen:
        put = sync.run()
        seen.append(f"{len(put.put)} files put into the bucket")
        found = wait_for_book(stage.owner_dsn, keys, INGEST_SECONDS)
        wait_for_empty_queue(stage.cloud, stage.deployed, INGEST_SECONDS)
        lost = messages_in(stage.cloud, stage.deployed, "DeadLettersUrl")
        require(lost == 0, f"{lost} changes are in the dead-letter queue")
        seen.append(
            f"bucket → event → queue → ingest: {len(found.documents)} documents,"
            f" {found.chunks} chunks, {found.vectors} vectors; queue empty, no dead letter"
        )
    return sync


def ask_questions(log: Log, stage: Stage) -> Json:
    """Ask the book, outside the book, and a selection; then search, rate and check health.

    Returns the first answer."""
    reader = stage.reader
    with log.step("Ask the book through the gateway") as seen:
        answer = reader.ask("/query", {"question": QUESTION, "session_id": "rehearsal"})
        seen.append(f"? {QUESTION}")
        seen.append(f"{answer['status']}: {answer['response']} ({reader.took_ms:.0f} ms)")
        require(answer["status"] == "answered" and answer["citations"], f"no answer: {answer}")
        for each in answer["citations"]:
            seen.append(
                f"[{each['n']}] {each['label']} → {each['url']}: “{each['quote']['exact']}”"
            )
        again = reader.ask(
            "/query", {"question": QUESTION, "session_id": "rehearsal", "fresh": True}
        )
        require(again["status"] == "answered", f"no second answer: {again}")
        seen.append(f"the same, asked afresh of a warm function: {reader.took_ms:.0f} ms")
    with log.step("What is outside the book is refused") as seen:
        refused = reader.ask("/query", {"question": OUTSIDE, "session_id": "rehearsal"})
        require(refused["response"] == OUT_OF_SCOPE, f"not refused: {refused}")
        seen.append(f"? {OUTSIDE}")
        seen.append(f"refused: {refused['response']}")
    with log.step("Ask about a selection, and nothing else") as seen:
        body = {"question": "What is the ZMP used for?", "session_id": "rehearsal"}
        chosen = reader.ask("/query-selected-text", body | {"selected_text": SELECTION})
        require(chosen["status"] == "answered", f"no answer: {chosen}")
        require(chosen["in_selected_text"], f"not out of the selection: {chosen}")
        seen.append(f"answered: {chosen['response']}")
    with log.step("Search, feedback, health") as seen:
        found = reader.send("GET", "/search?q=zero%20moment%20point", session="rehearsal")
        require(found.status_code == 200, f"/search answers {found.status_code}: {found.text}")
        seen.append(f"GET /search: {len(found.json()['sections'])} sections")
        liked = {
            "response_id": answer["response_id"],
            "session_id": "rehearsal",
            "rating": "helpful",
        }
        given = reader.send("POST", "/feedback", liked, session="rehearsal")
        require(given.status_code in (200, 201, 202, 204), f"/feedback: {given.status_code}")
        seen.append(f"POST /feedback: {given.status_code}")
        health = reader.send("GET", "/health")
        require(health.status_code == 200, f"/health answers {health.status_code}")
        seen.append(f"GET /health: {health.status_code}")
    return answer


def delete_and_ask_again(log: Log, stage: Stage, sync: FolderSync, answer: Json) -> None:
    """Delete the cited file: neither search nor an answer may use it afterwards."""
    path = answer["citations"][0]["source_path"]
    with log.step("Delete the file that was cited, and ask again") as seen:
        (stage.book / path).unlink()
        gone = sync.run().deleted
        require(gone == (path,), f"deleted in the bucket: {gone}")
        wait_for_book(stage.owner_dsn, markdown_keys(stage.book), INGEST_SECONDS)
        wait_for_empty_queue(stage.cloud, stage.deployed, INGEST_SECONDS)
        seen.append(f"s3 delete {path} → event → queue → ingest: out of the database")
        asked = {"question": QUESTION, "session_id": "rehearsal-after", "fresh": True}
        after = stage.reader.ask("/query", asked)
        cited = [each["source_path"] for each in after["citations"]]
        require(path not in cited, f"{path} is still cited")
        found = stage.reader.send("GET", "/search?q=moravec%20paradox", session="rehearsal").json()[
            "sections"
        ]
        page = answer["citations"][0]["url"].split("#")[0]
        still = [each for each in found if each["url"].split("#")[0] == page]
        require(not still, f"{path} is still found")
        seen.append(f"asked again: {after['status']}, cites {sorted(set(cited)) or 'nothing'}")
        seen.append("no longer retrievable: neither cited nor among the sections found")


NEW_PAGE = "docs/99-rehearsal.md"
NEW_TEXT = "# Rehearsal\n\nThe yellow crane in hall seven lifts four tonnes of scrap at a time.\n"
NEW_GOLDEN = """- question: What does the yellow crane in hall seven lift?
  section: 99-rehearsal.md#rehearsal
"""
VERDICTS = (0, 1)


def run_scripts(log: Log, stage: Stage, project: Path, folder: Path) -> None:
    """Examine the stage and ask the golden questions as a deployment does, then push the book with
    one more page. `folder` has the stage's samconfig.toml."""
    with (
        log.step("The pipelines' scripts: examine.sh, smoke.sh, publish.sh") as seen,
        way_to_gateways(stage.cloud.certificate) as way,
    ):
        account = {**stage.cloud.environment, **way}
        origin = stage.reader.origin
        examined = examine(project, folder, account, stage.pooled)
        seen.append(f"examine.sh {STAGE}: {_verdicts(examined)}")
        # The test server's model cannot write answers; a ceiling of 0 makes Quoth quote the book.
        # Quotes alone may miss the bounds, so smoke.sh may pass or fail, but must give a verdict.
        set_ceilings(stage.owner_dsn, {"daily": 0})
        smoked = _told(run_script(project, "smoke.sh", [STAGE, origin], account, VERDICTS))
        seen.append(f"smoke.sh {STAGE} {origin}: {smoked}")
        (stage.book / NEW_PAGE).write_text(NEW_TEXT, "utf-8")
        (stage.book / "golden.yaml").write_text(NEW_GOLDEN, "utf-8")
        published = run_script(project, "publish.sh", [str(stage.book), STACK, origin], account)
        set_ceilings(stage.owner_dsn, {"daily": None})
        require(f"put      {NEW_PAGE}\n1 put, 0 deleted" in published, published)
        seen.append(f"publish.sh BOOK {STACK} {origin}: 1 put, 0 deleted; {_told(published)}")


def _verdicts(printed: str) -> str:
    """How many of the doctor's checks passed, and the names of those with a warning."""
    lines = printed.splitlines()
    right = sum(line.startswith(MARKS["ok"]) for line in lines)
    others = [line.split()[1] for line in lines if line.startswith(MARKS["warning"])]
    require(right, printed)
    return f"{right} checks right; to think about: {', '.join(others) or 'none'}"


def _told(printed: str) -> str:
    """The figures of the golden questions, from the last line that a script printed."""
    figures: dict[str, Any] = json.loads(printed.strip().splitlines()[-1])
    short = figures.pop("short")
    said = ", ".join(f"{name} {value}" for name, value in figures.items())
    return f"{said}; falls short: {', '.join(short)}" if short else f"{said}; holds"
