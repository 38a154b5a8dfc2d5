"""Stands in for the schedule of the retries: what waits is looked at every few seconds."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from functions.lifecycle.retry import RUN_SECONDS, Answers, QueueState, retry_deferred
from functions.query.app import build_answers as build_book
from functions.runtime.logs import logger
from functions.runtime.settings import Settings
from functions.selected.app import build_answers as build_selections

EVERY_S = 2.0


async def follow_deferred(settings: Mapping[str, Settings], every_s: float = EVERY_S) -> None:
    """Retry for both functions until cancelled, each with its own settings and role."""
    every: list[tuple[Answers, QueueState]] = [
        (build_book(settings["query"]), QueueState()),
        (build_selections(settings["selected"]), QueueState()),
    ]
    try:
        while True:
            for answers, watch in every:
                try:
                    await retry_deferred(answers, watch, RUN_SECONDS)
                except Exception:  # as on Lambda: the next run begins anew
                    logger().exception("a retry failed")
            await asyncio.sleep(every_s)
    finally:
        for answers, _ in every:
            await answers.close()
