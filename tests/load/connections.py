"""Readers' connections: HTTP/1.1 and JSON, and as little of a processor as can be.

Readers and the system share the processors here, and nowhere else: a full client took .7 ms of one
for each request, a fifth of what all the rest took for a poll.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

IDLE_S = 4.0
"""The server closes connections that were idle for 5 s."""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class NoReply(Exception):
    """The connection was refused or lost, the time was up, or no HTTP came back."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A status and a body."""

    status_code: int
    body: bytes

    def json(self) -> Any:
        """The body as JSON. NoReply for what is none."""
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise NoReply("the body is no JSON") from error


@dataclass
class Connections:
    """As many as there are requests at once. Each is used again when its reply has come."""

    timeout_s: float
    _idle: dict[str, list[tuple[float, Streams]]] = field(default_factory=dict)

    async def post(self, url: str, body: object, headers: Mapping[str, str]) -> Reply:
        return await self._send("POST", url, json.dumps(body).encode(), headers)

    async def get(self, url: str) -> Reply:
        return await self._send("GET", url, b"", {})

    def close(self) -> None:
        for idle in self._idle.values():
            for _, (_, writer) in idle:
                writer.close()
        self._idle.clear()

    async def _send(self, method: str, url: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        parts = urlsplit(url)
        lines = [
            f"{method} {parts.path}{'?' if parts.query else ''}{parts.query} HTTP/1.1",
            f"host: {parts.netloc}",
            "content-type: application/json",
            f"content-length: {len(body)}",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        said = "\r\n".join([*lines, "", ""]).encode() + body
        try:
            async with asyncio.timeout(self.timeout_s):
                return await self._exchange(parts.netloc, said)
        except (OSError, EOFError, ValueError, TimeoutError) as error:
            raise NoReply(f"{type(error).__name__}: {error}") from error

    async def _exchange(self, netloc: str, said: bytes) -> Reply:
        reader, writer = streams = await self._connected(netloc)
        is_whole = False
        try:
            writer.write(said)
            status, *fields = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").splitlines()
            given = dict(each.lower().split(": ", 1) for each in fields if each)
            body = await reader.readexactly(int(given["content-length"]))
            is_whole = given.get("connection") != "close"
        except KeyError as error:
            raise ValueError("a reply without its length") from error
        finally:
            if is_whole:
                self._idle.setdefault(netloc, []).append((time.monotonic(), streams))
            else:
                writer.close()
        return Reply(int(status.split(" ", 2)[1]), body)

    async def _connected(self, netloc: str) -> Streams:
        idle = self._idle.get(netloc, [])
        while idle:
            since, streams = idle.pop()
            if time.monotonic() - since < IDLE_S and not streams[0].at_eof():
                return streams
            streams[1].close()
        host, port = netloc.rsplit(":", 1)
        return await asyncio.open_connection(host, int(port))
