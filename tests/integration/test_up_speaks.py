"""`quoth up` over a folder that people and programs work in: what it says, and what it leaves."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from quoth.postgres.embedded import stop_server
from quoth.store import store_of
from tests.integration.up_process import (
    POLL_SECONDS,
    POLLS,
    Up,
    command_line,
    invoke,
    run,
    running,
    running_up,
    wait_until_gone,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

LAMP = "When was the lamp of Pellworm lit?"
LIGHT = "# Lighthouses\n\n## Pellworm\n\nThe lamp of Pellworm was lit in {year}.\n"
SITE = "http://localhost:3000"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Not under pytest's own folder: the database runs under an account that may not enter it."""
    folder = Path(tempfile.mkdtemp(prefix="quoth-speaks-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def book(folder: Path) -> Path:
    docs = folder / "book" / "docs"
    docs.mkdir(parents=True)
    (docs / "light.md").write_text(LIGHT.format(year=1907))
    os.mkfifo(docs / "pipe.md")
    (docs / "secret.md").symlink_to("/etc/passwd")
    (docs / os.fsdecode(b"bad-\xff.md")).write_text("# Bad\n\nA name that is none.\n")
    return docs.parent


@pytest.fixture(scope="module")
def up(book: Path, folder: Path) -> Iterator[Up]:
    with running_up(book, folder / "data", "--origin", SITE, "--origin", "http://b.test") as up:
        yield up


def test_says_a_line_for_each_step_without_a_terminal(up: Up) -> None:
    for step in ("Starting the database", "Looking for changes", "Reading the book: "):
        assert any(line.startswith(step) for line in up.said), up.text
    assert "\x1b" not in up.text


def test_names_what_is_no_file_of_the_book_and_answers_all_the_same(up: Up) -> None:
    assert "lit in 1907" in up.ask(LAMP)["response"]
    for name, reason in (
        ("docs/pipe.md", "it is no regular file"),
        ("docs/secret.md", "it is a link that leaves the folder"),
        ("docs/bad-", "its name is not UTF-8"),
    ):
        assert any(f"skipped {name}" in line and reason in line for line in up.said), up.text


def test_a_file_is_read_only_when_it_is_complete(up: Up) -> None:
    page = up.book / "docs" / "ferries.md"
    question = "What does the ferry to Langeness carry?"
    with page.open("w") as writing:
        writing.write("# Ferries\n\nThe ferry to Langeness carries eleven ")
        writing.flush()
        up.wait_for_line("skipped docs/ferries.md: it is still being written")
        (up.book / "docs" / "light.md").write_text(LIGHT.format(year=1908))
        up.wait_for(LAMP, lambda answer: "lit in 1908" in answer["response"])
        assert "eleven" not in str(up.ask(question))
        writing.write("goats and one piano.\n")
    up.wait_for(question, lambda answer: "eleven goats" in answer["response"])
    up.wait_for_line("Read docs/ferries.md: 1 chunk")


def test_names_a_file_that_an_edit_made_unreadable_once(up: Up) -> None:
    (up.book / "docs" / "latin.md").write_bytes("# Düne\n\nDie Düne wandert.\n".encode("latin-1"))
    up.wait_for_line("skipped docs/latin.md: the file is not UTF-8")
    (up.book / "docs" / "later.md").write_text("# Later\n\nThe seals of Norderoog sleep at noon.\n")
    up.wait_for_line("Read docs/later.md")
    assert up.text.count("skipped docs/latin.md") == 1


def test_a_new_link_lets_one_administrator_in_without_a_restart(up: Up) -> None:
    first = next(line for line in up.said if "Administrators, once" in line).split()[2]
    made = invoke("link", up.book, "--data", up.data)
    assert made.exit_code == 0, made.stderr
    link = made.stdout.strip()
    assert link.startswith(f"{up.url}/analytics/enter?key=")
    replies = [httpx2.get(each, timeout=30).status_code for each in (first, link, link)]
    assert replies == [403, 200, 403]


def test_only_the_given_origins_may_ask_from_a_page(up: Up) -> None:
    body = {"question": LAMP, "session_id": "elsewhere", "fresh": True}

    def ask(origin: str) -> httpx2.Response:
        headers = {"Origin": origin}
        return httpx2.post(f"{up.url}/query", json=body, headers=headers, timeout=30)

    allowed = ask(SITE)
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, SITE)
    assert ask("http://b.test").status_code == 200
    refused = ask("http://evil.test")
    assert (refused.status_code, refused.json()["code"]) == (403, "origin_not_allowed")
    assert "access-control-allow-origin" not in refused.headers
    dashboard = httpx2.get(f"{up.url}/analytics/", headers={"Origin": SITE}, timeout=30)
    assert "access-control-allow-origin" not in dashboard.headers


@pytest.mark.parametrize("wrong", ["localhost:3000", "http://localhost:3000/book", "*"])
def test_says_how_an_origin_is_written(book: Path, wrong: str) -> None:
    ended = invoke("up", book, "--origin", wrong)
    assert ended.exit_code == 2
    assert "is no origin such as http://localhost:3000" in ended.stderr


def test_killed_it_leaves_no_process(up: Up, folder: Path) -> None:
    left = up.every_process()
    assert len(left) >= 9, left  # itself, three parts, the database with its own, and its watcher
    up.process.kill()
    up.process.wait(60)
    wait_until_gone(left)
    assert up.users_of_data() == set()
    assert "No `quoth up`" in invoke("link", up.book, "--data", up.data).stderr


def test_killed_with_its_watcher_it_leaves_nothing_that_the_next_start_does_not_end(
    book: Path, folder: Path
) -> None:
    database = store_of(book, folder / "data").folder / "postgres"
    (book / "docs" / "light.md").write_text(LIGHT.format(year=1908))
    with running_up(book, folder / "data") as first:
        left = first.every_process()
        _kill_with_watcher(first)
        wait_until_gone({pid for pid in left if b"postgres" not in command_line(pid)})
    with running_up(book, folder / "data") as again:  # joins the database that was left
        assert "lit in 1908" in again.ask(LAMP)["response"]
        left |= again.every_process()
        stop_server(database)
        passage = {"source_path": "docs/light.md", "text": "The lamp of Pellworm was lit in 1908."}
        body = {"question": LAMP, "session_id": "waits", "highlight": passage}
        deferred = httpx2.post(f"{again.url}/query", json=body, timeout=30).json()
        assert deferred["status"] == "deferred"
        _kill_with_watcher(again)
        wait_until_gone(left)
    with running_up(book, folder / "data") as last:
        ticket = f"{last.url}/tickets/{deferred['ticket']['id']}"
        state = {}
        for _ in range(POLLS):
            if (state := httpx2.get(ticket, timeout=30).json())["status"] == "done":
                break
            time.sleep(POLL_SECONDS)
        assert "lit in 1908" in state["answer"]["response"]
        left |= last.every_process()
        last.process.send_signal(signal.SIGTERM)
        assert last.process.wait(60) == 0, last.text
    assert running(left) == set()


def _kill_with_watcher(up: Up) -> None:
    (watcher,) = (pid for pid in up.descendants() if b"read -r _" in command_line(pid))
    for pid in (watcher, up.process.pid):
        os.kill(pid, signal.SIGKILL)
    up.process.wait(60)


def test_killed_while_it_starts_it_leaves_no_process(book: Path, folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "quoth", "up", book, "--data", folder / "early", "--port", "0"],
        stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    up = Up(book, folder / "early", process)
    server = next(folder.glob("early/*"), folder) / "postgres" / "data" / "postmaster.pid"
    for _ in range(480):
        server = next(folder.glob("early/*/postgres/data/postmaster.pid"), server)
        if server.exists() or process.poll() is not None:
            break
        signal.sigtimedwait([], 0.25)
    started = up.every_process()
    process.kill()
    process.wait(60)
    wait_until_gone(started | up.users_of_data())


def test_a_folder_that_cannot_be_written_for_its_data_is_one_sentence(book: Path) -> None:
    ended = run("up", book, "--data", "/proc/quoth", "--port", "0")
    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    assert line.startswith("Error: No data can be kept in /proc/quoth")
    assert line.endswith("choose another folder with --data.")
