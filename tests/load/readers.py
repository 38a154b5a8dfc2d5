"""Readers as the widget makes them: they ask, wait in the queue, come back with their ticket.

What is lost on the way is asked again under the same idempotency key, as a careful client does.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.load.connections import Connections, NoReply

SAMPLES = Path(__file__).parents[1] / "integration" / "sample_questions.json"
QUESTIONS: list[str] = [row["question"] for row in json.loads(SAMPLES.read_text("utf-8"))]
PASSAGE = (
    "The ZMP is used for dynamic balance control in bipedal walking: the motion is planned and "
    "corrected so that the ZMP stays inside the support polygon. As long as it does, the "
    "supporting foot stays flat on the ground and does not begin to rotate about its edge."
)
ABOUT_PASSAGE = ("What is the ZMP used for?", "What does the supporting foot do?")
TIMEOUT_S = 40.0
TRIES = 12
"""Sends of one question before the reader gives up: that is an error."""
AGAIN_S = 2.0
PLACE_LOST = "place lost"
PATIENCE_S = 180.0
"""However it goes on, after so long a question has had no end: that is an error."""


@dataclass
class Heard:
    """What became of one question. `outcome` is the status, or limited, full or error."""

    path: str
    outcome: str
    waited_ms: float
    query_id: str = ""
    answer: dict[str, Any] = field(default_factory=dict)
    tries: int = 1
    queued: bool = False
    position: int = 0
    told_s: float | None = None
    """The estimate it was first given in the queue."""
    queue_s: float | None = None
    ticket: str = ""
    troubles: list[str] = field(default_factory=list)
    """Why it had to be asked again."""


@dataclass
class Asking:
    """Where questions go; a block of `async with` closes the connections. `workers` take turns; a
    worker that is gone is passed over next time."""

    workers: Sequence[str]
    connections: Connections
    draw: random.Random
    heard: list[Heard] = field(default_factory=list)
    refused_connections: int = 0
    _next: int = 0

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *_: object) -> None:
        self.connections.close()

    def address(self) -> str:
        self._next += 1
        return self.workers[self._next % len(self.workers)]

    async def ask(self, path: str, body: dict[str, Any]) -> Heard:
        """Ask until there is an outcome that a reader can be told."""
        started = time.perf_counter()
        heard = Heard(path, "error", 0.0)
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._ask(path, body, heard)
        except TimeoutError:
            heard.outcome = "error"
        heard.waited_ms = 1000 * (time.perf_counter() - started)
        heard.query_id = heard.answer.get("query_id", "")
        if heard.outcome == "deferred":
            heard.ticket = heard.answer["ticket"]["id"]
        self.heard.append(heard)
        return heard

    async def _ask(self, path: str, body: dict[str, Any], heard: Heard) -> None:
        key = str(uuid.uuid4())
        sent = dict(body)
        for heard.tries in range(1, TRIES + 1):
            try:
                reply = await self.connections.post(
                    self.address() + path, sent, {"idempotency-key": key}
                )
                answer = reply.json()
            except NoReply:
                self.refused_connections += 1
                heard.troubles.append("no reply")
                await asyncio.sleep(AGAIN_S)
                continue
            outcome = outcome_of(reply.status_code, answer)
            if outcome == "queued":
                state = await self._wait_in_queue(answer, heard)
                if state["status"] == "done":
                    heard.outcome, heard.answer = state["answer"]["status"], state["answer"]
                    return
                sent = dict(body)
                if state["status"] == "run":
                    sent["ticket"] = answer["ticket"]["id"]
                else:  # whoever ran it is gone, or the reader was not heard of for too long
                    heard.troubles.append(PLACE_LOST)
                continue
            if outcome == "again":
                heard.troubles.append(f"{reply.status_code} {answer.get('code')}")
                await asyncio.sleep(AGAIN_S)
                continue
            heard.outcome, heard.answer = outcome, answer
            return

    async def _wait_in_queue(self, answer: dict[str, Any], heard: Heard) -> dict[str, Any]:
        """The ticket's state when it waits no longer."""
        since = time.perf_counter()
        ticket = answer["ticket"]
        if not heard.queued and ticket["position"]:
            heard.queued, heard.told_s = True, ticket["eta_s"]
            heard.position = ticket["position"]
        pause = ticket["poll_after_ms"] / 1000
        while True:
            await asyncio.sleep(pause)
            try:
                reply = await self.connections.get(f"{self.address()}/tickets/{ticket['id']}")
                state: dict[str, Any] = reply.json()
            except NoReply:
                self.refused_connections += 1
                pause = AGAIN_S
                continue
            if reply.status_code != 200:
                pause = AGAIN_S
            elif state["status"] == "queued":
                pause = state["poll_after_ms"] / 1000
            else:
                heard.queue_s = time.perf_counter() - since
                return state


def outcome_of(status: int, answer: dict[str, Any]) -> str:
    """The name of what a reader was told."""
    if status == 200:
        return str(answer["status"])
    if status == 429:
        return "limited"
    if status == 503 and answer.get("code") == "full":
        return "full"
    return "again" if status in (409, 502, 503, 504) else "error"


async def read(asking: Asking, is_over: Callable[[], bool], pause_s: float) -> None:
    """One reader until it is over: a mixture of modes, with pauses for reading between."""
    session = str(uuid.uuid4())
    await asyncio.sleep(asking.draw.uniform(0, pause_s))
    while not is_over():
        body: dict[str, Any] = {"session_id": session, "fresh": True}
        chance = asking.draw.random()
        if chance < 0.2:
            body |= {"question": asking.draw.choice(ABOUT_PASSAGE), "selected_text": PASSAGE}
            await asking.ask("/query-selected-text", body)
        else:
            question = asking.draw.choice(QUESTIONS)
            if chance < 0.4:
                await _search(asking, question)
            await asking.ask("/query", body | {"question": question})
        await asyncio.sleep(asking.draw.expovariate(1 / pause_s))


async def _search(asking: Asking, question: str) -> None:
    try:
        await asking.connections.get(f"{asking.address()}/search?{urlencode({'q': question})}")
    except NoReply:
        asking.refused_connections += 1


def counts(heard: Sequence[Heard]) -> dict[str, int]:
    """How many questions had each outcome; all names are there."""
    found = Counter(each.outcome for each in heard)
    names = ("answered", "partial", "refused", "limited", "full", "deferred", "error")
    return {name: found.pop(name, 0) for name in names} | dict(found)


def is_limited(heard: Heard) -> bool:
    """Whether an answer was made of quotes alone."""
    return bool(heard.answer.get("metadata", {}).get("limited_mode"))
