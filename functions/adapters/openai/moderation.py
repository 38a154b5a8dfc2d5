"""Checks questions with OpenAI's moderation service. It fails open: without an answer from the
service no question is refused."""

from __future__ import annotations

from functions.adapters.openai.client import OpenAIClient, OpenAIFailure
from functions.runtime.breaker import Breaker
from functions.runtime.logs import logger

REFUSED = {
    "harassment": "harassment",
    "harassment/threatening": "harassment_threatening",
    "hate": "hate",
    "hate/threatening": "hate_threatening",
    "sexual/minors": "sexual_minors",
}
"""Categories by the service's names, with the SDK's."""
"""The service also flags violence, self-harm and crime, but these are subjects of books."""
REJECTED_PAUSE_S = 300.0
"""The pause after the service has rejected the key or does not have the path."""
MAX_FAILURES = 3
PAUSE_S = 30.0
"""The pause after consecutive failures, each of which may delay a reader."""


class Moderator:
    """A moderation service at an OpenAI-compatible address."""

    def __init__(self, base_url: str, api_key: str, model: str, seconds: float) -> None:
        self._client = OpenAIClient(base_url, api_key)
        self._model = model
        self._seconds = seconds
        self._breaker = Breaker(MAX_FAILURES, PAUSE_S)

    async def flags(self, question: str, seconds: float) -> tuple[str, ...]:
        """The flagged categories for which a question is refused. Never raises."""
        if seconds <= 0 or not self._breaker.allows():
            return ()
        try:
            async with self._client.calling(min(seconds, self._seconds)) as sdk:
                answer = await sdk.moderations.create(model=self._model, input=question)
            categories = answer.results[0].categories
            found = [name for name, field in REFUSED.items() if getattr(categories, field) is True]
        except OpenAIFailure as failure:
            self._breaker.record(False)
            if failure.kind in ("missing", "rejected"):
                self._breaker.hold_for(REJECTED_PAUSE_S)
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
