"""The whole of Quoth in processes, each to be killed and brought back at the same address.

HTTP workers over Postgres behind pgbouncer, the Qdrant server, MiniLM, SQS and the OpenAI test
server, with the sample book taken in.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from functions.adapters.aws.object_store import ObjectStore
from functions.ingest.compose import compose_ingest
from functions.runtime.settings import Settings
from quoth.embeddings.minilm import DIMENSIONS, NAME
from quoth.events.emulator import Emulator, running_emulator
from quoth.events.sync import FolderSync
from quoth.local_server import free_port
from quoth.parts import send_logs_to
from quoth.postgres.embedded import Server, start_server, stop_server
from quoth.postgres.migrate import create_database, create_roles, migrate
from tests.integration.wires import Wire
from tests.load.pooler import running_pooler
from tests.load.program import Program
from tests.openai_server.service import API_KEY

BOOK = Path(__file__).parents[2] / "examples" / "book"
DATABASE = "load"
POOL = 4
"""Connections of each function in each worker; on Lambda one of each a process."""
TICKET_KEY = "a key of thirty-two characters, or more"
MODEL = "gpt-6-luna"


@dataclass
class System:
    """Everything that runs, by name."""

    folder: Path
    server: Server
    wire: Wire | None
    emulator: Emulator
    settings: dict[str, Settings]
    programs: dict[str, Program]
    workers: list[Program] = field(default_factory=list)

    @property
    def dsn(self) -> str:
        """The administrator's, past the pooler."""
        return self.server.dsn(database=DATABASE)

    def sql(self, statement: str, parameters: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """As the administrator, past the pooler."""
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), parameters)
            return cursor.fetchall() if cursor.description else []

    def logged(self, message: str) -> int:
        """How many lines of the workers' logs say this."""
        said = f'"message":"{message}"'
        return sum(worker.log.read_text("utf-8").count(said) for worker in self.workers)

    def stop_postgres(self) -> None:
        stop_server(self.folder / "postgres")

    def start_postgres(self) -> None:
        self.server = start_server(self.folder / "postgres")
        if self.wire is not None:
            self.wire.lead_to(self.server.port)

    def slow_model(self, median_s: float, p95_s: float) -> None:
        """Put another model in the place of the one that runs."""
        self._replace("model", *_model(median_s, p95_s))

    def remember_questions(self) -> None:
        """Embed each question once from now on."""
        self._replace("embeddings", "tests.load.remembering")

    def _replace(self, name: str, *arguments: str) -> None:
        program = self.programs[name]
        program.kill()
        program.arguments = [*arguments, "--port", str(program.port)]
        program.start()

    def change_limits(self, **limits: int) -> None:
        for name, value in limits.items():
            self.sql(f"UPDATE limit_settings SET {name} = %s", (value,))


@contextmanager
def running_system(
    workers: int, median_s: float, p95_s: float, *, wired: bool = False
) -> Iterator[System]:
    """The system while the block runs; the model answers after a time drawn from a log-normal
    distribution. Postgres can be stopped and started if it is `wired`: the wire is this process's
    work, and takes a part of each call's time."""
    folder = Path(tempfile.mkdtemp(prefix="quoth-load-", dir="/tmp"))
    folder.chmod(0o755)
    with ExitStack() as exits:
        exits.callback(shutil.rmtree, folder)
        send_logs_to(folder / "functions.log")
        exits.callback(stop_server, folder / "postgres")
        server = start_server(folder / "postgres")
        create_database(server.dsn(database="postgres"), DATABASE)
        migrate(server.dsn(database=DATABASE))
        create_roles(server.dsn(database=DATABASE), server.passwords)
        wire = Wire(server.port) if wired else None
        if wire is not None:
            exits.callback(wire.close)
        leads_to = server.port if wire is None else wire.port
        pooler = exits.enter_context(running_pooler(server, folder / "pooler", 8, leads_to))
        emulator = exits.enter_context(running_emulator(folder / "events.log"))
        programs = {
            "qdrant": _program(folder, "quoth.qdrant", "--data", str(folder / "qdrant")),
            "embeddings": _program(folder, "quoth.embeddings"),
            "model": _program(folder, *_model(median_s, p95_s)),
        }
        for program in programs.values():
            exits.callback(program.kill)
            program.start()
        settings = _settings(server, pooler, emulator, programs)
        system = System(folder, server, wire, emulator, settings, programs)
        # All readers here share one address.
        system.change_limits(network_readers=1_000_000)
        asyncio.run(_take_in(system))
        given = json.dumps({n: each.model_dump(mode="json") for n, each in settings.items()})
        for number in range(workers):
            port, log = free_port(), folder / f"worker-{number}.log"
            worker = Program(["tests.load.worker", str(port)], port, log, given)
            exits.callback(worker.kill)
            worker.start()
            system.workers.append(worker)
        yield system


def _model(median_s: float, p95_s: float) -> tuple[str, ...]:
    return "tests.openai_server", f"--delay-median={median_s}", f"--delay-p95={p95_s}"


def _program(folder: Path, module: str, *arguments: str) -> Program:
    port = free_port()
    log = folder / f"{module}.log"
    return Program([module, *arguments, "--port", str(port)], port, log)


def _settings(
    server: Server, pooler: int, emulator: Emulator, programs: dict[str, Program]
) -> dict[str, Settings]:
    """By function, as they are deployed: each with its own role, `selected` without the index."""
    shared: dict[str, Any] = {
        "embeddings_base_url": f"{programs['embeddings'].url}/v1",
        "embedding_model": NAME,
        "embedding_dimensions": DIMENSIONS,
        "openai_api_key": API_KEY,
        "openai_base_url": f"{programs['model'].url}/v1",
        "model": MODEL,
        "database_pool_size": POOL,
        "request_seconds": 25.0,
        "log_level": "WARNING",
    }
    index = {"qdrant_url": programs["qdrant"].url}
    waiting = {
        name: {"outbox_url": url, "outbox_endpoint": emulator.url, "ticket_key": TICKET_KEY}
        for name, url in emulator.outbox_urls.items()
    }
    own = {
        "query": index | waiting["query"],
        "selected": waiting["selected"],
        "ingest": index | {"bucket": emulator.bucket},
        "analytics": {},
    }
    return {
        name: Settings.model_validate(
            shared
            | each
            | {
                "database_url": server.dsn(f"quoth_{name}", DATABASE).replace(
                    f":{server.port}/", f":{pooler}/"
                )
            }
        )
        for name, each in own.items()
    }


async def _take_in(system: System) -> None:
    client = system.emulator.s3()
    synced = FolderSync(BOOK, system.emulator.bucket, client).run()
    ingest = compose_ingest(system.settings["ingest"], ObjectStore(system.emulator.bucket, client))
    for key in synced.put:
        outcome = await ingest.ingest_key(key)
        if outcome.action not in ("created", "skipped"):
            raise RuntimeError(f"{key} was not taken in: {outcome.reason}")
    await ingest.aclose()
