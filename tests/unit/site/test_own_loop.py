"""An answer that computes for long holds up no other request of the server."""

from __future__ import annotations

import asyncio
import threading

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from quoth.serve import OwnLoop


def client(app: object) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app)  # type: ignore[arg-type]
    return httpx.AsyncClient(transport=transport, base_url="http://book")


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = (await receive())["body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


async def test_the_servers_loop_goes_on_while_an_app_computes() -> None:
    may_end = threading.Event()

    async def computes(scope: Scope, receive: Receive, send: Send) -> None:
        may_end.wait()  # never returns unless the server's loop goes on
        await echo(scope, receive, send)

    async with client(OwnLoop().app(computes)) as slow, client(echo) as other:
        answer = asyncio.create_task(slow.post("/", content=b"late"))
        assert (await other.post("/", content=b"health")).content == b"health"
        assert not answer.done()
        may_end.set()
        assert (await answer).content == b"late"


async def test_a_failure_is_the_servers_to_handle() -> None:
    async def fails(scope: Scope, receive: Receive, send: Send) -> None:
        raise ValueError("of the app")

    async with client(OwnLoop().app(fails)) as each:
        with pytest.raises(ValueError, match="of the app"):
            await each.get("/")


async def test_work_that_is_cancelled_is_cancelled_there() -> None:
    begun, ended = threading.Event(), threading.Event()

    async def waits() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    work = asyncio.create_task(OwnLoop().run(waits()))
    await asyncio.to_thread(begun.wait)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert await asyncio.to_thread(ended.wait, 60)
