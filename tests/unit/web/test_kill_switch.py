"""A function that an operator has switched off: it answers one sentence and calls nobody."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

import functions.adapters.aws.secrets
import functions.analytics.app
import functions.query.app
import functions.selected.app
from functions.adapters.aws.kill_switch import FRESH_SECONDS, KillSwitch
from functions.answer.refusals import UNAVAILABLE
from functions.runtime.settings import Settings
from tests.parameter_store import ParameterStore, running_store
from tests.unit.web.test_sessions import BODIES, READS

MODULES = {
    "/query": functions.query.app,
    "/session": functions.query.app,
    "/nowhere": functions.query.app,
    "/query-selected-text": functions.selected.app,
    "/feedback": functions.analytics.app,
    "/health": functions.analytics.app,
    **dict.fromkeys(READS, functions.query.app),
}


NAME = "/quoth/dev/query/switch"


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ParameterStore]:
    with running_store(monkeypatch) as store:
        store.values[NAME] = "on"
        yield store


@pytest.fixture
def outside() -> Iterator[tuple[socket.socket, Settings]]:
    """One port that stands for every outside part; nobody may knock."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        at = f"127.0.0.1:{listener.getsockname()[1]}"
        yield (
            listener,
            Settings(
                switch="off",
                database_url=f"postgresql://a:b@{at}/c",
                qdrant_url=f"http://{at}",
                openai_api_key="k",
                openai_base_url=f"http://{at}",
                embeddings_base_url=f"http://{at}",
            ),
        )


async def ask(module: Any, address: str, settings: Settings) -> httpx2.Response:
    transport = httpx2.ASGITransport(app=module.create(lambda: settings))
    body = BODIES.get(address)
    async with httpx2.AsyncClient(transport=transport, base_url="http://api.test") as client:
        return await client.request("GET" if body is None else "POST", address, json=body)


@pytest.mark.parametrize("address", list(MODULES))
async def test_a_function_that_is_off_says_so_and_calls_nobody(
    address: str, outside: tuple[socket.socket, Settings]
) -> None:
    listener, settings = outside
    reply = await ask(MODULES[address], address, settings)
    assert (reply.status_code, reply.json()["code"]) == (503, "unavailable")
    assert reply.json()["message"] == UNAVAILABLE
    assert reply.headers["retry-after"] == "300"
    assert reply.json()["request_id"] == reply.headers["x-request-id"]
    with pytest.raises(BlockingIOError):
        listener.accept()


async def test_the_same_function_switched_on_calls_them(
    outside: tuple[socket.socket, Settings],
) -> None:
    listener, settings = outside
    on = settings.model_copy(
        update={"switch": "on", "embedding_seconds": 0.1, "search_seconds": 0.1}
    )
    await ask(functions.query.app, READS[0], on)
    listener.accept()[0].close()


def test_the_parameter_switches_a_running_function(
    store: ParameterStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(functions.adapters.aws.secrets, "SECONDS", 0.0)
    clock = [0.0]
    settings = Settings(switch_parameter=NAME)
    switch = KillSwitch(lambda: settings, lambda: clock[0])
    seen = []
    for value in ("on", "off", " OFF ", "on", None, "off", None):
        if value is None:
            store.failures = [(500, "InternalServerError")]
        else:
            store.values[NAME] = value
        clock[0] += FRESH_SECONDS + 1
        seen.append(switch.is_off())
    # What cannot be read leaves it as it was.
    assert seen == [False, True, True, False, False, True, True]
    assert store.asked == [[NAME]] * 7


def test_the_parameter_is_not_asked_for_with_each_request(store: ParameterStore) -> None:
    switch = KillSwitch(lambda: Settings(switch_parameter=NAME))
    assert [switch.is_off() for _ in range(50)] == [False] * 50
    assert len(store.asked) == 1


async def test_a_request_hears_of_the_parameter(store: ParameterStore) -> None:
    store.values[NAME] = "off"
    settings = Settings(switch_parameter=NAME)
    assert (await ask(functions.analytics.app, "/health", settings)).status_code == 503
    store.values[NAME] = "on"
    assert (await ask(functions.analytics.app, "/health", settings)).status_code == 200
