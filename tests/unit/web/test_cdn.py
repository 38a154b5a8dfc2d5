"""Behind a CDN: its word on the reader counts with the secret, and nothing counts without it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2
import pytest
from fastapi import APIRouter, FastAPI, Request

from functions.adapters.aws.secrets import SecretUnavailable
from functions.runtime.settings import Settings
from functions.web import app as web_app
from functions.web import cdn
from functions.web.app import FunctionInfo, create_app
from functions.web.caller import caller_of
from functions.web.cdn import ADDRESS_HEADER, HOST_HEADER, SECRET_HEADER
from functions.web.sentences import NOT_HERE
from tests.unit.web.small_app import no_records

SECRET = "between the CDN and the functions"
READER, HOST = "203.0.113.9", "ask.example.org"
EVENT = {"requestContext": {"requestId": "gateway-1", "http": {"sourceIp": "198.51.100.7"}}}
SAID = {SECRET_HEADER: SECRET, ADDRESS_HEADER: READER, HOST_HEADER: HOST}


def app(settings: Settings) -> FastAPI:
    router = APIRouter()

    @router.get("/seen")
    async def seen(request: Request) -> dict[str, Any]:
        found = caller_of(request, settings)
        return {
            "network": found.network and found.network.name,
            "host": request.url.netloc,
            "headers": sorted(request.headers),
        }

    return create_app("small", [router], FunctionInfo("small", lambda: settings, no_records))


async def call(
    headers: Mapping[str, str], settings: Settings | None = None, path: str = "/seen"
) -> httpx2.Response:
    inner = app(settings or Settings(cdn_secret=SECRET))

    async def with_event(scope: Any, receive: Any, send: Any) -> None:
        await inner({**scope, "aws.event": EVENT}, receive, send)

    transport = httpx2.ASGITransport(with_event, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="https://a1.example") as client:
        return await client.get(path, headers=headers)


async def test_the_reader_is_whom_the_cdn_names() -> None:
    seen = (await call(SAID)).json()
    assert (seen["network"], seen["host"]) == (READER, HOST)
    assert not {SECRET_HEADER, ADDRESS_HEADER, HOST_HEADER} & set(seen["headers"])


async def test_a_request_is_counted_under_its_route(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[tuple[str, int]] = []
    monkeypatch.setattr(
        web_app, "count_request", lambda route, status, _: counted.append((route, status))
    )
    await call(SAID)
    await call({})
    assert counted == [("/seen", 200), ("none", 403)]


async def test_readers_of_one_ipv6_network_are_counted_together() -> None:
    seen = (await call(SAID | {ADDRESS_HEADER: "2001:db8:7:1:a:b:c:d"})).json()
    assert seen["network"] == "2001:db8:7:1::/64"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {ADDRESS_HEADER: READER, HOST_HEADER: HOST},
        SAID | {SECRET_HEADER: ""},
        SAID | {SECRET_HEADER: SECRET[:-1]},
        SAID | {SECRET_HEADER: f"{SECRET}x"},
        SAID | {SECRET_HEADER: "ÿ"},
        {SECRET_HEADER: SECRET, HOST_HEADER: HOST},
        SAID | {ADDRESS_HEADER: "nobody"},
        SAID | {ADDRESS_HEADER: f"{READER}, 192.0.2.1"},
    ],
)
async def test_what_did_not_come_through_the_cdn_is_refused(given: Mapping[str, str]) -> None:
    for path in ("/seen", "/nowhere"):
        reply = await call({k: v.encode("latin-1") for k, v in given.items()}, path=path)  # type: ignore[misc]
        assert (reply.status_code, reply.json()["code"]) == (403, "not_here")
        assert reply.json()["message"] == NOT_HERE
        assert reply.json()["request_id"] == reply.headers["x-request-id"] == "gateway-1"


async def test_without_a_cdn_its_headers_say_nothing() -> None:
    seen = (await call(SAID, Settings())).json()
    assert (seen["network"], seen["host"]) == ("198.51.100.7", "a1.example")


async def test_a_secret_that_cannot_be_read_lets_nobody_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unreadable(settings: Settings, name: str) -> str:
        raise SecretUnavailable(f"there is no parameter {name!r}")

    monkeypatch.setattr(cdn, "secret", unreadable)
    reply = await call(SAID, Settings(cdn_secret_parameter="/quoth/prod/cdn-secret"))
    assert (reply.status_code, reply.json()["code"]) == (503, "unavailable")
    assert reply.headers["retry-after"] == "5"
