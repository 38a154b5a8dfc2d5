"""Reading a file has an end: too slow a file, and one that breaks the process, are refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from functions.book.markdown.parse import UnreadableDocument
from functions.ingest import prepare_process
from functions.ingest.prepare import BookLayout, PreparedDocument, prepare_document
from functions.ingest.prepare_process import DocumentProcess

LAYOUT = BookLayout(docs_root="")
PLAIN = b"# Balance\n\nOne sentence. And one more, with `code`.\n"
SLOW = b"# a\n" * 300_000


@pytest.fixture
def process() -> Iterator[DocumentProcess]:
    process = DocumentProcess()
    yield process
    process.close()


def prepare(process: DocumentProcess, data: bytes, seconds: float = 60) -> PreparedDocument:
    return process.prepare("a.md", data, LAYOUT, "Title", None, seconds)


def test_a_document_is_the_same_from_the_process(process: DocumentProcess) -> None:
    here = prepare_document("a.md", PLAIN, LAYOUT, "Title")
    there = prepare(process, PLAIN)
    assert there == here
    assert [chunk.parts for chunk in there.chunks] == [chunk.parts for chunk in here.chunks]


def test_an_unreadable_file_says_why_and_the_next_is_read(process: DocumentProcess) -> None:
    with pytest.raises(UnreadableDocument, match="not UTF-8"):
        prepare(process, b"\xff")
    assert prepare(process, PLAIN).chunks


def test_a_slow_file_is_refused_and_the_next_is_read(process: DocumentProcess) -> None:
    with pytest.raises(UnreadableDocument, match="takes more than 1 s of processor time"):
        prepare(process, SLOW, seconds=1)
    assert prepare(process, PLAIN).chunks


def test_time_counts_for_each_file_alone(process: DocumentProcess) -> None:
    for _ in range(4):
        assert prepare(process, PLAIN * 2_000, seconds=20).chunks


def test_a_file_that_breaks_the_process_is_refused(
    process: DocumentProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start() -> subprocess.Popen[bytes]:
        aborts = "import os, sys; sys.stdin.buffer.read(10); os.abort()"
        pipe = subprocess.PIPE
        return subprocess.Popen([sys.executable, "-c", aborts], stdin=pipe, stdout=pipe)

    monkeypatch.setattr(prepare_process, "_start", start)
    with pytest.raises(UnreadableDocument, match="ended the process that reads files"):
        prepare(process, PLAIN)
    monkeypatch.undo()
    assert prepare(process, PLAIN).chunks


def test_the_process_ends_with_the_one_that_asks() -> None:
    script = (
        "from functions.ingest.prepare_process import documents\n"
        "from functions.ingest.prepare import BookLayout\n"
        "documents.prepare('a.md', b'# a', BookLayout(docs_root=''), '', None, 9)\n"
        "print(documents._process.pid, flush=True)\n"
        "import os; os.kill(os.getpid(), 9)\n"
    )
    asks = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert asks.returncode == -9
    # Its end is the end of its input; wait for that, however long the machine takes.
    subprocess.run(["tail", f"--pid={int(asks.stdout)}", "-f", "/dev/null"], check=True, timeout=60)
