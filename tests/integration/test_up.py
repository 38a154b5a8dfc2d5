"""`quoth up` and `quoth ask` as processes over a small book with some bad files in it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from functions.answer.refusals import UNAVAILABLE
from quoth.postgres.embedded import start_server
from quoth.store import store_of
from tests.integration.up_process import Up, command_line, invoke, run, running, running_up

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

LAMP = "When was the lamp of Pellworm lit?"
LIGHT = """# Lighthouses

## Pellworm

The lamp of Pellworm was lit in {year}. It can be seen from a distance of twenty nautical miles.

## Westerhever

The lighthouse of Westerhever stands on a mound of turf in the salt marsh.
"""
FERRY = "# Ferries\n\nThe ferry to Langeness carries eleven goats and one piano each Tuesday.\n"
BROKEN = "---\ntitle: [unclosed\n---\n\n# Dykes\n\nThe dyke of Husum was raised by seven metres.\n"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Not under pytest's own folder: the database runs under an account that may not enter it."""
    folder = Path(tempfile.mkdtemp(prefix="quoth-up-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def up(folder: Path) -> Iterator[Up]:
    book = folder / "book"
    docs = book / "docs"
    docs.mkdir(parents=True)
    (docs / "light.md").write_text(LIGHT.format(year=1907))
    (docs / "dykes.md").write_text(BROKEN)
    (docs / "huge.md").write_bytes(b"# Huge\n\n" + b"Words without end go on and on. " * 320_000)
    (docs / "latin.md").write_bytes("# Düne\n\nDie Düne wandert.\n".encode("latin-1"))
    (docs / "nul.md").write_bytes(b"# Nul\n\nA byte \0 that is none.\n")
    (docs / "empty.md").write_bytes(b"")
    (docs / "out.md").symlink_to("/etc/hostname")
    os.mkfifo(docs / "pipe.md")
    Path(os.fsdecode(os.fsencode(docs) + b"/caf\xe9.md")).write_text("# A bad name\n")
    with running_up(book, folder / "data") as up:
        yield up


def test_reads_what_can_be_read_and_lists_the_rest_with_its_reason(up: Up) -> None:
    answer = up.ask(LAMP)
    assert answer["status"] == "answered"
    assert "lit in 1907" in answer["response"]
    lines = [line.strip() for line in up.said]
    for name, reason in (
        ("docs/huge.md", "bytes; at most 5,000,000 are read"),
        ("docs/latin.md", "not UTF-8"),
        ("docs/nul.md", "NUL byte"),
    ):
        assert any(line.startswith(f"skipped {name}: ") and reason in line for line in lines), name
    assert any(line.startswith("warning docs/dykes.md: ") for line in lines), up.text
    assert any(line.startswith("Read 6 files: ") for line in lines), up.text
    assert "raised by seven metres" in up.ask("How far was the dyke of Husum raised?")["response"]
    assert "Traceback" not in up.text


def test_says_why_a_link_a_pipe_and_a_bad_name_are_left_out_and_shows_the_rest(up: Up) -> None:
    lines = [line.strip() for line in up.said]
    assert "skipped docs/out.md: it is a link that leaves the folder" in lines
    assert "skipped docs/pipe.md: it is no regular file" in lines
    assert "skipped docs/caf\\xe9.md: its name is not UTF-8" in lines
    shown = httpx2.get(f"{up.url}/light", timeout=30)
    assert (shown.status_code, "lamp of Pellworm" in shown.text) == (200, True)
    assert httpx2.get(f"{up.url}/out", timeout=30).status_code == 404


def test_answers_only_under_the_names_of_this_machine(up: Up) -> None:
    for path in ("/light", "/health", "/analytics/dashboard", "/_quoth/widget/quoth-widget.js"):
        other = httpx2.get(f"{up.url}{path}", headers={"Host": "evil.example"}, timeout=30)
        assert (other.status_code, "--origin" in other.text) == (421, True)


def test_a_book_that_cannot_be_written_is_served_as_it_is(folder: Path) -> None:
    book = folder / "fixed"
    (book / "docs").mkdir(parents=True)
    (book / "docs" / "light.md").write_text(LIGHT.format(year=1907))
    for path in (book / "docs", book):
        path.chmod(0o555)
    before = {path: path.stat().st_mtime_ns for path in (book, *book.rglob("*"))}
    with running_up(book, folder / "fixed-data") as up:
        assert "lit in 1907" in up.ask(LAMP)["response"]
        assert httpx2.get(f"{up.url}/light", timeout=30).status_code == 200
    assert {path: path.stat().st_mtime_ns for path in (book, *book.rglob("*"))} == before
    for path in (book, book / "docs"):
        path.chmod(0o755)


def test_says_that_answers_are_quotes_without_a_key(up: Up) -> None:
    assert "Quote mode: set OPENAI_API_KEY for written answers" in up.text


def test_a_second_one_says_that_the_store_is_in_use_and_where_it_answers(up: Up) -> None:
    second = run("up", up.book, "--data", up.data, "--port", "0")
    assert second.returncode == 1
    assert "in use by another quoth" in second.stderr
    assert up.url in second.stderr
    assert "Traceback" not in second.stderr
    assert up.ask(LAMP)["status"] == "answered"


def test_ask_uses_the_one_that_runs_and_prints_the_response(up: Up) -> None:
    before = up.users_of_data()
    asked = run("ask", LAMP, "--book", up.book, "--data", up.data, "--json")
    assert asked.returncode == 0, asked.stderr
    answer = json.loads(asked.stdout)
    assert "lit in 1907" in answer["response"]
    assert answer["citations"][0]["source_path"] == "docs/light.md"
    assert up.users_of_data() == before


def test_ask_prints_quotes_links_and_the_closest_sections(up: Up) -> None:
    told = invoke("ask", LAMP, "--url", up.url).stdout
    assert "“The lamp of Pellworm was lit in 1907. It can be seen" in told
    assert "/light#pellworm" in told
    refused = invoke("ask", "Who painted the Mona Lisa?", "--url", up.url).stdout
    assert "I cannot answer questions outside the scope of this book." in refused
    assert "Closest sections:" in refused


def test_ask_reads_a_selection_from_a_file(up: Up, folder: Path) -> None:
    (folder / "selection.txt").write_text(LIGHT.format(year=1821))
    given = ("--selected", folder / "selection.txt", "--url", up.url)
    assert "lit in 1821" in invoke("ask", LAMP, *given).stdout
    (folder / "selection.txt").write_text("Too short.")
    short = invoke("ask", LAMP, *given)
    assert short.exit_code == 1
    assert "Please select at least 20 words" in short.stderr


def test_answers_twenty_at_once_while_a_file_is_saved_again_and_again(up: Up) -> None:
    with ThreadPoolExecutor(20) as readers:
        asked = [readers.submit(up.ask, LAMP) for _ in range(20)]
        for _ in range(10):
            (up.book / "docs" / "light.md").write_text(LIGHT.format(year=1907))
        answers = [one.result() for one in asked]
    assert {answer["status"] for answer in answers} == {"answered"}
    assert all("lit in 1907" in answer["response"] for answer in answers)
    assert [answer["notices"] for answer in answers] == [[]] * 20


def test_follows_an_edit(up: Up) -> None:
    (up.book / "docs" / "light.md").write_text(LIGHT.format(year=1908))
    up.wait_for(LAMP, lambda answer: "lit in 1908" in answer["response"])
    assert "in 1907" not in str(up.ask(LAMP))


def test_follows_a_new_file_and_its_end(up: Up) -> None:
    question = "What does the ferry to Langeness carry?"
    assert "goats" not in str(up.ask(question))
    page = up.book / "docs" / "ferries.md"
    page.write_text(FERRY)
    up.wait_for(question, lambda answer: "eleven goats" in answer["response"])
    page.unlink()
    up.wait_for(question, lambda answer: answer["status"] == "refused")
    assert "ferries" not in str(up.ask(question))


def test_a_file_that_becomes_unreadable_keeps_its_last_good_version(up: Up) -> None:
    page = up.book / "docs" / "ferries.md"
    question = "What does the ferry to Langeness carry?"
    page.write_text(FERRY)
    up.wait_for(question, lambda answer: "eleven goats" in answer["response"])
    page.write_bytes(b"\xff\xfe" + FERRY.encode())
    up.wait_for_line("skipped docs/ferries.md: the file is not UTF-8")
    (up.book / "docs" / "later.md").write_text("# Later\n\nThe seals of Norderoog sleep at noon.\n")
    up.wait_for(
        "When do the seals of Norderoog sleep?", lambda answer: "noon" in answer["response"]
    )
    assert "eleven goats" in up.ask(question)["response"]


@pytest.mark.parametrize(
    ("name", "said"),
    [("nowhere", "does not exist"), ("file.md", "is not a folder")],
)
def test_says_what_is_no_book(folder: Path, name: str, said: str) -> None:
    (folder / "file.md").write_text("# A file\n")
    for given in (("up",), ("ingest",), ("ask", LAMP, "--book")):
        ended = invoke(*given, folder / name, "--data", folder / "other")
        assert ended.exit_code == 1
        assert said in ended.stderr


def test_says_that_a_folder_without_markdown_is_no_book(folder: Path) -> None:
    book = folder / "pictures"
    book.mkdir()
    (book / "notes.txt").write_text("no Markdown")
    ended = run("up", book, "--data", folder / "other", "--port", "0")
    assert ended.returncode == 1
    assert "has no Markdown files" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_taken_port_is_named(up: Up, folder: Path) -> None:
    port = up.url.rsplit(":", 1)[1]
    ended = run("up", up.book, "--data", folder / "other", "--port", port)
    assert ended.returncode == 1
    assert f"Port {port} is taken" in ended.stderr


def test_a_question_that_nothing_could_answer_is_answered_under_its_ticket(up: Up) -> None:
    folder = store_of(up.book, up.data).folder
    server = start_server(folder / "postgres")  # joins the one that runs
    (qdrant,) = (pid for pid in up.users_of_data() if b"quoth.qdrant" in command_line(pid))
    os.kill(qdrant, signal.SIGKILL)
    body = {"question": LAMP, "session_id": "waits", "fresh": True}
    with psycopg.connect(server.dsn(), autocommit=True) as database:
        database.execute("ALTER FUNCTION search_chunks RENAME TO search_nothing")
        deferred = httpx2.post(f"{up.url}/query", json=body, timeout=30).json()
        database.execute("ALTER FUNCTION search_nothing RENAME TO search_chunks")
        database.execute("UPDATE deferred_queries SET next_at = clock_timestamp()")
    assert (deferred["status"], deferred["response"]) == ("deferred", UNAVAILABLE)
    state: dict[str, Any] = {}
    for _ in range(120):
        state = httpx2.get(f"{up.url}/tickets/{deferred['ticket']['id']}", timeout=30).json()
        if state["status"] == "done":
            break
        assert (state["status"], state["sentence"]) == ("queued", UNAVAILABLE)
        time.sleep(0.25)
    assert "lit in 1908" in state["answer"]["response"]
    assert (folder / "ticket-key").stat().st_mode & 0o777 == 0o600


def test_ctrl_c_leaves_no_process_running(up: Up) -> None:
    started = up.descendants() | up.users_of_data()
    assert len(started) >= 4
    assert up.interrupt() == 0, up.text
    assert "Stopped." in up.text
    assert "Traceback" not in up.text
    assert up.users_of_data() == set()
    assert running(started) == set()
    assert store_of(up.book, up.data).running_url is None
