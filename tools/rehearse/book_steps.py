"""Upload, event, ingest, answer with citations, delete, no longer retrievable."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from functions.answer.refusals import OUT_OF_SCOPE
from quoth.events.sync import FolderSync
from tools.rehearse.cloud import Cloud
from tools.rehearse.deploy import Deployed
from tools.rehearse.log import Log, require
from tools.rehearse.reader import GatewayReader, Json
from tools.rehearse.wait import messages_in, wait_for_book, wait_for_empty_queue

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
    """The deployed stack, a copy of a book, and a reader at the gateway."""

    cloud: Cloud
    deployed: Deployed
    book: Path
    owner_dsn: str
    reader: GatewayReader


def markdown_keys(book: Path) -> list[str]:
    """The keys that become documents: a file that begins with "_" is a part of others."""
    return sorted(
        path.relative_to(book).as_posix()
        for suffix in ("*.md", "*.mdx")
        for path in (book / "docs").rglob(suffix)
        if not path.name.startswith("_")
    )


def upload_and_ingest(log: Log, stage: Stage) -> FolderSync:
    """Put the book into the bucket; its events bring it into the index."""
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
    """A question of the book, one outside it, a selection, a search. Returns the first answer."""
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
    """Delete the file that the answer came from: neither search nor an answer may show it."""
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
