"""Asks golden questions of a deployed API, as a reader of the site would."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass
from types import TracebackType

import httpx2

from functions.query.requests import QueryRequest
from functions.web.responses import QueryResponse
from quoth.golden.ask import NotAsked

SECONDS = 60.0
TRIES = 4
LONGEST_WAIT_S = 65.0
NO_TOKENS = (404, 405)
"""What the API answers where it takes requests without a token."""


@dataclass
class DeployedReader:
    """A reader of `origin` who asks the API at `url`; each question is a session of its own, so
    that the limit per reader is not met. An async context manager."""

    url: str
    origin: str

    async def __aenter__(self) -> DeployedReader:
        self._http = httpx2.AsyncClient(
            base_url=self.url, timeout=SECONDS, headers={"Origin": self.origin}
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._http.aclose()

    async def ask(self, request: QueryRequest) -> QueryResponse:
        """Raises NotAsked when there is no answer."""
        session = f"smoke-{uuid.uuid4().hex}"
        body = request.model_dump(mode="json", exclude_none=True, exclude_unset=True)
        body["session_id"] = session
        try:
            headers = await self._begin(session)
            for _ in range(TRIES):
                answer = await self._http.post("/query", json=body, headers=headers)
                if answer.status_code not in (429, 503):
                    break
                waits = float(answer.headers.get("retry-after") or 2)
                await asyncio.sleep(min(waits, LONGEST_WAIT_S))
        except httpx2.HTTPError as error:
            raise NotAsked(f"{self.url} does not answer ({type(error).__name__})") from error
        if answer.status_code != 200:
            raise NotAsked(f"{request.question}: {self.url} answers {answer.status_code}")
        try:
            return QueryResponse.model_validate(answer.json())
        except ValueError as error:
            raise NotAsked(f"{self.url} is no Quoth of this version") from error

    async def _begin(self, session: str) -> dict[str, str]:
        answer = await self._http.post("/session", json={"session_id": session})
        if answer.status_code in NO_TOKENS:
            return {}
        if answer.status_code != 200:
            raise NotAsked(
                f"{self.url}/session answers {answer.status_code}: is {self.origin} let in?"
            )
        return {"Authorization": f"Bearer {answer.json()['token']}"}
