from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from functions.web.app import MAX_BODY_BYTES, BodyLimit
from tests.unit.web.small_app import call, small_app

EVENT = {
    "requestContext": {"requestId": "gateway-1", "http": {"sourceIp": "198.51.100.7"}},
}


async def test_what_nobody_expected_is_a_500_that_tells_nothing_of_the_inside() -> None:
    reply = await call("GET", "/fail", event=EVENT)
    assert reply.status_code == 500
    assert reply.json() == {
        "code": "internal",
        "message": "Something went wrong on our side.",
        "request_id": "gateway-1",
        "fields": [],
    }


async def test_a_known_error_keeps_its_status_sentence_and_headers() -> None:
    reply = await call("GET", "/known")
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "7")
    assert (reply.json()["code"], reply.json()["message"]) == ("full", "Try later.")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nowhere", 404, "not_found"),
        ("PUT", "/known", 405, "method_not_allowed"),
        ("GET", "/teapot", 418, "error"),
        ("GET", "/docs", 404, "not_found"),
    ],
)
async def test_every_failure_has_one_form(method: str, path: str, status: int, code: str) -> None:
    reply = await call(method, path)
    assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert set(reply.json()) == {"code", "message", "request_id", "fields"}
    assert reply.json()["request_id"] == reply.headers["x-request-id"]


async def test_a_wrong_field_is_named_and_its_value_not_repeated() -> None:
    reply = await call("POST", "/take", json={"number": "swordfish", "words": ["a", 7]})
    assert reply.status_code == 422
    assert reply.json()["fields"] == ["number", "words.1"]
    assert "swordfish" not in reply.text


async def test_each_request_has_an_id_of_its_own_that_no_caller_chooses() -> None:
    chosen = {"x-request-id": "mine"}
    ids = [(await call("GET", "/caller", headers=chosen)).headers["x-request-id"] for _ in "ab"]
    assert len({"mine", *ids}) == 3
    known = await call("GET", "/caller", headers=chosen, event=EVENT)
    assert known.headers["x-request-id"] == known.json()["request_id"] == "gateway-1"


async def test_the_network_comes_from_the_gateway_and_never_from_a_header() -> None:
    headers = {"x-forwarded-for": "203.0.113.9", "idempotency-key": "k" * 300}
    seen = (await call("GET", "/caller", headers=headers, event=EVENT)).json()
    assert (seen["network"], seen["key"]) == ("198.51.100.7", "k" * 200)
    assert (await call("GET", "/caller")).json()["network"] is None
    assert (await call("GET", "/caller")).json()["key"] is None


async def test_a_body_may_be_as_large_as_the_limit_and_no_larger() -> None:
    assert (await call("POST", "/size", content=b"x" * MAX_BODY_BYTES)).json() == MAX_BODY_BYTES
    reply = await call("POST", "/size", content=b"x" * (MAX_BODY_BYTES + 1))
    assert (reply.status_code, reply.json()["code"]) == (413, "too_large")
    assert reply.json()["request_id"] == reply.headers["x-request-id"]


async def test_a_body_that_does_not_say_its_length_is_stopped_on_the_way() -> None:
    sent = 0

    async def pieces() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(1_000):
            sent += 10_000
            yield b"x" * 10_000

    reply = await call("POST", "/size", content=pieces())
    assert reply.status_code == 413
    assert sent <= MAX_BODY_BYTES + 20_000


async def test_a_body_in_pieces_arrives_whole() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for piece in (b'{"num', b"", b'ber": 7}'):
            yield piece

    headers = {"content-type": "application/json"}
    assert (await call("POST", "/take", content=pieces(), headers=headers)).json()["number"] == 7


async def test_a_caller_who_leaves_while_sending_is_not_answered() -> None:
    sent: list[Any] = []
    messages = iter(
        [
            {"type": "http.request", "body": b"x", "more_body": True},
            {"type": "http.disconnect"},
        ]
    )

    async def receive() -> Any:
        return next(messages)

    async def send(message: Any) -> None:
        sent.append(message)

    await BodyLimit(small_app())({"type": "http"}, receive, send)
    assert sent == []
