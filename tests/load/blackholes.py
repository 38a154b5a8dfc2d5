"""`python -m tests.load.blackholes`: each part falls silent, alone and with each other one.

A silent part takes what is sent and never answers. Printed is a Markdown table of what is heard
after how many seconds; the exit code is 1 where somebody waits too long, or hears neither JSON nor
a page.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any
from unittest.mock import patch

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import functions.adapters.aws.secrets
import functions.analytics.app
import functions.query.app
import functions.selected.app
from functions.lifecycle.tickets import Tickets
from functions.runtime.settings import AwsAccess, Settings
from quoth.local_server import served
from quoth.parts import send_logs_to
from tests.identity_provider import AUDIENCE, TestProvider, running_provider
from tests.integration.sample_stage import BOOK, take_in
from tests.integration.standing import PAGE, TICKET_KEY, Standing, standing_parts
from tests.integration.wires import Wire
from tests.integration.writers import MODEL, QUESTION, SELECTION, is_judging
from tests.openai_server.replies import Answer, Verdicts
from tests.openai_server.running import serving
from tests.openai_server.service import API_KEY, OpenAIServer, Recorded

READER_S, DATABASE_S = 8.0, 4.0
"""The longest that anybody may wait; and while the database alone is silent."""
HANG_S, AT_ONCE = 60.0, 3
TICK_S, STILL_S, TIMES = 0.05, 1.0, 3
"""A machine that gives this process no time makes everybody wait: then it is measured again."""
BASE = "https://api.example"
BUILDERS: dict[str, tuple[ModuleType, str]] = {
    "query": (functions.query.app, "build_answers"),
    "selected": (functions.selected.app, "build_answers"),
    "analytics": (functions.analytics.app, "build_database"),
}
HIGHLIGHT = {"source_path": PAGE, "text": "The ZMP is used for dynamic balance control"}
WAYS: dict[str, bytes] = {
    "database": b"", "login": b"SCRAM", "record": b"finish_query",
    "index": b"", "models": b"", "queue": b"", "provider": b"", "secrets": b"",
}  # fmt: skip
"""What falls silent, by name, and from which words on. `login` and `record` are the database's."""
COLD = frozenset(("login", "provider", "secrets"))
"""What a function that has answered before does not need again."""
PARTS = ("database", "index", "models", "queue", "provider", "secrets")


@dataclass(frozen=True)
class Asked:
    """One request of a reader or an administrator."""

    function: str
    method: str
    path: str
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Heard:
    """What came back: the status of an answer with its notices, the code of an error, or a page;
    "" for anything else."""

    seconds: float
    status: int
    said: str

    def __str__(self) -> str:
        status = "" if self.status == 200 else f"{self.status} "
        return f"{self.seconds:.1f} s {status}{self.said}"


def requests(token: str) -> dict[str, Asked]:
    """Every route that somebody waits for, by name. `token` is an administrator's."""

    def asked(**more: Any) -> dict[str, Any]:
        asked = {"question": QUESTION, "session_id": str(uuid.uuid4()), "fresh": True}
        return asked | more

    selected = asked(
        question="When was the lighthouse of Pellworm lit?",
        selected_text=SELECTION, source={"source_path": PAGE},
    )  # fmt: skip
    ticket = Tickets(TICKET_KEY).sign(str(uuid.uuid4()), "queued", time.time())
    rating = {"response_id": str(uuid.uuid4()), "session_id": "s", "rating": "helpful"}
    signed = {"authorization": f"Bearer {token}"}
    return {
        "question": Asked("query", "POST", "/query", asked()),
        "highlight": Asked("query", "POST", "/query", asked(highlight=HIGHLIGHT)),
        "overview": Asked("query", "POST", "/query", asked(question="What is the book about?")),
        "selection": Asked("selected", "POST", "/query-selected-text", selected),
        "search": Asked("query", "GET", "/search?q=balance"),
        "suggestions": Asked("query", "GET", f"/suggestions?source_path={PAGE}&permalink=/{{n}}"),
        "session": Asked("query", "POST", "/session", {"session_id": "s"}),
        "ticket": Asked("query", "GET", f"/tickets/{ticket}"),
        "feedback": Asked("analytics", "POST", "/feedback", rating),
        "figures": Asked("analytics", "GET", "/analytics/summary", headers=signed),
        "dashboard": Asked("analytics", "GET", "/analytics/pages/topics", headers=signed),
    }


@dataclass
class Process:
    """The function of one request, alone in its thread as in a process of Lambda."""

    asked: Asked
    settings: Settings
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    built: list[Any] = field(default_factory=list)
    thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))

    def __post_init__(self) -> None:
        module, _ = BUILDERS[self.asked.function]
        self.app = module.create(lambda: self.settings)

    def ask(self, path: str = "") -> Future[Heard]:
        """Ask once; for another path, which no part is needed for, the app alone is made ready."""
        return self.thread.submit(self.loop.run_until_complete, self._ask(path))

    async def _ask(self, path: str) -> Heard:
        asked, transport = self.asked, httpx2.ASGITransport(app=self.app)
        _threads.built = self.built
        async with httpx2.AsyncClient(transport=transport, base_url=BASE) as client:
            started = time.perf_counter()
            # Until the function has done what it does after its answer: so does Lambda.
            reply = await client.request(
                asked.method,
                path or asked.path.format(n=next(_numbers)),
                json=asked.body,
                headers=asked.headers,
            )
            seconds = time.perf_counter() - started
        return Heard(seconds, reply.status_code, _said(reply))

    def close(self) -> None:
        with self.thread:
            self.thread.submit(self.loop.run_until_complete, self._close()).result(HANG_S)
        self.loop.close()

    async def _close(self) -> None:
        for each in self.built:
            await each.close()
        await self.loop.shutdown_default_executor()


_numbers = itertools.count()
_threads = threading.local()


def _said(reply: httpx2.Response) -> str:
    kind = reply.headers.get("content-type", "")
    if kind.startswith("text/html"):
        return "page"
    if kind != "application/json":
        return ""
    body = reply.json()
    notices = [notice["code"] for notice in body.get("notices") or ()]
    return str(body.get("code") or " ".join([body.get("status") or "ok", *notices]))


@dataclass
class Silences:
    """A small book over parts that can fall silent."""

    parts: Standing
    provider: TestProvider
    wires: Mapping[str, Sequence[Wire]]
    settings: Mapping[str, Settings]

    def hear(self, silent: Sequence[str], times: int = 2) -> dict[str, list[Heard]]:
        """What each request hears while parts are silent, sent again and again. Each has a
        function of its own, which has answered before unless something COLD is silent."""
        self.parts.sql("DELETE FROM part_states")
        functions.adapters.aws.secrets._known.clear()
        with ExitStack() as exits:
            processes: dict[str, Process] = {}
            for name, asked in requests(self.provider.token()).items():
                processes[name] = Process(asked, self.settings[asked.function])
                exits.callback(processes[name].close)
            if COLD.isdisjoint(silent):
                _ask_all(processes)
            else:
                for process in processes.values():
                    process.ask("/nowhere").result(HANG_S)
            with ExitStack() as falling:
                for name in silent:
                    for wire in self.wires[name]:
                        falling.enter_context(wire.hanging(WAYS[name]))
                heard = [_ask_all(processes) for _ in range(times)]
        return {name: [each[name] for each in heard] for name in processes}


def _ask_all(processes: Mapping[str, Process]) -> dict[str, Heard]:
    """A few at once: they share this process's time."""
    with ThreadPoolExecutor(AT_ONCE) as waiting:
        asked = waiting.map(lambda process: process.ask().result(HANG_S), processes.values())
        return dict(zip(processes, asked, strict=True))


@contextmanager
def silences(parts: Standing, **changes: Any) -> Iterator[Silences]:
    """The functions over these parts, the model, the queue, the identity provider and the secrets,
    each behind a wire. `changes` are settings."""
    with ExitStack() as exits:

        def wired(url: str) -> Wire:
            wire = Wire.to(url)
            exits.callback(wire.close)
            return wire

        server = OpenAIServer()
        server.answer_with(_quote_first)
        model = wired(exits.enter_context(serving(server)))
        provider = exits.enter_context(running_provider())
        issuer = wired(provider.issuer)
        provider.issuer = issuer.url
        queue = wired(parts.emulator.url)
        found: dict[str, str] = {"key": API_KEY, "ticket": TICKET_KEY, "session": "s" * 40}
        secrets = wired(exits.enter_context(served(_parameter_store(found))))
        access = AwsAccess("eu-central-1", "key", "secret", "", secrets.url, "")
        exits.enter_context(
            patch.object(functions.adapters.aws.secrets, "aws_access", lambda: access)
        )
        for module, builder in set(BUILDERS.values()):
            exits.enter_context(_noted(module, builder))
        own = {
            "openai_base_url": f"{model.url}/v1", "model": MODEL, "outbox_endpoint": queue.url,
            "analytics_issuer": issuer.url, "analytics_audience": AUDIENCE,
            **{f"{name}_parameter": parameter for name, parameter in (
                ("openai_api_key", "key"), ("ticket_key", "ticket"), ("session_key", "session"),
                ("analytics_session_key", "session"),
            )},
        }  # fmt: skip
        settings = {}
        for function in BUILDERS:
            base = parts if function != "analytics" else parts.stage
            given = base.settings(function, **(own | changes))
            found[function] = given.database_url
            more = {"database_url": "", "database_url_parameter": function, "ticket_key": ""}
            settings[function] = given.model_copy(update=more)
        stage = parts.stage
        wires = {
            **dict.fromkeys(("database", "login", "record"), (stage.postgres,)),
            "index": (stage.qdrant,), "models": (stage.embeddings, model), "queue": (queue,),
            "provider": (issuer,), "secrets": (secrets,),
        }  # fmt: skip
        yield Silences(parts, provider, wires, settings)


def _quote_first(request: Recorded) -> Answer | Verdicts:
    if is_judging(request):
        return Verdicts([True] * 8)
    id, text = next(iter(request.sentences.items()))
    return Answer([(text, [id])], "full")


def _parameter_store(found: Mapping[str, str]) -> Starlette:
    async def answer(request: Request) -> Response:
        names = (await request.json())["Names"]
        return JSONResponse({"Parameters": [{"Name": n, "Value": found[n]} for n in names]})

    return Starlette(routes=[Route("/", answer, methods=["POST"])])


def _noted(module: ModuleType, builder: str) -> AbstractContextManager[Any]:
    """What functions build is closed by the process that they run in."""
    build = getattr(module, builder)

    def build_and_note(settings: Settings) -> Any:
        made = build(settings)
        _threads.built.append(made)
        return made

    return patch.object(module, builder, build_and_note)


@dataclass
class Pause:
    """The longest time for which this process stood still, all its threads together."""

    seconds: float = 0.0


@contextmanager
def longest_pause() -> Iterator[Pause]:
    """Measured while the block runs."""
    pause, ended = Pause(), threading.Event()

    def tick() -> None:
        last = time.perf_counter()
        while not ended.wait(TICK_S):
            now = time.perf_counter()
            pause.seconds, last = max(pause.seconds, now - last - TICK_S), now

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        yield pause
    finally:
        ended.set()
        thread.join()


def unreadable(heard: Mapping[str, Sequence[Heard]]) -> list[str]:
    """What is neither an answer nor an error that says what is the matter."""
    return [
        f"{name}: {one}"
        for name, each in heard.items()
        for one in each
        if not one.said or one.status not in (200, 404, 503)
    ]


def late(heard: Mapping[str, Sequence[Heard]], longest: float) -> list[str]:
    """Who waited longer."""
    return [f"{n}: {one}" for n, each in heard.items() for one in each if one.seconds > longest]


def main() -> None:
    silent = [(name,) for name in WAYS] + list(itertools.combinations(PARTS, 2))
    wrong: list[str] = []
    with standing_parts() as parts, silences(parts) as stage:
        send_logs_to(parts.folder / "functions.log")
        asyncio.run(take_in(parts.stage, PAGE, (BOOK / PAGE).read_text("utf-8")))
        parts.sql("UPDATE limit_settings SET network_readers = 1000000")
        for number, each in enumerate([(), *silent]):
            for _ in range(TIMES):
                with longest_pause() as pause:
                    heard = stage.hear(each, times=1 if len(each) > 1 else 2)
                if pause.seconds < STILL_S:
                    break
                print(f"{each}: stood still for {pause.seconds:.1f} s", file=sys.stderr)  # noqa: T201
            if not number:
                print("| silent |", *(f"{name} |" for name in heard))  # noqa: T201
                print("|---|" + "---|" * len(heard))  # noqa: T201
            print(f"| {' + '.join(each) or 'none'} |", *(  # noqa: T201
                "; ".join([str(first), *(f"{one.seconds:.1f}" for one in more)]) + " |"
                for first, *more in heard.values()
            ))  # fmt: skip
            sys.stdout.flush()
            longest = DATABASE_S if each == ("database",) else READER_S
            wrong += [f"{each}: {one}" for one in unreadable(heard) + late(heard, longest)]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
