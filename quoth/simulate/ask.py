"""Made-up readers at work: each question through the functions' own routes, and what they say of
the answers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import httpx2

from functions.adapters.postgres.analytics_reviews import Verdict
from functions.answer.gate.thresholds import REVIEW
from quoth.simulate.visits import Ask

OK, TOO_MANY = 200, 429
COMMENTS = ("This is not what I asked.", "Too short.", "I could not find it in the chapter.")


class NotAnswered(RuntimeError):
    """A route failed. The message says which, and what it answered."""


@dataclass
class Traffic:
    """What came of it. `moments`: query id to the time it is said to have been asked."""

    moments: dict[str, datetime] = field(default_factory=dict)
    refusals: list[tuple[str, bool]] = field(default_factory=list)
    """Response id, and whether it was right to refuse."""
    counts: Counter[str] = field(default_factory=Counter)


async def ask_all(
    client: httpx2.AsyncClient,
    visits: Sequence[Sequence[Ask]],
    seed: int,
    asked: Callable[[], None] = lambda: None,
) -> Traffic:
    """Send everything to the functions' routes, one after another. `asked` hears of each.
    NotAnswered."""
    lot = random.Random(seed)  # noqa: S311  # not for secrets
    traffic = Traffic()
    for visit in visits:
        for ask in visit:
            await _ask(client, ask, lot, traffic)
            asked()
    return traffic


async def mark_refusals(
    traffic: Traffic, mark: Callable[[str, Verdict], Awaitable[None]], seed: int, share: float = 0.4
) -> None:
    """A reviewer looks at some of the refusals: at a share drawn by lot."""
    lot = random.Random(seed)  # noqa: S311  # not for secrets
    for response_id, was_right in traffic.refusals:
        if lot.random() < share:
            await mark(response_id, "good_refusal" if was_right else "should_have_answered")
            traffic.counts["reviewed"] += 1


async def _ask(client: httpx2.AsyncClient, ask: Ask, lot: random.Random, traffic: Traffic) -> None:
    reply = await client.post(ask.path, json=ask.body)
    if reply.status_code == TOO_MANY:
        traffic.counts["limited"] += 1
        return
    if reply.status_code != OK:
        raise NotAnswered(f"{ask.path} answered {reply.status_code}: {reply.text[:300]}")
    answer: dict[str, Any] = reply.json()
    traffic.counts[answer["status"]] += 1
    traffic.moments[answer["query_id"]] = ask.at
    if answer["status"] == "refused" and answer["refusal"]["reason"] != "inappropriate":
        traffic.refusals.append((answer["response_id"], not ask.about_book))
    rating = _rate(answer, ask, lot)
    if rating is None:
        return
    body = {
        "response_id": answer["response_id"],
        "session_id": ask.body["session_id"],
        "rating": rating,
    }
    if rating == "not_helpful" and lot.random() < 0.4:
        body["comment"] = lot.choice(COMMENTS)
    said = await client.post("/feedback", json=body)
    if said.status_code != OK:
        raise NotAnswered(f"/feedback answered {said.status_code}: {said.text[:300]}")
    traffic.counts[rating] += 1


def _rate(answer: dict[str, Any], ask: Ask, lot: random.Random) -> str | None:
    """A rating, from few: refusals of what the book treats annoy, sure answers help."""
    if answer["status"] == "refused":
        annoyed = 0.5 if ask.about_book else 0.05
        return "not_helpful" if lot.random() < annoyed else None
    if lot.random() > 0.3:
        return None
    helped = 0.93 if (answer["metadata"]["confidence"] or 0) >= REVIEW else 0.7
    return "helpful" if lot.random() < helped else "not_helpful"
