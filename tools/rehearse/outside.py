"""What lies outside AWS, each a process of its own: database, pooler, index, models.

The template has one base address for OpenAI, as there is one in the cloud. The test server checks
each request against OpenAI's own OpenAPI file; its embeddings have no meaning, so those come from
the model that the laptop uses.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from quoth.embeddings.minilm import DIMENSIONS, NAME
from quoth.local_server import free_port, served, stop_process
from quoth.parts import DATABASE, PartFailed, part_process
from quoth.postgres.embedded import Server, start_server, stop_server
from quoth.postgres.migrate import create_database, create_roles, migrate
from quoth.qdrant.app import API_KEY, READ_ONLY_API_KEY, Keys
from tools.rehearse.deploy import PREFIX

SECONDS = 60.0
_PASSED = ("authorization", "content-type", "accept")


@dataclass
class Absence:
    """While `on`, embeddings are answered with 503; `refused` counts them."""

    on: bool = False
    refused: int = 0


def create_front(embeddings_url: str, model_url: str, absence: Absence) -> Starlette:
    """Both addresses end in /v1."""
    client = httpx2.AsyncClient(timeout=SECONDS, trust_env=False)

    async def pass_on(request: Request) -> Response:
        called = request.path_params["call"]
        if absence.on and called == "embeddings":
            absence.refused += 1
            return JSONResponse({"error": {"message": "away"}}, status_code=503)
        base = embeddings_url if called == "embeddings" else model_url
        headers = {name: request.headers[name] for name in _PASSED if name in request.headers}
        try:
            reply = await client.request(
                request.method, f"{base}/{called}", content=await request.body(), headers=headers
            )
        except (httpx2.HTTPError, ClientDisconnect) as error:  # or the function has given up
            return JSONResponse({"error": {"message": type(error).__name__}}, status_code=502)
        return Response(
            reply.content, reply.status_code, media_type=reply.headers.get("content-type")
        )

    @asynccontextmanager
    async def closing(_: Starlette) -> AsyncIterator[None]:
        async with client:
            yield

    routes = [Route("/v1/{call:path}", pass_on, methods=["GET", "POST"])]
    return Starlette(routes=routes, lifespan=closing)


START_SECONDS = 60.0
POOLER = "pgbouncer"
FUNCTIONS = ("query", "selected", "ingest", "analytics")
MADE_UP = ("session-key", "user-key", "ticket-key", "analytics/session-key")


@dataclass(frozen=True, slots=True)
class Outside:
    """`database_port` is the pooler's where there is one. `openai_url` ends in /v1."""

    postgres: Server
    database_port: int
    qdrant_url: str
    qdrant_keys: Keys
    openai_url: str
    openai_key: str
    absence: Absence

    @property
    def pooled(self) -> bool:
        return self.database_port != self.postgres.port

    def owner_dsn(self) -> str:
        """The owner's address of the book's database, past the pooler."""
        return self.postgres.dsn(database=DATABASE)

    def parameters(self) -> dict[str, str]:
        """The template's parameters that say where all this is."""
        return {
            "QdrantUrl": self.qdrant_url,
            "OpenAiBaseUrl": self.openai_url,
            "EmbeddingModel": NAME,
            "EmbeddingDimensions": str(DIMENSIONS),
            "ParameterPrefix": PREFIX,
        }

    def secrets(self) -> dict[str, str]:
        """Name below the prefix to value, for SSM."""
        direct = {name: self.postgres.dsn(f"quoth_{name}", DATABASE) for name in FUNCTIONS}
        address = f":{self.postgres.port}/"
        return {
            **{
                f"{name}/database-url": dsn.replace(address, f":{self.database_port}/")
                for name, dsn in direct.items()
            },
            "query/qdrant-api-key": self.qdrant_keys.read_only,
            "ingest/qdrant-api-key": self.qdrant_keys.full,
            "openai-api-key": self.openai_key,
            **{name: secrets.token_urlsafe(32) for name in MADE_UP},
        }


@contextmanager
def running_outside(folder: Path, project: Path) -> Iterator[Outside]:
    """Every outside part while the block runs, data and logs in `folder`. Raises PartFailed and
    the parts' own errors. `project` holds the test server of OpenAI."""
    logs = folder / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    keys = Keys(secrets.token_urlsafe(24), secrets.token_urlsafe(24))
    with ExitStack() as stack:
        guarded = os.environ | {API_KEY: keys.full, READ_ONLY_API_KEY: keys.read_only}
        asked = ["--data", str(folder / "qdrant"), "--port", "0"]
        index = stack.enter_context(part_process("quoth.qdrant", asked, logs, guarded))
        embedder = stack.enter_context(part_process("quoth.embeddings", ["--port", "0"], logs))
        found = os.environ | {"PYTHONPATH": str(project)}
        model = stack.enter_context(part_process("tests.openai_server", [], logs, found))
        stack.callback(stop_server, folder / "postgres")
        postgres = start_server(folder / "postgres")
        create_database(postgres.dsn(database="postgres"), DATABASE)
        migrate(postgres.dsn(database=DATABASE))
        create_roles(postgres.dsn(database=DATABASE), postgres.passwords)
        port = stack.enter_context(running_pooler(postgres, logs))
        model_url, _, key = model.ready_line().split()[-3:]
        embedder_url = embedder.ready_url()
        if not embedder_url.endswith("/v1"):
            embedder_url += "/v1"
        absence = Absence()
        front = stack.enter_context(served(create_front(embedder_url, model_url, absence)))
        yield Outside(postgres, port, index.ready_url(), keys, f"{front}/v1", key, absence)


@contextmanager
def running_pooler(postgres: Server, folder: Path) -> Iterator[int]:
    """The port of a pgbouncer in transaction mode, as Neon's pooled host is one.

    Without the program on this machine it is the server's own port.
    """
    program = shutil.which(POOLER)
    if program is None:
        yield postgres.port
        return
    users, settings, port = folder / "users.txt", folder / "pooler.ini", free_port()
    users.touch(0o600)
    users.write_text("".join(f'"{r}" "{word}"\n' for r, word in postgres.passwords.items()))
    settings.write_text(
        f"[databases]\n* = host=127.0.0.1 port={postgres.port}\n[pgbouncer]\n"
        f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = scram-sha-256\nauth_file = {users}\npool_mode = transaction\n"
        "default_pool_size = 10\nmax_client_conn = 200\n"
    )
    account: list[str] = []
    if os.geteuid() == 0:  # it refuses to run as root
        account = ["-u", "nobody"]
        shutil.chown(users, "nobody")
    with (folder / "pooler.log").open("w") as log:
        process = subprocess.Popen([program, *account, str(settings)], stdout=log, stderr=log)
    try:
        _wait_for_port(port, process)
        yield port
    finally:
        stop_process(process)


def _wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise PartFailed("the pooler did not start")
