"""One call to an OpenAI-compatible service, its failures sorted by what the caller can do.

The SDK's own retries are off: each caller knows its deadline and what a retry costs its reader.
Answers are read as plain JSON, because compatible services leave out fields the SDK's types want.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import httpx2
from openai import APIConnectionError, APIStatusError, APITimeoutError, AsyncOpenAI

Kind = Literal["unreachable", "timed_out", "broken", "busy", "missing", "garbled", "rejected"]

CONNECT_S = 3.0


class OpenAIFailure(Exception):
    """A call that brought no answer.

    `busy` is a 429 that may pass, with `retry_after_s` when the service said so; `broken` a 5xx;
    `garbled` an answer that is no JSON; `missing` a path the service does not have; `rejected`
    will fail again until somebody changes a setting: the message says which.
    """

    def __init__(self, kind: Kind, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after_s = retry_after_s


class OpenAIClient:
    """Posts JSON to an OpenAI-compatible service. Connects at the first call."""

    def __init__(self, base_url: str, api_key: str) -> None:
        self._base_url = base_url
        self._api_key = api_key.strip()  # a line feed in it would fail as a lost connection
        self._client: AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def post(self, path: str, body: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """The JSON object the service answers with. Raises OpenAIFailure."""
        async with self.calling(timeout_s) as client:
            limits = httpx2.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s))
            response = await client.post(
                path, cast_to=httpx2.Response, body=body, options={"timeout": limits}
            )
        try:
            answer = response.json()
        except (ValueError, RecursionError) as error:
            raise OpenAIFailure("garbled", "The answer was not valid JSON.") from error
        if not isinstance(answer, dict):
            raise OpenAIFailure("garbled", "The answer was not a JSON object.")
        return answer

    @contextlib.asynccontextmanager
    async def calling(self, timeout_s: float) -> AsyncIterator[AsyncOpenAI]:
        """The SDK's client for one call; what fails inside is raised as OpenAIFailure."""
        if timeout_s <= 0:
            raise OpenAIFailure("timed_out", "No time was left for the call.")
        try:
            # The SDK's time-out counts each read alone; a slow drip of bytes would never end.
            async with asyncio.timeout(timeout_s):
                yield self._connected()
        except (TimeoutError, APITimeoutError) as error:
            raise OpenAIFailure(
                "timed_out", f"No answer from {self._base_url} within {timeout_s:.1f} s."
            ) from error
        except APIConnectionError as error:
            raise OpenAIFailure("unreachable", f"Could not reach {self._base_url}.") from error
        except APIStatusError as error:
            raise _sort(error, self._base_url) from error

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            with contextlib.suppress(APIConnectionError):
                await client.close()

    def _connected(self) -> AsyncOpenAI:
        # Pooled connections belong to the event loop that opened them.
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._loop = loop
            self._client = AsyncOpenAI(
                base_url=self._base_url,
                api_key=self._api_key or "not-set",  # compatible services want none
                max_retries=0,
            )
        return self._client


def _sort(error: APIStatusError, base_url: str) -> OpenAIFailure:
    status, code = error.status_code, error.code or ""
    if status == 429 and code != "insufficient_quota":
        return OpenAIFailure("busy", "The service is busy (429).", _retry_after(error))
    if status >= 500 or status in (408, 409):
        return OpenAIFailure("broken", f"The service failed ({status}).", _retry_after(error))
    if status in (404, 405) and code != "model_not_found":
        return OpenAIFailure("missing", f"{base_url} has no such path ({status}): check it.")
    return OpenAIFailure(
        "rejected", f"{_remedy(status, code)} ({status} {code})".rstrip(" )") + ")"
    )


def _remedy(status: int, code: str) -> str:
    if code == "insufficient_quota":
        return "The account has no credit left: add credit or raise its limit."
    if code == "model_not_found":
        return "The service does not have this model: set another, or ask for access."
    if status == 401:
        return "The API key is missing or was refused: check the OpenAI key."
    if status == 403:
        return "The API key may not do this: check its project and permissions."
    # The service's own words may repeat what was sent; they belong in no log.
    return "The service refused the request: check the model and base URL settings."


def _retry_after(error: APIStatusError) -> float | None:
    headers = error.response.headers
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
