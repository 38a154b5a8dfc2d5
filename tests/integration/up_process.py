"""`quoth up` as a person runs it: a process over a book's folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from click.testing import CliRunner, Result

from quoth.cli import main

START_SECONDS = 600.0  # a process that is ready is found at once; a busy machine may need minutes
POLLS, POLL_SECONDS = 120, 0.25


def command(*arguments: str | Path) -> list[str]:
    program = "from quoth.cli import main; main(prog_name='quoth')"
    return [sys.executable, "-c", program, *map(str, arguments)]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A command to its end."""
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=START_SECONDS, check=False
    )


def invoke(*arguments: str | Path) -> Result:
    """The same in this process, for what needs none of its own: starting one takes seconds."""
    with ThreadPoolExecutor(1) as thread:  # it runs an event loop of its own
        call = thread.submit(CliRunner().invoke, main, [str(each) for each in arguments])
        return call.result(START_SECONDS)


def wait_until_gone(pids: set[int]) -> None:
    """Fail when one of them still runs after a bounded number of looks."""
    for _ in range(POLLS):
        if not running(pids):
            return
        time.sleep(POLL_SECONDS)
    raise AssertionError({pid: command_line(pid) for pid in running(pids)})


def running(pids: set[int]) -> set[int]:
    """Those that still run."""
    return pids & {pid for pid, _ in _processes()}


@dataclass
class Up:
    """A running `quoth up`. `said` is all it has printed."""

    book: Path
    data: Path
    process: subprocess.Popen[str]
    said: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.said)

    @property
    def url(self) -> str:
        line = next(line for line in self.said if "answers at http" in line)
        return next(word for word in line.split() if word.startswith("http"))

    def ask(self, question: str, session: str = "") -> dict[str, Any]:
        body = {"question": question, "session_id": session or str(uuid.uuid4()), "fresh": True}
        reply = httpx2.post(f"{self.url}/query", json=body, timeout=30)
        assert reply.status_code == 200, reply.text
        answer: dict[str, Any] = reply.json()
        return answer

    def wait_for(self, question: str, holds: Callable[[dict[str, Any]], bool]) -> None:
        """Ask until the answer is as it must be; fail after a bounded number of tries."""
        answer: dict[str, Any] = {}
        for _ in range(POLLS):
            answer = self.ask(question)
            if holds(answer):
                return
            time.sleep(POLL_SECONDS)
        raise AssertionError(f"it did not come to be: {answer}")

    def interrupt(self) -> int:
        """Ctrl-C, and the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)

    def descendants(self) -> set[int]:
        """The processes it started, and theirs, by the kernel's own list."""
        parents = dict(_processes())
        found = {self.process.pid}
        while more := {pid for pid, parent in parents.items() if parent in found} - found:
            found |= more
        return found - {self.process.pid}

    def wait_for_line(self, text: str) -> str:
        """The first line with this text; fail after a bounded number of looks."""
        for _ in range(POLLS):
            if found := next((line.strip() for line in self.said if text in line), ""):
                return found
            time.sleep(POLL_SECONDS)
        raise AssertionError(f"{text!r} was not said:\n{self.text}")

    def every_process(self) -> set[int]:
        """Itself, its parts, the database's server and theirs."""
        parents = dict(_processes())
        found = {self.process.pid} | self.users_of_data()
        while more := {pid for pid, parent in parents.items() if parent in found} - found:
            found |= more
        return found

    def users_of_data(self) -> set[int]:
        """Processes that name the data folder on their command line, as the parts all do."""
        mark = str(self.data).encode()
        return {pid for pid, _ in _processes() if mark in command_line(pid)} - {os.getpid()}


@contextmanager
def running_up(book: Path, data: Path, *options: str, **settings: str) -> Iterator[Up]:
    """`quoth up` on a free port, from the line that says where it answers until the block ends."""
    process = subprocess.Popen(
        command("up", book, "--data", data, "--port", "0", *options),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1", "COLUMNS": "200"} | settings,
    )
    up = Up(book, data, process)
    ready = threading.Event()
    reader = threading.Thread(target=_read, args=(up, ready), daemon=True)
    reader.start()
    try:
        assert ready.wait(START_SECONDS), up.text
        assert process.poll() is None, up.text
        yield up
    finally:
        if process.poll() is None:
            up.interrupt()
        reader.join(10)
        if process.stdout is not None:
            process.stdout.close()


def _read(up: Up, ready: threading.Event) -> None:
    assert up.process.stdout is not None
    for line in up.process.stdout:
        up.said.append(line)
        if "answers at http" in line:
            ready.set()
    ready.set()


def _processes() -> Iterator[tuple[int, int]]:
    """(process, parent) of every process that runs; one that has ended but was not read is none."""
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            state, parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[:2]
        except OSError:
            continue
        if state != "Z":
            yield int(folder.name), int(parent)


def command_line(pid: int) -> bytes:
    """The words a process was started with, NULs between them."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def children_named(word: str) -> list[int]:
    """The processes under this one that have a word on their command line."""
    parents = dict(_processes())
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    mark = word.encode()
    return sorted(pid for pid in found - {os.getpid()} if mark in command_line(pid))
