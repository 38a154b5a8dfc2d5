"""The OpenAI SDK's client for OpenAI and compatible services, within the bounds of a request.

The SDK makes the calls and repeats those that failed. The bounds are ours: no redirect, no proxy,
no header but the few below, a body with an end, and no attempt beyond the request's deadline.
Failures are classified by what the caller can do.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import httpx2
from openai import APIConnectionError, APIStatusError, APITimeoutError, AsyncOpenAI

Kind = Literal["unreachable", "timed_out", "broken", "busy", "missing", "garbled", "rejected"]

CONNECT_S = 3.0
NO_KEY = "not-set"
"""Sent for a key to services that want none."""
LONGEST_BODY = 1024 * 1024
"""Bytes of a reply. An answer of the most tokens that are asked for has about 20,000."""
MAX_IDLE_CONNECTIONS = 20
"""The pool checks each idle connection before every call."""
SHORTEST_TRY_S = 0.5
"""With less time than this after the wait, a failed call is not repeated."""
LONGEST_WAIT_S = 2.0
"""A service that asks for a longer wait is not asked again while a reader waits."""
SENT_HEADERS = frozenset(
    [
        *("accept", "accept-encoding", "authorization", "connection"),
        *("content-length", "content-type", "host", "user-agent"),
    ]
)
"""The SDK's others describe the machine, or come from variables such as OPENAI_ORG_ID."""


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
    """Calls one service. Connects at the first call."""

    def __init__(self, base_url: str, api_key: str, *, longest_body: int = LONGEST_BODY) -> None:
        self.base_url = base_url.rstrip("/")
        self.api_key = api_key.strip() or NO_KEY
        self._longest_body = longest_body
        self._sdk: AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def post(self, path: str, body: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """Post `body` and return the JSON object of the response. Raises OpenAIFailure."""
        async with self.calling(timeout_s) as sdk:
            answer = await sdk.post(path, cast_to=object, body=body)
        if not isinstance(answer, dict):
            raise OpenAIFailure("garbled", "The answer was not a JSON object.")
        return answer

    @contextlib.asynccontextmanager
    async def calling(
        self, timeout_s: float, *, try_s: float | None = None, retries: int = 0
    ) -> AsyncIterator[AsyncOpenAI]:
        """The SDK's client for one call, whose exceptions are raised as OpenAIFailure.

        `timeout_s` bounds all attempts together, `try_s` each. A failed attempt is repeated at
        most `retries` times, and more than once only while the service is busy. A refused
        connection is not tried again.
        """
        if timeout_s <= 0:
            raise OpenAIFailure("timed_out", "No time was left for the call.")
        if not (self.api_key.isascii() and self.api_key.isprintable()):
            raise OpenAIFailure("rejected", "The OpenAI key has characters no key has: check it.")
        each = min(try_s or timeout_s, timeout_s)
        call = _call.set(_Call(time.monotonic() + timeout_s, retries))
        try:
            async with asyncio.timeout(timeout_s):
                yield self._connected().with_options(
                    timeout=httpx2.Timeout(each, connect=min(CONNECT_S, each)),
                    max_retries=retries,
                )
        except (TimeoutError, APITimeoutError) as error:
            raise OpenAIFailure(
                "timed_out", f"No answer from {self.base_url} within {timeout_s:.1f} s."
            ) from error
        except APIStatusError as error:
            raise failure_of(error, self.base_url) from error
        except (APIConnectionError, httpx2.InvalidURL) as error:
            raise OpenAIFailure("unreachable", f"Could not reach {self.base_url}.") from error
        except (ValueError, RecursionError) as error:
            raise OpenAIFailure("garbled", "The answer was not valid JSON.") from error
        finally:
            _call.reset(call)

    async def close(self) -> None:
        sdk, self._sdk = self._sdk, None
        if sdk is not None and self._loop is asyncio.get_running_loop():
            with contextlib.suppress(httpx2.HTTPError):
                await sdk.close()

    def _connected(self) -> AsyncOpenAI:
        # Pooled connections belong to the event loop that opened them.
        loop = asyncio.get_running_loop()
        if self._sdk is None or self._loop is not loop:
            self._loop = loop
            self._sdk = AsyncOpenAI(
                base_url=self.base_url,
                api_key=self.api_key,
                # Said here, too: the environment could otherwise set another one.
                default_headers={"Authorization": f"Bearer {self.api_key}"},
                http_client=_Connections(self._longest_body),
            )
        return self._sdk


@dataclass(frozen=True, slots=True)
class _Call:
    """What the connections must know of the current call."""

    until: float
    retries: int

    def may_repeat(self, repeated: int, response: httpx2.Response | None = None) -> bool:
        """Whether there is time for another attempt, and a reason."""
        is_patient = self.retries > 1
        is_busy = response is not None and response.status_code == 429
        if repeated >= self.retries or (repeated and not is_busy):
            return False
        if response is not None and b"insufficient_quota" in response.content:
            return False
        asked = _retry_after(response.headers) if response is not None else None
        if asked is not None and asked > LONGEST_WAIT_S and not is_patient:
            return False
        wait = asked or min(8.0, 0.5 * 2.0 ** min(repeated, 10))  # the SDK's own, before its jitter
        return time.monotonic() + wait + SHORTEST_TRY_S < self.until


_call: ContextVar[_Call] = ContextVar("call")


class _Connections(httpx2.AsyncClient):
    """Sends the SDK's requests. A reply is read whole, within the time and the size allowed."""

    def __init__(self, longest_body: int) -> None:
        super().__init__(
            # A redirect or a proxy would take the question, and perhaps the key, elsewhere.
            follow_redirects=False,
            trust_env=False,
            # No limit: admission bounds concurrency, and a wait for a connection would be unseen.
            limits=httpx2.Limits(
                max_connections=None, max_keepalive_connections=MAX_IDLE_CONNECTIONS
            ),
        )
        self._longest_body = longest_body

    async def send(
        self, request: httpx2.Request, *, stream: bool = False, **options: Any
    ) -> httpx2.Response:
        call, repeated = _call.get(), int(request.headers.get("x-stainless-retry-count", 0))
        kept = [each for each in request.headers.items() if each[0] in SENT_HEADERS]
        sent = httpx2.Request(
            request.method, request.url,
            headers=kept, stream=request.stream, extensions=request.extensions,
        )  # fmt: skip
        try:
            # httpx2's read time-out restarts with each chunk; this bounds the whole attempt.
            async with asyncio.timeout(request.extensions["timeout"]["read"]):
                reply = await super().send(sent, stream=True, **options)
                content = await self._read(reply)
        except (TimeoutError, httpx2.RequestError) as error:
            is_late = isinstance(error, TimeoutError | httpx2.TimeoutException)
            if call.may_repeat(repeated) and not isinstance(error, httpx2.ConnectError):
                raise httpx2.ReadTimeout("", request=request) if is_late else error from error
            late, lost = APITimeoutError(request), APIConnectionError(request=request)
            raise (late if is_late else lost) from error  # the SDK does not repeat its own errors
        # The content is decoded: of the headers, the SDK wants these.
        names = ("content-type", "retry-after", "retry-after-ms", "x-should-retry")
        headers = {name: reply.headers[name] for name in names if name in reply.headers}
        response = httpx2.Response(
            reply.status_code, headers=headers, content=content, request=request
        )
        if not response.is_success and not call.may_repeat(repeated, response):
            response.headers["x-should-retry"] = "false"
        return response

    async def _read(self, reply: httpx2.Response) -> bytes:
        content = bytearray()
        try:
            async for part in reply.aiter_bytes():
                content += part
                if len(content) > self._longest_body:
                    raise OpenAIFailure(
                        "garbled", "The answer was too long.", status=reply.status_code
                    )
        finally:
            await reply.aclose()
        return bytes(content)


def load_resources() -> None:
    """Load at a function's start what the SDK loads at its first call."""
    from openai.resources.embeddings import AsyncEmbeddings  # noqa: F401
    from openai.resources.moderations import AsyncModerations  # noqa: F401
    from openai.resources.responses import AsyncResponses  # noqa: F401


def is_openai(base_url: str) -> bool:
    """Whether the address is OpenAI's own, as opposed to a compatible service's."""
    return _OPENAI.match(base_url) is not None


def failure_of(error: APIStatusError, base_url: str) -> OpenAIFailure:
    """The failure that a non-2xx response means."""
    status, code = error.status_code, error.code if isinstance(error.code, str) else ""
    wait = _retry_after(error.response.headers)
    if status == 429 and code != "insufficient_quota":
        return OpenAIFailure("busy", "The service is busy (429).", wait, status)
    if status >= 500 or status in (408, 409):
        return OpenAIFailure("broken", f"The service failed ({status}).", wait, status)
    if 300 <= status < 400:
        message = f"{base_url} redirects ({status}): set the address that it leads to."
        return OpenAIFailure("rejected", message, status=status)
    if status == 404 and _MODEL.search(_message(error)):
        code = "model_not_found"  # compatible services say it in words
    if status in (404, 405) and code != "model_not_found":
        message = f"{base_url} has no such path ({status}): check it."
        return OpenAIFailure("missing", message, status=status)
    message = f"{_remedy(status, code)} ({status} {code}".rstrip() + ")"
    return OpenAIFailure("rejected", message, status=status)


_OPENAI = re.compile(r"https://([\w-]+\.)?api\.openai\.com(:\d+)?(/|$)", re.IGNORECASE)
_MODEL = re.compile(r"\bmodel\b", re.IGNORECASE)


def _message(error: APIStatusError) -> str:
    """The words of an error. Ollama's own API sends them in place of the error object."""
    if isinstance(error.body, dict):
        return str(error.body.get("message"))
    is_json = "json" in error.response.headers.get("content-type", "")
    return str(error.body) if is_json else ""


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
