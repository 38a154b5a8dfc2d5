"""The server: checks each request as OpenAI would, then answers from a script."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
from array import array
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from tests.openai_server import replies as r
from tests.openai_server.programs import NO_SUCH_PATH, Program, form_of
from tests.openai_server.rules import LOCAL_MODEL, Refusal, check_request
from tests.openai_server.spec import EMBEDDING_SIZES, REQUESTS

API_KEY = "sk-test"
NUMBERED = re.compile(r'^(S\d+\.\d+) (".*")$', re.MULTILINE)

Part = Literal["writing", "embeddings", "moderations"]
Embed = Callable[[list[str]], list[list[float]]]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request as it came, also when it was refused."""

    path: str
    headers: dict[str, str]
    body: Any

    @property
    def data(self) -> str:
        """What the model was given beside its instructions."""
        if "input" in self.body:
            return str(self.body["input"])
        return str(self.body["messages"][-1]["content"])

    @property
    def sentences(self) -> dict[str, str]:
        """The numbered sentences in the prompt."""
        return {id: json.loads(text) for id, text in NUMBERED.findall(self.data)}


Script = Callable[[Recorded], r.Reply]


@dataclass(frozen=True, slots=True)
class OwnServer:
    """A server of one's own in place of OpenAI: it takes any key, has one model, and refuses the
    parameters in `unknown`. It may not send `usage`. Its replies have the form of `program`."""

    model: str = "qwen3:8b"
    unknown: frozenset[str] = frozenset()
    has_usage: bool = True
    program: Program | None = None

    def check(self, body: dict[str, Any]) -> Refusal | None:
        refused = sorted(self.unknown & body.keys())
        if refused:
            return Refusal(400, f"Unrecognized request argument supplied: {refused[0]}")
        if body.get("model") != self.model:
            return Refusal(404, f"model '{body.get('model')}' not found")
        return None


class OpenAIServer:
    """An ASGI app. `script` queues replies; `answer_with` sets a function for the rest.

    `embed` encodes texts (MiniLM, say) under the name all-MiniLM-L6-v2; OpenAI's own embedding
    models always get vectors made from a hash: alike for equal texts only.
    """

    api_key = API_KEY

    def __init__(self, keep: int | None = None) -> None:
        """`keep` bounds how many requests are remembered; a test wants all."""
        self.base_url = ""  # set by whoever runs it
        self._keep = keep
        self.embed: Embed | None = None
        self.reset()

    def reset(self) -> None:
        self.requests: list[Recorded] = []
        self.moderated: list[Recorded] = []  # apart, because every question is
        self.refused: list[Refusal] = []
        self.missing_paths: set[str] = set()
        self.own: OwnServer | None = None
        self._queues: dict[Part, deque[r.Reply]] = {
            "writing": deque(),
            "embeddings": deque(),
            "moderations": deque(),
        }
        self._scripts: dict[Part, Script] = {
            "embeddings": lambda request: r.Vectors(),
            "moderations": lambda request: r.Flagged(),
        }

    def script(self, *replies: r.Reply, on: Part = "writing") -> None:
        self._queues[on].extend(replies)

    def answer_with(self, script: Script, on: Part = "writing") -> None:
        self._scripts[on] = script

    @property
    def unused(self) -> list[r.Reply]:
        """Scripted replies nobody asked for."""
        return [one for queue in self._queues.values() for one in queue]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        try:
            parsed = json.loads(body)
        except ValueError:
            parsed = None
        request = Recorded(scope["path"], headers, parsed)
        kept = self.moderated if request.path == "/v1/moderations" else self.requests
        kept.append(request)
        if self._keep is not None:
            del kept[: -self._keep]
        refusal = self._check(scope["method"], request)
        if refusal:
            self.refused.append(refusal)
            program = self.own.program if self.own else None
            if program and request.path in self.missing_paths:
                text, kind = NO_SUCH_PATH[program]
                await _send(send, 404, text.encode(), kind=kind)
                return
            failure = r.Failure(refusal.status, refusal.code, refusal.message)
            await _send_failure(send, failure, refusal)
            return
        await self._reply(self._next(request), request, receive, send)

    def _check(self, method: str, request: Recorded) -> Refusal | None:
        known = method == "POST" and request.path in REQUESTS
        if not known or request.path in self.missing_paths:
            return Refusal(404, f"Invalid URL ({method} {request.path})")
        if self.own is not None:
            return self.own.check(request.body)
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not key:
            return Refusal(401, "No API key was provided.")
        if key != API_KEY:
            return Refusal(401, "The API key is not correct.", code="invalid_api_key")
        return check_request(request.path, request.body, self.embed is not None)

    def _next(self, request: Recorded) -> r.Reply:
        part: Part = "writing"
        if request.path == "/v1/embeddings":
            part = "embeddings"
        elif request.path == "/v1/moderations":
            part = "moderations"
        if self._queues[part]:
            return self._queues[part].popleft()
        if part in self._scripts:
            return self._scripts[part](request)
        return r.Failure(501, "not_scripted", "No reply was scripted for this request.")

    async def _reply(self, reply: r.Reply, request: Recorded, receive: Any, send: Any) -> None:
        if isinstance(reply, r.Slow):
            await asyncio.sleep(reply.seconds)
            await self._reply(reply.reply, request, receive, send)
        elif isinstance(reply, r.Dropped):
            # uvicorn's own object behind ASGI: the only way to hang up without a word.
            receive.__self__.transport.abort()
        elif isinstance(reply, r.Failure):
            await _send_failure(send, reply)
        elif isinstance(reply, r.Redirect):
            await _send(send, reply.status, b"", [(b"location", reply.location.encode())])
        elif isinstance(reply, r.Endless):
            await _send_without_end(receive, send, reply.pause_s)
        elif isinstance(reply, r.Truncated):
            whole = json.dumps(self._body(reply.reply, request)).encode()
            await _send(send, 200, whole[: len(whole) // 2])
        else:
            await _send(send, 200, json.dumps(self._body(reply, request)).encode())

    def _body(self, reply: r.Reply, request: Recorded) -> Any:
        if isinstance(reply, r.Flagged):
            return r.moderation_body(reply, request.body)
        if request.path == "/v1/embeddings":
            size = reply.dimensions if isinstance(reply, r.Vectors) else None
            return self._embeddings(request.body, size)
        if not isinstance(reply, r.Text | r.Answer | r.Verdicts | r.Declined):
            raise TypeError(f"{reply} is no reply to {request.path}")
        write = r.response_body if request.path == "/v1/responses" else r.completion_body
        body = write(reply, request.body)
        if self.own is not None and self.own.program:
            body = form_of(self.own.program, body)
        if self.own is not None and not self.own.has_usage:
            del body["usage"]
        return body

    def _embeddings(self, body: dict[str, Any], size: int | None) -> Any:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if self.embed and body["model"] == LOCAL_MODEL and size is None:
            vectors = self.embed(texts)
        else:
            size = size or body.get("dimensions") or EMBEDDING_SIZES.get(body["model"], 384)
            vectors = [_vector_of(text, size) for text in texts]
        packed = body.get("encoding_format") == "base64"
        rows = [
            {"object": "embedding", "index": at, "embedding": _pack(one) if packed else one}
            for at, one in enumerate(vectors)
        ]
        tokens = sum(map(len, texts)) // 4
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return {"object": "list", "data": rows, "model": body["model"], "usage": usage}


def _vector_of(text: str, size: int) -> list[float]:
    digest = hashlib.shake_256(text.encode()).digest(size)
    values = [byte / 127.5 - 1.0 for byte in digest]
    length = sum(value * value for value in values) ** 0.5 or 1.0
    return [value / length for value in values]


def _pack(vector: list[float]) -> str:
    return base64.b64encode(array("f", vector).tobytes()).decode()


async def _send_failure(send: Any, reply: r.Failure, refusal: Refusal | None = None) -> None:
    kind = refusal.type if refusal else "server_error" if reply.status >= 500 else "requests"
    param = refusal.param if refusal else None
    error = {"message": reply.message, "type": kind, "param": param, "code": reply.code}
    extra = [(b"retry-after", reply.retry_after.encode())] if reply.retry_after else []
    body = reply.body if reply.body is not None else json.dumps({"error": error})
    await _send(send, reply.status, body.encode(), extra)


async def _send(
    send: Any,
    status: int,
    body: bytes,
    extra: list[tuple[bytes, bytes]] | None = None,
    kind: str = "application/json",
) -> None:
    headers = [(b"content-type", kind.encode()), *(extra or [])]
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _send_without_end(receive: Any, send: Any, pause_s: float) -> None:
    """White space until the caller hangs up."""
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    gone = asyncio.ensure_future(receive())
    while not gone.done():
        piece = b" " * (1 if pause_s else 65_536)
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        await asyncio.sleep(pause_s)
