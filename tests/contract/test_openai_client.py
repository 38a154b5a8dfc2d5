"""The SDK's client within our bounds: what leaves, what is repeated, and where a reply ends."""

from __future__ import annotations

import asyncio
import gzip
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from openai import AsyncOpenAI

from functions.adapters.openai.client import SENT_HEADERS, OpenAIClient, OpenAIFailure
from functions.adapters.openai.embeddings import Embeddings, EmbeddingsUnavailable
from functions.adapters.openai.moderation import Moderator
from tests.openai_server.replies import (
    Answer,
    Dropped,
    Endless,
    Failure,
    Flagged,
    Redirect,
    Reply,
    Slow,
    Truncated,
    Vectors,
)
from tests.openai_server.service import API_KEY, OpenAIServer

MODEL = "gpt-4.1-mini-2025-04-14"
NOWHERE = "http://127.0.0.1:9"
GOOD = Answer([("The arm has seven joints.", ["S1.1"])])


@pytest.fixture
async def client(openai_server: OpenAIServer) -> AsyncIterator[OpenAIClient]:
    client = OpenAIClient(openai_server.base_url, API_KEY)
    yield client
    await client.close()


async def ask(client: OpenAIClient, timeout_s: float = 20, retries: int = 1) -> str:
    async with client.calling(timeout_s, retries=retries) as sdk:
        answer = await sdk.responses.create(model=MODEL, input="What corrects small pushes?")
    return answer.output_text


@pytest.mark.parametrize(
    ("reply", "kind", "requests"),
    [
        (Redirect("http://127.0.0.1:9/v1/responses"), "rejected", 1),
        (Endless(), "garbled", 1),
        (Truncated(GOOD), "garbled", 1),
        (Failure(429, "rate_limit_exceeded", retry_after="0.2"), "busy", 2),
        (Failure(429, "rate_limit_exceeded", retry_after="15"), "busy", 1),
        (Failure(429, "insufficient_quota"), "rejected", 1),
        (Failure(500), "broken", 2),
        (Failure(503, body="<html>Bad gateway</html>"), "broken", 2),
        (Failure(400), "rejected", 1),
        (Dropped(), "unreachable", 2),
    ],
    ids=str,
)
async def test_a_failure_is_repeated_when_that_can_help_and_classified(
    openai_server: OpenAIServer, client: OpenAIClient, reply: Reply, kind: str, requests: int
) -> None:
    openai_server.script(*[reply] * requests)
    with pytest.raises(OpenAIFailure) as caught:
        await ask(client)
    assert caught.value.kind == kind
    assert len(openai_server.requests) == requests


@pytest.mark.parametrize(
    "reply",
    [Failure(429, retry_after="0.1"), Failure(500), Failure(409), Dropped(), Slow(9, GOOD)],
    ids=str,
)
async def test_a_passing_failure_is_made_good(
    openai_server: OpenAIServer, client: OpenAIClient, reply: Reply
) -> None:
    openai_server.script(reply, GOOD)
    async with client.calling(25, try_s=4, retries=1) as sdk:
        answer = await sdk.responses.create(model=MODEL, input="a question")
    assert "seven joints" in answer.output_text


async def test_what_leaves_no_time_for_another_attempt_is_told_at_once(
    openai_server: OpenAIServer, client: OpenAIClient
) -> None:
    openai_server.script(GOOD, Failure(429, retry_after="1.9"))
    await ask(client)  # now all that is slow to load is there
    with pytest.raises(OpenAIFailure) as caught:
        await ask(client, 2.3)
    assert (caught.value.kind, caught.value.retry_after_s) == ("busy", 1.9)
    assert len(openai_server.requests) == 2


async def test_a_hang_ends_at_the_time_out(
    openai_server: OpenAIServer, client: OpenAIClient
) -> None:
    openai_server.script(Slow(30, GOOD))
    with pytest.raises(OpenAIFailure) as caught:
        await ask(client, 1)
    assert caught.value.kind == "timed_out"


async def test_a_small_body_that_unpacks_to_a_large_one_ends() -> None:
    packed = gzip.compress(b" " * 64_000_000)
    head = (
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\n"
        b"content-length: %d\r\n\r\n" % len(packed)
    )

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head + packed)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1")
    port = server.sockets[0].getsockname()[1]
    client = OpenAIClient(f"http://127.0.0.1:{port}/v1", API_KEY)
    with pytest.raises(OpenAIFailure, match="too long"):
        await ask(client, retries=0)
    await client.close()
    server.close()


@pytest.mark.parametrize("reply", [Endless(), Redirect(NOWHERE), Truncated(Vectors())], ids=str)
async def test_embeddings_and_moderation_have_the_same_bounds(
    openai_server: OpenAIServer, reply: Reply
) -> None:
    openai_server.script(reply, on="moderations")
    moderator = Moderator(openai_server.base_url, API_KEY, "omni-moderation-latest", 20)
    assert await moderator.flags("What is a gyroscope?", 20) == ()
    await moderator.close()
    if isinstance(reply, Redirect):
        return
    openai_server.script(reply, on="embeddings")
    embeddings = Embeddings(openai_server.base_url, API_KEY, "text-embedding-3-small", 8)
    with pytest.raises(EmbeddingsUnavailable, match=r"too long|not valid JSON"):
        await embeddings.embed(["a text"], 30)
    await embeddings.close()


CALLS: dict[str, Callable[[AsyncOpenAI], Awaitable[object]]] = {
    "responses": lambda sdk: sdk.responses.create(model=MODEL, input="x"),
    "chat": lambda sdk: sdk.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": "x"}]
    ),
    "embeddings": lambda sdk: sdk.embeddings.create(
        model="text-embedding-3-small", input=["x"], encoding_format="base64"
    ),
    "moderations": lambda sdk: sdk.moderations.create(model="omni-moderation-latest", input="x"),
}


@pytest.mark.parametrize("call", CALLS)
async def test_no_variable_changes_where_a_call_goes_or_what_leaves_with_it(
    openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    for name, value in {
        "OPENAI_BASE_URL": f"{NOWHERE}/v1",
        "OPENAI_API_KEY": "sk-of-the-environment",
        "OPENAI_ADMIN_KEY": "sk-admin",
        "OPENAI_ORG_ID": "org-1",
        "OPENAI_PROJECT_ID": "proj-1",
        "OPENAI_CUSTOM_HEADERS": "X-Reader: anna\nAuthorization: Bearer sk-custom",
        "HTTP_PROXY": NOWHERE,
        "HTTPS_PROXY": NOWHERE,
        "ALL_PROXY": NOWHERE,
    }.items():
        monkeypatch.setenv(name, value)
    openai_server.answer_with(lambda request: GOOD)
    openai_server.answer_with(lambda request: Flagged(), on="moderations")
    client = OpenAIClient(openai_server.base_url, API_KEY)
    async with client.calling(20) as sdk:
        await CALLS[call](sdk)
    await client.close()
    (request,) = openai_server.requests + openai_server.moderated
    assert set(request.headers) <= SENT_HEADERS
    assert request.headers["authorization"] == f"Bearer {API_KEY}"


@pytest.mark.parametrize("function", ["query", "selected"])
def test_what_calls_need_is_loaded_while_a_function_starts(function: str) -> None:
    code = (
        f"import sys, functions.{function}.handler;"
        "needed = ('responses.responses', 'embeddings', 'moderations');"
        "sys.exit(any(f'openai.resources.{each}' not in sys.modules for each in needed))"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == 0
