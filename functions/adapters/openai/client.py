"""HTTP client for OpenAI-compatible services; classifies failures by what the caller can do.

It uses plain HTTP because the SDK takes as long to import as FastAPI, and one POST is all that is
needed. It does not retry: each caller knows its deadline.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections.abc import AsyncIterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import httpx2

Kind = Literal["unreachable", "timed_out", "broken", "busy", "missing", "garbled", "rejected"]

CONNECT_S = 3.0
NO_KEY = "not-set"
"""Sent for a key to services that want none."""
LONGEST_BODY = 32 * 1024 * 1024
"""Bytes of a reply. The largest one that is asked for, 256 embeddings, has about 5 MB."""
MAX_IDLE_CONNECTIONS = 20
"""The pool checks each idle connection before every call."""


class OpenAIFailure(Exception):
    """A failed call.

    `busy` is a 429 that may pass, with `retry_after_s` if the service sent it; `broken` a 5xx, 408
    or 409; `garbled` an invalid body; `missing` an unknown path; `rejected` fails again until a
    setting is changed, which the message names. `status` is 0 without a reply.
    """

    def __init__(
        self, kind: Kind, message: str, retry_after_s: float | None = None, status: int = 0
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after_s = retry_after_s
        self.status = status


class OpenAIClient:
    """Posts JSON to an OpenAI-compatible service. Connects at the first call."""

    def __init__(self, base_url: str, api_key: str) -> None:
        self.base_url = base_url.rstrip("/")
        self.api_key = api_key.strip() or NO_KEY
        self._client: httpx2.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def post(self, path: str, body: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """Post `body` and return the JSON object of the response. Raises OpenAIFailure."""
        async with self.calling(timeout_s) as client:
            request = client.build_request(
                "POST",
                self.base_url + path,
                json=body,
                headers={"Authorization": f"Bearer {self.api_key}"},
                timeout=httpx2.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s)),
            )
            response = await client.send(request, stream=True)
            try:
                content = await _read(response)
            finally:
                await response.aclose()
        if not response.is_success:
            raise failure_of(response, self.base_url, content)
        answer = _json(content)
        if not isinstance(answer, dict):
            raise OpenAIFailure("garbled", "The answer was not a JSON object.")
        return answer

    @contextlib.asynccontextmanager
    async def calling(self, timeout_s: float) -> AsyncIterator[httpx2.AsyncClient]:
        """The HTTP client for one call. Its exceptions are raised as OpenAIFailure."""
        if timeout_s <= 0:
            raise OpenAIFailure("timed_out", "No time was left for the call.")
        if not (self.api_key.isascii() and self.api_key.isprintable()):
            raise OpenAIFailure("rejected", "The OpenAI key has characters no key has: check it.")
        try:
            # httpx2's read time-out restarts with each chunk; this bounds the whole call.
            async with asyncio.timeout(timeout_s):
                yield self._connected()
        except (TimeoutError, httpx2.TimeoutException) as error:
            raise OpenAIFailure(
                "timed_out", f"No answer from {self.base_url} within {timeout_s:.1f} s."
            ) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise OpenAIFailure("unreachable", f"Could not reach {self.base_url}.") from error

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            with contextlib.suppress(httpx2.HTTPError):
                await client.aclose()

    def _connected(self) -> httpx2.AsyncClient:
        # Pooled connections belong to the event loop that opened them.
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._loop = loop
            # No limit: admission bounds concurrency, and a wait for a connection would be unseen.
            limits = httpx2.Limits(
                max_connections=None, max_keepalive_connections=MAX_IDLE_CONNECTIONS
            )
            # A redirect would take the question, and perhaps the key, to an address nobody set.
            self._client = httpx2.AsyncClient(follow_redirects=False, limits=limits)
        return self._client


def is_openai(base_url: str) -> bool:
    """Whether the address is OpenAI's own, as opposed to a compatible service's."""
    return _OPENAI.match(base_url) is not None


def failure_of(response: httpx2.Response, base_url: str, content: bytes) -> OpenAIFailure:
    """The failure that a non-2xx response means."""
    status, error = response.status_code, _error(content)
    code = error["code"] if isinstance(error.get("code"), str) else ""
    wait = _retry_after(response.headers)
    if status == 429 and code != "insufficient_quota":
        return OpenAIFailure("busy", "The service is busy (429).", wait, status)
    if status >= 500 or status in (408, 409):
        return OpenAIFailure("broken", f"The service failed ({status}).", wait, status)
    if 300 <= status < 400:
        message = f"{base_url} redirects ({status}): set the address that it leads to."
        return OpenAIFailure("rejected", message, status=status)
    if status == 404 and _MODEL.search(str(error.get("message"))):
        code = "model_not_found"  # compatible services say it in words
    if status in (404, 405) and code != "model_not_found":
        message = f"{base_url} has no such path ({status}): check it."
        return OpenAIFailure("missing", message, status=status)
    message = f"{_remedy(status, code)} ({status} {code}".rstrip() + ")"
    return OpenAIFailure("rejected", message, status=status)


async def _read(response: httpx2.Response) -> bytes:
    """The body of a reply, which no service can make endless."""
    content = bytearray()
    async for part in response.aiter_bytes():
        content += part
        if len(content) > LONGEST_BODY:
            raise OpenAIFailure("garbled", "The answer was too long.", status=response.status_code)
    return bytes(content)


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise OpenAIFailure("garbled", "The answer was not valid JSON.") from error


_OPENAI = re.compile(r"https://([\w-]+\.)?api\.openai\.com(:\d+)?(/|$)", re.IGNORECASE)
_MODEL = re.compile(r"\bmodel\b", re.IGNORECASE)


def _error(content: bytes) -> dict[str, Any]:
    """The error object in a body; Ollama's own API has words in its place."""
    with contextlib.suppress(OpenAIFailure, AttributeError):
        body = _json(content)
        error = body.get("error", body)
        return error if isinstance(error, dict) else {"message": error}
    return {}


def _remedy(status: int, code: str) -> str:
    if code == "insufficient_quota":
        return "The account has no credit left: add credit or raise its limit."
    if code == "model_not_found":
        return "The service does not have this model: set another, or ask for access."
    if status == 401:
        return "The API key is missing or was refused: check the OpenAI key."
    if status == 403:
        return "The API key may not do this: check its project and permissions."
    # The service's message may quote the request, so it is not passed on to the log.
    return "The service refused the request: check the model and base URL settings."


def _retry_after(headers: Mapping[str, str]) -> float | None:
    with contextlib.suppress(ValueError, TypeError):
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        if "retry-after" in headers:
            value = headers["retry-after"]
            try:
                return max(0.0, float(value))
            except ValueError:
                return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    return None
