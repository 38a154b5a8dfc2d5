"""The session's token and the site's origin, at the routes of the real functions. No route is
reached behind them: there is no database here."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import httpx2
import pytest

import functions.analytics.app
import functions.query.app
import functions.selected.app
from functions.runtime.settings import Settings
from functions.web.sessions import sign_token

KEY = "a-key-of-thirty-two-characters-or-more"
SITE = "https://book.example"
ID = "0b9e7a5e-7c1d-4f1e-9a53-6f2f5d1a7c11"
MODULES = {
    "/query": functions.query.app,
    "/search": functions.query.app,
    "/tickets": functions.query.app,
    "/session": functions.query.app,
    "/query-selected-text": functions.selected.app,
    "/feedback": functions.analytics.app,
}
BODIES: dict[str, dict[str, Any]] = {
    "/query": {"question": "What is the ZMP?", "session_id": ID},
    "/query-selected-text": {
        "question": "What is it?", "selected_text": "word " * 30, "session_id": ID
    },
    "/feedback": {
        "response_id": "00000000-0000-4000-8000-000000000000", "rating": "helpful",
        "session_id": ID,
    },
}  # fmt: skip
OTHER_SITES = [
    *("https://evil.example", "null", "https://book.example.evil", "http://book.example"),
    "https://book.example:8443",
]
READS = ["/search?q=zmp", "/tickets/00000000-0000-4000-8000-000000000000"]


def settings(**changes: Any) -> Settings:
    given = {"sessions": "required", "session_key": KEY, "allowed_origins": f"{SITE}, http://b/"}
    return Settings.model_validate(given | changes)


async def call(
    address: str, body: Any = None, headers: Mapping[str, str] | None = None, **changes: Any
) -> httpx2.Response:
    route = "/" + address.lstrip("/").split("/")[0].split("?")[0]
    app = MODULES[route].create(lambda: settings(**changes))
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://api.test") as client:
        return await client.request(
            "GET" if body is None else "POST", address, json=body, headers=headers
        )


def bearer(token: str, **more: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}", **more}


async def token_of(session: str = ID, origin: str = SITE) -> str:
    reply = await call("/session", {"session_id": session}, {"origin": origin})
    assert reply.status_code == 200, reply.text
    assert reply.json()["expires_in_s"] == 900
    return str(reply.json()["token"])


def is_past(reply: httpx2.Response) -> bool:
    """Past the guard: there the missing database is the problem."""
    return (reply.status_code, reply.json()["code"]) == (500, "internal")


@pytest.mark.parametrize("address", [*BODIES, *READS])
async def test_a_route_of_readers_wants_a_token(address: str) -> None:
    body = BODIES.get(address)
    reply = await call(address, body)
    assert (reply.status_code, reply.json()["code"]) == (401, "session_ended")
    assert reply.headers["www-authenticate"] == "Bearer"
    assert is_past(await call(address, body, bearer(await token_of())))


@pytest.mark.parametrize("address", [*BODIES, *READS])
@pytest.mark.parametrize(
    "token",
    ["", "x", "a.b.c.d", sign_token("y" * 32, ID, SITE, 2**40), sign_token(KEY, ID, SITE, 1)],
    ids=["empty", "short", "parts", "forged", "expired"],
)
@pytest.mark.parametrize("sessions", ["required", "optional"])
async def test_expired_and_forged_tokens_are_told_the_same(
    address: str, token: str, sessions: str
) -> None:
    reply = await call(address, BODIES.get(address), bearer(token), sessions=sessions)
    assert reply.status_code == 401
    assert reply.json()["code"] == "session_ended"
    assert reply.json()["message"].startswith("This session has ended")


@pytest.mark.parametrize("address", list(BODIES))
async def test_a_token_asks_for_its_own_session_only(address: str) -> None:
    body = BODIES[address] | {"session_id": "somebody-else"}
    assert (await call(address, body, bearer(await token_of()))).status_code == 401
    assert is_past(await call(address, body, bearer(await token_of("somebody-else"))))


@pytest.mark.parametrize("address", [*BODIES, *READS])
async def test_a_token_is_good_on_its_own_site_only(address: str) -> None:
    body, token = BODIES.get(address), await token_of(origin="http://b")
    assert is_past(await call(address, body, bearer(token, origin="http://b")))
    assert (await call(address, body, bearer(token, origin=SITE))).status_code == 401


@pytest.mark.parametrize("origin", OTHER_SITES)
@pytest.mark.parametrize("address", [*BODIES, *READS, "/session"])
async def test_other_sites_may_not_ask(origin: str, address: str) -> None:
    body = {"session_id": ID} if address == "/session" else BODIES.get(address)
    for sessions in ("required", "optional"):
        reply = await call(address, body, {"origin": origin}, sessions=sessions)
        assert (reply.status_code, reply.json()["code"]) == (403, "origin_not_allowed")


async def test_the_site_may_be_written_otherwise() -> None:
    assert await token_of(origin="https://BOOK.example")


@pytest.mark.parametrize("address", [*BODIES, *READS])
async def test_a_laptop_answers_without_a_token(address: str) -> None:
    body = BODIES.get(address)
    assert is_past(await call(address, body, sessions="optional", allowed_origins=""))
    own = {"origin": "http://api.test"}
    assert is_past(await call(address, body, own, sessions="optional", allowed_origins=""))


async def test_without_a_key_there_are_no_tokens_and_none_is_asked_for() -> None:
    plain = {"sessions": "optional", "session_key": ""}
    reply = await call("/session", {"session_id": ID}, **plain)
    assert (reply.status_code, reply.json()["code"]) == (404, "no_sessions")
    assert is_past(await call("/query", BODIES["/query"], bearer("anything"), **plain))


@pytest.mark.parametrize("key", ["", "short"])
async def test_tokens_that_are_required_need_a_key_that_cannot_be_guessed(key: str) -> None:
    reply = await call("/query", BODIES["/query"], session_key=key)
    assert (reply.status_code, reply.json()["code"]) == (500, "internal")


async def test_a_session_has_a_name() -> None:
    for body in ({}, {"session_id": ""}, {"session_id": "x" * 101}, {"session_id": 7}):
        reply = await call("/session", body, {"origin": SITE})
        assert (reply.status_code, reply.json()["fields"]) == (422, ["session_id"])


async def test_a_token_ends_when_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    token = await token_of()
    assert is_past(await call("/query", BODIES["/query"], bearer(token)))
    now = time.time()
    monkeypatch.setattr("functions.web.sessions.time.time", lambda: now + 901)
    assert (await call("/query", BODIES["/query"], bearer(token))).status_code == 401


async def test_health_needs_no_token() -> None:
    app = functions.analytics.app.create(settings)
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://api.test") as client:
        assert (await client.get("/health")).status_code == 200
