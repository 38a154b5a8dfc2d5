"""Asks OpenAI's free moderation service about a question. It fails open: a question is not refused
because a service is away."""

from __future__ import annotations

from functions.adapters.openai.client import OpenAIClient, OpenAIFailure
from functions.runtime.breaker import Breaker
from functions.runtime.logs import logger

AGAINST_SOMEBODY = frozenset(
    ("harassment", "harassment/threatening", "hate", "hate/threatening", "sexual/minors")
)
"""What is refused. Violence, self-harm and crime are flagged too, but are subjects of books."""
AWAY_S = 300.0
"""How long a service without this path, or that refuses the key, is not asked again."""
FAILURES = 3
PAUSE_S = 30.0
"""How long one that failed so often in a row is left alone: each failure may cost a reader time."""


class Moderator:
    """A moderation service at an OpenAI-compatible address."""

    def __init__(self, base_url: str, api_key: str, model: str, seconds: float) -> None:
        self._client = OpenAIClient(base_url, api_key)
        self._model = model
        self._seconds = seconds
        self._breaker = Breaker(FAILURES, PAUSE_S)

    async def flags(self, question: str, seconds: float) -> tuple[str, ...]:
        """The categories that forbid an answer, within so many seconds. Never raises."""
        if seconds <= 0 or not self._breaker.allows():
            return ()
        body = {"model": self._model, "input": question}
        try:
            answer = await self._client.post("/moderations", body, min(seconds, self._seconds))
            categories = answer["results"][0]["categories"]
            found = [name for name in AGAINST_SOMEBODY if categories.get(name) is True]
        except OpenAIFailure as failure:
            self._breaker.record(False)
            if failure.kind in ("missing", "rejected"):
                self._breaker.hold_for(AWAY_S)
            logger().warning("moderation skipped", kind=failure.kind, detail=str(failure))
            return ()
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            self._breaker.record(False)
            logger().warning("moderation skipped", kind="garbled", detail=type(error).__name__)
            return ()
        self._breaker.record(True)
        return tuple(sorted(found))

    async def close(self) -> None:
        await self._client.close()
