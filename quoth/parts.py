"""The embedded parts: each a process of its own, started together and stopped together."""

from __future__ import annotations

import logging
import os
import secrets
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from functions.runtime.logs import logger
from functions.runtime.metrics import send_metrics_to
from quoth.events.emulator import Emulator, running_emulator
from quoth.local_server import stop_process, with_parent
from quoth.postgres.embedded import Server, running_server
from quoth.postgres.migrate import OtherMigrations, create_database, create_roles, migrate

DATABASE = "quoth"
TICKET_KEY = "ticket-key"
"""The file with the key of readers' tickets."""
START_SECONDS = 120.0


class PartFailed(RuntimeError):
    """An embedded part did not start. The message names it and its log."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Addresses of the running parts. `models_url` has the reader and MiniLM, `outboxes` is the
    folder of the outboxes."""

    postgres: Server
    qdrant_url: str
    models_url: str
    emulator: Emulator
    ticket_key: str
    session_key: str
    outboxes: Path

    def outbox_url(self, function: str) -> str:
        """The file of what a function's database cannot store now."""
        return (self.outboxes / f"{function}-outbox.sqlite").resolve().as_uri()


@contextmanager
def running_parts(folder: Path) -> Iterator[Parts]:
    """Every part while the block runs, their data and logs in `folder`. Raises PartFailed and the
    parts' own errors."""
    logs = folder / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        # Started side by side: the slowest one sets the time.
        qdrant = stack.enter_context(
            part_process("quoth.qdrant", ["--data", str(folder / "qdrant"), "--port", "0"], logs)
        )
        models = stack.enter_context(part_process("quoth.embeddings", ["--port", "0"], logs))
        postgres = stack.enter_context(running_server(folder / "postgres"))
        create_database(postgres.dsn(database="postgres"), DATABASE)
        try:
            migrate(postgres.dsn(database=DATABASE))
        except OtherMigrations as error:
            raise PartFailed(
                f"{error}: another version of Quoth made this store. Delete {folder} and start"
                " again; the book is read anew, recorded questions are lost."
            ) from error
        create_roles(postgres.dsn(database=DATABASE), postgres.passwords)
        emulator = stack.enter_context(
            running_emulator(logs / "events.log", folder=folder / "events")
        )
        yield Parts(
            postgres,
            qdrant.ready_url(),
            models.ready_url(),
            emulator,
            stored_key(folder / TICKET_KEY),
            stored_key(folder / "session-key"),
            folder,
        )


def stored_key(path: Path) -> str:
    """The secret in a file that only its owner may read, made at the first start."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as made:
            made.write(secrets.token_urlsafe(32))
    except FileExistsError:
        pass
    return path.read_text()


@dataclass(frozen=True, slots=True)
class StartedPart:
    """A process. `module` is what it runs, `log` its standard error."""

    module: str
    process: subprocess.Popen[str]
    log: Path

    def ready_url(self) -> str:
        """The address in the line it prints when it takes requests."""
        return self.ready_line().split()[-1]

    def ready_line(self) -> str:
        """The line it prints when it takes requests."""
        lines = self.process.stdout
        if lines is not None and select.select([lines], [], [], START_SECONDS)[0]:
            line = lines.readline()
            if line:
                return line
        raise PartFailed(f"{self.module} did not start; its log is {self.log}")


@contextmanager
def part_process(
    module: str,
    arguments: Sequence[str],
    logs: Path,
    environment: Mapping[str, str] | None = None,
) -> Iterator[StartedPart]:
    """`python -m module …` while the block runs; it prints its address when it takes requests."""
    log = logs / f"{module.rsplit('.', 1)[-1]}.log"
    with log.open("a") as said:
        process = subprocess.Popen(
            with_parent(module, *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            env=environment,
            start_new_session=True,  # Ctrl-C reaches us alone; we stop the parts in order
        )
    try:
        yield StartedPart(module, process, log)
    finally:
        stop_process(process)
        if process.stdout is not None:
            process.stdout.close()


def send_logs_to(path: Path) -> None:
    """Append the functions' JSON lines, and their metrics, to a file instead of standard output."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source = logger()
    handler = _LogFile(path, encoding="utf-8")
    handler.setFormatter(source.registered_formatter)
    target = logging.getLogger(source.service)
    for old in list(target.handlers):
        target.removeHandler(old)
    target.addHandler(handler)
    send_metrics_to(_LogFile(path, encoding="utf-8"))


class _LogFile(logging.FileHandler):
    """Says once where it cannot write, as on a full disk."""

    told: ClassVar[set[str]] = set()

    def handleError(self, record: logging.LogRecord) -> None:
        reason = getattr(sys.exc_info()[1], "strerror", None)
        if reason is None:
            super().handleError(record)
        elif self.baseFilename not in self.told:
            self.told.add(self.baseFilename)
            print(f"The log {self.baseFilename} cannot be written: {reason}.", file=sys.stderr)
