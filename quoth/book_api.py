"""A client of a book's API: fetches tokens, and waits while a question is queued."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import httpx2

from functions.answer.answers import SectionLink
from functions.query.ticket_status import TicketResponse

SECONDS = 60.0
"""For one request."""
SEARCH_PATH = "/search"
WAITING = ("queued", "deferred")

Waiting = Callable[[str], Awaitable[None]]


class ApiFailed(Exception):
    """There is no answer. The message says why, for a person."""


async def _no_report(sentence: str) -> None:
    return None


@dataclass
class BookApi:
    """The API at `url`, asked as one reader. An async context manager.

    `origin` is the site whose reader it is, for an API that lets in certain sites only.
    """

    url: str
    origin: str = ""
    session: str = field(default_factory=lambda: uuid.uuid4().hex)

    async def __aenter__(self) -> BookApi:
        headers = {"Origin": self.origin} if self.origin else {}
        self._http = httpx2.AsyncClient(timeout=SECONDS, headers=headers)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._http.aclose()

    async def ask(
        self,
        path: str,
        body: Mapping[str, Any],
        wait_s: float,
        report: Waiting = _no_report,
    ) -> dict[str, Any]:
        """The response to a question, as the API sends it. Raises ApiFailed.

        While the question waits, `report` is called with a sentence for the reader. After `wait_s`
        the response is the one that says so.
        """
        until = time.monotonic() + wait_s
        asked = {**body, "session_id": self.session}
        answer = await self._call("POST", path, json=asked)
        while answer.get("status") in WAITING and (ticket := answer.get("ticket")):
            await report(str(answer["response"]))
            state = await self._ticket_state(ticket["id"], ticket["poll_after_ms"] / 1000, until)
            if state is None:
                return answer
            if state.status == "expired":
                raise ApiFailed("The question lost its place in the queue. Ask again.")
            if state.answer is not None:
                return state.answer.model_dump(mode="json")
            answer = await self._call("POST", path, json={**asked, "ticket": ticket["id"]})
        return answer

    async def search(self, words: str) -> list[SectionLink]:
        """The sections that match best. Raises ApiFailed."""
        answer = await self._call("GET", SEARCH_PATH, params={"q": words})
        try:
            return [SectionLink(**each) for each in answer["sections"]]
        except (KeyError, TypeError) as error:
            raise self._foreign(200) from error

    async def _ticket_state(
        self, ticket: str, poll_s: float, until: float
    ) -> TicketResponse | None:
        """The state of a ticket that waits no more; None when the time is up first."""
        while time.monotonic() + poll_s < until:
            await asyncio.sleep(poll_s)
            found = await self._call("GET", f"/tickets/{ticket}")
            try:
                state = TicketResponse.model_validate(found)
            except ValueError as error:
                raise self._foreign(200) from error
            if state.status != "queued":
                return state
            poll_s = state.poll_after_ms / 1000
        return None

    async def _call(self, method: str, path: str, **given: Any) -> dict[str, Any]:
        reply = await self._send(method, path, **given)
        if reply.status_code == httpx2.codes.UNAUTHORIZED:
            await self._begin()
            reply = await self._send(method, path, **given)
        answer = self._json(reply)
        if reply.is_success:
            return answer
        if "message" not in answer:
            raise self._foreign(reply.status_code)
        raise ApiFailed(str(answer["message"]))

    async def _begin(self) -> None:
        """Fetch a token for the session."""
        reply = await self._send("POST", "/session", json={"session_id": self.session})
        token = self._json(reply).get("token")
        if not reply.is_success or not token:
            who = self.origin or "no origin"
            raise ApiFailed(f"{self.url} gives no token to {who} (HTTP {reply.status_code}).")
        self._http.headers["Authorization"] = f"Bearer {token}"

    async def _send(self, method: str, path: str, **given: Any) -> httpx2.Response:
        try:
            return await self._http.request(method, f"{self.url.rstrip('/')}{path}", **given)
        except httpx2.TimeoutException as error:
            raise ApiFailed(f"{self.url} did not answer within {SECONDS:.0f} seconds.") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise ApiFailed(f"{self.url} cannot be reached. Is the service running?") from error

    def _json(self, reply: httpx2.Response) -> dict[str, Any]:
        try:
            answer = reply.json()
        except ValueError as error:
            raise self._foreign(reply.status_code) from error
        if not isinstance(answer, dict):
            raise self._foreign(reply.status_code)
        return answer

    def _foreign(self, status: int) -> ApiFailed:
        return ApiFailed(f"{self.url} does not answer as Quoth does (HTTP {status}).")
