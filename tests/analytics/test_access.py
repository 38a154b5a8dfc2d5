"""Nobody but administrators sees a figure: tokens, the provider's sign-in, the one-time link."""

from __future__ import annotations

import base64
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from starlette.routing import Route

from functions.analytics.app import create
from functions.analytics.auth.access import COOKIE, OneTimeLink, Sessions
from functions.runtime.settings import Settings
from functions.web.cdn import ADDRESS_HEADER, HOST_HEADER, SECRET_HEADER
from tests.analytics_app import analytics_client
from tests.identity_provider import (
    AUDIENCE,
    GROUP,
    GROUPS_CLAIM,
    TestProvider,
    running_provider,
)
from tests.postgres_fixtures import BookDatabase
from tests.topic_rows import add_query

NOWHERE = "postgresql://nobody:x@127.0.0.1:9/nothing"
SECRET_QUESTION = "What does the sealed chapter say?"
KEY = "a session key of this test, long enough"
OPEN = {"/feedback", "/health"}
"""What readers use; everything else of the function is for administrators."""
SIGNING_IN = {"/analytics/enter", "/analytics/sign-in", "/analytics/callback",
              "/analytics/sign-out", "/analytics/static/{name}", "/analytics"}  # fmt: skip
"""What needs no session because it gives one, ends one, or shows nothing."""


@pytest.fixture(scope="module")
def provider() -> Iterator[TestProvider]:
    with running_provider() as running:
        yield running


@pytest.fixture(scope="module")
def asked(module_database: BookDatabase) -> BookDatabase:
    # Pages and figures show the last four weeks when no others are asked for.
    moment = datetime.now(UTC) - timedelta(hours=1)
    add_query(module_database, SECRET_QUESTION, "s", refused="out_of_scope", asked_at=moment)
    return module_database


def settings_of(database: BookDatabase, provider: TestProvider, **changed: Any) -> Settings:
    given = {
        "database_url": database.dsn("quoth_analytics"),
        "analytics_issuer": provider.issuer,
        "analytics_audience": AUDIENCE,
        "analytics_session_key": KEY,
    }
    return Settings(**(given | changed))


def client_of(
    settings: Settings, link: OneTimeLink | None = None
) -> AbstractAsyncContextManager[httpx2.AsyncClient]:
    return analytics_client(settings, link, "https://api.example")


@pytest.fixture
async def client(asked: BookDatabase, provider: TestProvider) -> AsyncIterator[httpx2.AsyncClient]:
    async with client_of(settings_of(asked, provider)) as opened:
        yield opened


def guarded_routes() -> list[tuple[str, str]]:
    found = set(_routes(create(Settings).routes))
    assert found >= {("GET", path) for path in SIGNING_IN - {"/analytics/sign-out"}}
    nil = "00000000-0000-0000-0000-000000000000"
    return sorted(
        (method, path.replace("{response_id}", nil).replace("{topic_id}", nil))
        for method, path in found
        if method != "HEAD" and path not in OPEN | SIGNING_IN | {"/openapi.json"}
    )


def _routes(routes: Any) -> Iterator[tuple[str, str]]:
    for route in routes:
        if isinstance(route, Route):
            yield from ((method, route.path) for method in route.methods or ())
        else:
            yield from _routes(route.original_router.routes)


async def test_every_route_is_closed_without_a_token(client: httpx2.AsyncClient) -> None:
    routes = guarded_routes()
    assert len(routes) >= 20
    assert ("GET", "/analytics/pages/report.csv") in routes
    for method, path in routes:
        reply = await client.request(method, path)
        assert reply.status_code == 401, (method, path)
        assert SECRET_QUESTION not in reply.text


def bad_tokens(provider: TestProvider) -> dict[str, tuple[str, int]]:
    now = int(time.time())
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    good = provider.token()
    head, body, signature = good.split(".")
    unsigned = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').rstrip(b"=").decode()
    return {
        "nothing": ("", 401),
        "no token": ("abc", 401),
        "expired": (provider.token(exp=now - 600), 401),
        "without an end": (provider.token(exp=None), 401),
        "not yet good": (provider.token(nbf=now + 600), 401),
        "another issuer": (provider.token(iss="https://other.example"), 401),
        "another audience": (provider.token(aud="widget"), 401),
        "another client": (provider.token(aud=None, client_id="widget"), 401),
        "no audience": (provider.token(aud=None), 401),
        "nobody": (provider.token(sub=None), 401),
        "another key": (provider.token(key=other), 401),
        "changed": (".".join([head, body[:-4] + "AAAA", signature]), 401),
        "no signature": (f"{unsigned}.{body}.", 401),
        "a shared secret": (provider.token(key="s" * 40, algorithm="HS256"), 401),
        "a session": (Sessions(KEY, 600).make("somebody"), 401),
        "a reader": (provider.token(**{GROUPS_CLAIM: ["readers"]}), 403),
        "no group": (provider.token(**{GROUPS_CLAIM: None}), 403),
        "half a group": (provider.token(**{GROUPS_CLAIM: f"{GROUP}-not"}), 403),
    }


async def test_a_token_that_is_not_an_administrators_opens_nothing(
    client: httpx2.AsyncClient, provider: TestProvider
) -> None:
    for name, (token, status) in bad_tokens(provider).items():
        for path in ("/analytics/summary", "/analytics/", "/analytics/pages/review"):
            reply = await client.get(path, headers={"Authorization": f"Bearer {token}"})
            assert reply.status_code == status, (name, path)
            assert SECRET_QUESTION not in reply.text
            assert "queries" not in reply.text


async def test_an_administrators_token_opens_figures_and_pages(
    client: httpx2.AsyncClient, provider: TestProvider
) -> None:
    for token in (provider.token(), provider.token(aud=None, client_id=AUDIENCE),
                  provider.token(**{GROUPS_CLAIM: f"a,{GROUP}"})):  # fmt: skip
        headers = {"Authorization": f"Bearer {token}"}
        page = await client.get("/analytics/pages/review", headers=headers)
        assert (page.status_code, SECRET_QUESTION in page.text) == (200, True)
        figures = await client.get("/analytics/summary", headers=headers)
        assert figures.status_code == 200


async def test_the_providers_page_signs_an_administrator_in(
    client: httpx2.AsyncClient, provider: TestProvider
) -> None:
    page = await client.get("/analytics/")
    assert (page.status_code, "/analytics/sign-in" in page.text) == (401, True)
    away = await client.get("/analytics/sign-in")
    assert away.headers["location"].startswith(f"{provider.issuer}/authorize?")
    async with httpx2.AsyncClient() as browser:
        back = (await browser.get(away.headers["location"])).headers["location"]
    assert back.startswith("https://api.example/analytics/callback?")
    entered = await client.get(back)
    assert entered.status_code == 200
    cookie = next(c for c in entered.headers.get_list("set-cookie") if c.startswith(COOKIE))
    for attribute in ("HttpOnly", "Secure", "SameSite=strict", "Path=/analytics"):
        assert attribute in cookie
    page = await client.get("/analytics/pages/review")
    assert (page.status_code, SECRET_QUESTION in page.text) == (200, True)
    assert (await client.get(back)).status_code == 401, "a code is good once"
    await client.post("/analytics/sign-out")
    assert (await client.get("/analytics/")).status_code == 401


async def test_behind_a_cdn_the_provider_returns_to_the_name_that_was_called(
    asked: BookDatabase, provider: TestProvider
) -> None:
    said = {SECRET_HEADER: KEY, ADDRESS_HEADER: "203.0.113.9", HOST_HEADER: "ask.example.org"}
    async with client_of(settings_of(asked, provider, cdn_secret=KEY)) as client:
        client.headers.update(said)
        away = await client.get("/analytics/sign-in")
    back = parse_qs(urlsplit(away.headers["location"]).query)["redirect_uri"]
    assert back == ["https://ask.example.org/analytics/callback"]


async def test_a_cookie_that_was_stolen_opens_nothing_once_its_owner_has_signed_out(
    asked: BookDatabase, provider: TestProvider
) -> None:
    settings = settings_of(asked, provider)
    stolen, other = (Sessions(KEY, 600).make("somebody") for _ in range(2))
    page = "/analytics/pages/review"
    # Two processes of the function: what one ends is ended for the other.
    async with client_of(settings) as owner, client_of(settings) as thief:
        for client in (owner, thief):
            client.cookies.set(COOKIE, stolen)
            assert (await client.get(page)).status_code == 200
        await owner.post("/analytics/sign-out")
        for address in (page, "/analytics/summary", "/analytics/"):
            reply = await thief.get(address, headers={"Cookie": f"{COOKIE}={stolen}"})
            assert (reply.status_code, SECRET_QUESTION in reply.text) == (401, False)
        form = {"csrf": Sessions(KEY, 600).read(stolen).csrf, "minutes": "5"}
        assert (await thief.post("/analytics/pages/value", data=form)).status_code == 401
        # Another session of the same administrator goes on.
        thief.cookies.clear()
        thief.cookies.set(COOKIE, other)
        assert (await thief.get(page)).status_code == 200
    past = "UPDATE ended_sessions SET expires_at = now() - interval '1 second'"
    asked.run(past)
    async with client_of(settings) as client:
        client.cookies.set(COOKIE, other)
        await client.post("/analytics/sign-out")
    kept = asked.run("SELECT session_id FROM ended_sessions")
    assert kept == [(Sessions(KEY, 600).read(other).session_id,)]


async def test_nobody_is_told_to_be_signed_out_while_the_database_is_away(
    asked: BookDatabase, provider: TestProvider
) -> None:
    async with client_of(settings_of(asked, provider, database_url=NOWHERE)) as client:
        cookie = {"Cookie": f"{COOKIE}={Sessions(KEY, 600).make('somebody')}"}
        out = await client.post("/analytics/sign-out", headers=cookie)
        assert (out.status_code, "set-cookie" in out.headers) == (503, False)
        assert (await client.get("/analytics/summary", headers=cookie)).status_code == 503
        assert (await client.post("/analytics/sign-out")).status_code == 303


async def test_a_reader_who_signs_in_is_refused(
    asked: BookDatabase, provider: TestProvider
) -> None:
    provider.groups = ["readers"]
    try:
        async with client_of(settings_of(asked, provider)) as client:
            away = await client.get("/analytics/sign-in")
            async with httpx2.AsyncClient() as browser:
                back = (await browser.get(away.headers["location"])).headers["location"]
            reply = await client.get(back)
            assert (reply.status_code, COOKIE in client.cookies) == (403, False)
            forged = await client.get("/analytics/callback?code=x&state=y")
            assert forged.status_code == 401
    finally:
        provider.groups = [GROUP]


async def test_the_one_time_link_opens_once_and_only_where_there_is_one(
    asked: BookDatabase, provider: TestProvider
) -> None:
    link = OneTimeLink()
    settings = settings_of(asked, provider, analytics_issuer="", analytics_session_key="")
    async with client_of(settings, link) as first, client_of(settings) as cloud:
        assert (await first.get("/analytics/enter?key=wrong")).status_code == 403
        assert (await first.get(link.path)).status_code == 200
        assert (await first.get("/analytics/")).status_code == 200
        first.cookies.clear()
        assert (await first.get(link.path)).status_code == 403
        assert (await first.get("/analytics/")).status_code == 401
        assert (await cloud.get(link.path)).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "null"},
    ],
)
async def test_another_sites_page_cannot_act_for_an_administrator(
    client: httpx2.AsyncClient, headers: dict[str, str]
) -> None:
    client.cookies.set(COOKIE, Sessions(KEY, 600).make("somebody"))
    body = {"minutes_low": 1, "minutes": 2, "minutes_high": 3}
    for path in ("/analytics/pages/value", "/analytics/settings"):
        reply = await client.post(path, headers=headers, json=body)
        assert reply.status_code == 403


async def test_a_form_without_its_token_changes_nothing(client: httpx2.AsyncClient) -> None:
    client.cookies.set(COOKIE, Sessions(KEY, 600).make("somebody"))
    for form in ({}, {"csrf": "guessed"}, {"csrf": Sessions(KEY, 600).read(
            Sessions(KEY, 600).make("somebody")).csrf}):  # fmt: skip
        reply = await client.post("/analytics/pages/value", data={"minutes": "5", **form})
        assert reply.status_code == 403


@pytest.mark.parametrize("key", ["", "short"])
async def test_nobody_has_a_session_without_a_strong_key(
    asked: BookDatabase, provider: TestProvider, key: str
) -> None:
    async with client_of(settings_of(asked, provider, analytics_session_key=key)) as client:
        client.cookies.set(COOKIE, Sessions(KEY, 600).make("somebody"))
        assert (await client.get("/analytics/")).status_code == 503
        assert (await client.get("/analytics/sign-in")).status_code == 503


async def test_cookies_end_and_cannot_be_made_elsewhere(
    asked: BookDatabase, provider: TestProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    past = time.time() - 7200
    with monkeypatch.context() as earlier:
        earlier.setattr(time, "time", lambda: past)
        over = Sessions(KEY, 3600).make("somebody")
    async with client_of(settings_of(asked, provider)) as client:
        for value in (over, Sessions(KEY[::-1], 600).make("somebody"), provider.token(), "x"):
            client.cookies.set(COOKIE, value)
            assert (await client.get("/analytics/")).status_code == 401
            client.cookies.clear()


async def test_says_to_come_back_when_the_provider_is_away(
    asked: BookDatabase, provider: TestProvider
) -> None:
    settings = settings_of(asked, provider, analytics_issuer="http://127.0.0.1:9")
    async with client_of(settings) as client:
        headers = {"Authorization": f"Bearer {provider.token()}"}
        for path in ("/analytics/summary", "/analytics/", "/analytics/sign-in"):
            reply = await client.get(path, headers=headers)
            assert (reply.status_code, reply.headers["retry-after"]) == (503, "30")
