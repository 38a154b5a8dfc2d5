"""A small book over parts that are processes, to be stopped and killed: Postgres, Qdrant, SQS."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from mypy_boto3_sqs import SQSClient

import functions.query.app
import functions.selected.app
from functions.lifecycle.retry import QueueState, run_retry
from functions.runtime.settings import Settings
from quoth.embeddings.app import create_app as create_embeddings
from quoth.events.emulator import Emulator, running_emulator
from quoth.local_server import served
from quoth.postgres.embedded import Server, start_server, stop_server
from quoth.postgres.migrate import create_database, create_roles, migrate
from tests.integration.sample_stage import Stage
from tests.integration.wires import Wire
from tests.load.remembering import remembering_model
from tests.postgres_fixtures import BookDatabase
from tests.qdrant_process import RunningServer, running_server

PAGE = "docs/03-balance-and-walking/02-zero-moment-point.md"
TICKET_KEY = "a key of thirty-two characters, or more"
DATABASE = "standing"


@dataclass
class Standing:
    """The parts, and how to take them away. Addresses stay the same when they come back."""

    stage: Stage
    emulator: Emulator
    folder: Path
    server: Server
    qdrant: ExitStack

    def settings(self, function: str, **changes: Any) -> Settings:
        waiting = {
            "outbox_url": self.emulator.outbox_urls[function],
            "outbox_endpoint": self.emulator.url,
            "ticket_key": TICKET_KEY,
        }
        return self.stage.settings(function, **(waiting | changes))

    @contextmanager
    def postgres_stopped(self) -> Iterator[None]:
        stop_server(self.folder / "postgres")
        try:
            yield
        finally:
            self.server = start_postgres(self.folder)
            self.stage.postgres.lead_to(self.server.port)

    @contextmanager
    def qdrant_killed(self) -> Iterator[None]:
        self.qdrant.close()
        try:
            yield
        finally:
            server = self.qdrant.enter_context(_killable(self.folder / "qdrant"))
            self.stage.qdrant.lead_to(int(server.url.rsplit(":", 1)[1]))

    def sql(self, statement: str, parameters: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        """As the administrator, by the address of the moment."""
        with psycopg.connect(self.server.dsn(database=DATABASE), autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), parameters)
            return cursor.fetchall() if cursor.description else []

    def queued(self, function: str) -> list[dict[str, Any]]:
        """What lies in a function's queue, left there."""
        client: SQSClient = self.emulator.sqs()
        found = client.receive_message(
            QueueUrl=self.emulator.outbox_urls[function],
            MaxNumberOfMessages=10,
            VisibilityTimeout=0,
        )
        return [json.loads(each["Body"]) for each in found.get("Messages", [])]

    def retry(self, function: str, **changes: Any) -> dict[str, int]:
        """One run of the function's schedule."""
        settings = self.settings(function, **changes)
        if function == "query":
            return run_retry(
                "query", lambda: functions.query.app.build_answers(settings), QueueState()
            )
        return run_retry(
            "selected", lambda: functions.selected.app.build_answers(settings), QueueState()
        )


def start_postgres(folder: Path) -> Server:
    return start_server(folder / "postgres", durable=False)


@contextmanager
def _killable(data: Path) -> Iterator[RunningServer]:
    with running_server(data) as server:
        yield server
        server.process.kill()


@contextmanager
def standing_parts() -> Iterator[Standing]:
    """The parts with their data in a folder of their own; nothing is in the book yet."""
    folder = Path(tempfile.mkdtemp(prefix="quoth-standing-"))
    folder.chmod(0o755)
    with ExitStack() as exits:
        exits.callback(shutil.rmtree, folder)
        exits.callback(stop_server, folder / "postgres")
        server = start_postgres(folder)
        create_database(server.dsn(database="postgres"), DATABASE)
        migrate(server.dsn(database=DATABASE))
        create_roles(server.dsn(database=DATABASE), server.passwords)
        qdrant = exits.enter_context(ExitStack())
        url = qdrant.enter_context(_killable(folder / "qdrant")).url
        model = exits.enter_context(served(create_embeddings(remembering_model())))
        wires = Wire(server.port), Wire.to(url), Wire.to(model)
        for wire in wires:
            exits.callback(wire.close)
        emulator = exits.enter_context(running_emulator())
        stage = Stage(BookDatabase(server, DATABASE, server.port), *wires)
        yield Standing(stage, emulator, folder, server, qdrant)
