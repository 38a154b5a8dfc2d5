"""The embedded parts: each a process of its own, started together and stopped together."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from quoth.events.emulator import Emulator, running_emulator
from quoth.postgres.embedded import Server, start_server, stop_server
from quoth.postgres.migrate import create_database, create_roles, migrate

DATABASE = "quoth"
START_SECONDS = 120.0
STOP_SECONDS = 15.0


class PartFailed(RuntimeError):
    """An embedded part did not start. The message names it and its log."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Addresses of the running parts. `embeddings_url` is None when OpenAI embeds."""

    postgres: Server
    qdrant_url: str
    embeddings_url: str | None
    emulator: Emulator


@contextmanager
def running_parts(folder: Path, embedded_model: bool) -> Iterator[Parts]:
    """Every part while the block runs, their data and logs in `folder`. Raises PartFailed and the
    parts' own errors."""
    logs = folder / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        # Started side by side: the slowest one sets the time.
        qdrant = stack.enter_context(
            _process("quoth.qdrant", ["--data", str(folder / "qdrant"), "--port", "0"], logs)
        )
        model = (
            stack.enter_context(_process("quoth.embeddings", ["--port", "0"], logs))
            if embedded_model
            else None
        )
        stack.callback(stop_server, folder / "postgres")
        postgres = start_server(folder / "postgres")
        create_database(postgres.dsn(database="postgres"), DATABASE)
        migrate(postgres.dsn(database=DATABASE))
        create_roles(postgres.dsn(database=DATABASE), postgres.passwords)
        emulator = stack.enter_context(running_emulator(logs / "events.log"))
        yield Parts(
            postgres,
            qdrant.ready_url(),
            model.ready_url() if model else None,
            emulator,
        )


@dataclass(frozen=True, slots=True)
class _Started:
    module: str
    process: subprocess.Popen[str]
    log: Path

    def ready_url(self) -> str:
        """The address in the line it prints when it takes requests."""
        lines = self.process.stdout
        if lines is not None and select.select([lines], [], [], START_SECONDS)[0]:
            line = lines.readline()
            if line:
                return line.split()[-1]
        raise PartFailed(f"{self.module} did not start; its log is {self.log}")


@contextmanager
def _process(module: str, arguments: Sequence[str], logs: Path) -> Iterator[_Started]:
    log = logs / f"{module.rsplit('.', 1)[-1]}.log"
    with log.open("a") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            start_new_session=True,  # Ctrl-C reaches us alone; we stop the parts in order
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,
        )
    try:
        yield _Started(module, process, log)
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _die_with_parent() -> None:
    """Ask Linux to end the part when we are killed without a chance to stop it."""
    import ctypes

    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    if os.getppid() == 1:
        os._exit(1)
