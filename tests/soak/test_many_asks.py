"""Twenty `quoth ask` at once, each a process of its own, while the book is being edited."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.up_process import Up, command, running_up

ASKS = 20
SECONDS = 300.0
PAUSE_SECONDS = 0.5
LIGHT = "# Lighthouses\n\nThe lamp of Pellworm was lit in 1907. This text was saved {n} times.\n"

pytestmark = pytest.mark.soak


@pytest.fixture
def up() -> Iterator[Up]:
    folder = Path(tempfile.mkdtemp(prefix="quoth-asks-", dir="/tmp"))
    folder.chmod(0o755)
    book = folder / "book"
    (book / "docs").mkdir(parents=True)
    (book / "docs" / "light.md").write_text(LIGHT.format(n=0))
    with running_up(book, folder / "data") as up:
        yield up
    shutil.rmtree(folder)


def test_twenty_processes_ask_at_once_while_a_file_is_saved_again_and_again(up: Up) -> None:
    question = "When was the lamp of Pellworm lit?"
    asking = [
        subprocess.Popen(
            command("ask", question, "--book", up.book, "--data", up.data, "--json"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(ASKS)
    ]
    try:
        saved = 0
        while any(process.poll() is None for process in asking) and saved < 1_000:
            saved += 1
            (up.book / "docs" / "light.md").write_text(LIGHT.format(n=saved))
            up.ask(question)
            time.sleep(PAUSE_SECONDS)
        for process in asking:
            told, complaint = process.communicate(timeout=SECONDS)
            assert process.returncode == 0, complaint
            answer = json.loads(told)
            assert answer["status"] == "answered"
            assert "lit in 1907" in answer["response"]
            # Who asks while the page changes may be told so, and nothing else: no part failed.
            assert {notice["code"] for notice in answer["notices"]} <= {"content_updated"}
    finally:
        for process in asking:
            process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
