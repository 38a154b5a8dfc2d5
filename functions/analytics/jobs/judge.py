"""Every day a model judges some answers drawn by lot: is each statement in its sources, and is the
question answered?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Protocol

from functions.adapters.aws.secrets import secret
from functions.adapters.openai.spending import counted_spending, note_usage
from functions.adapters.postgres.analytics_audits import (
    AuditVerdict,
    SampledAnswer,
    draw_sample,
    has_budget,
    record_audits,
    record_spending,
)
from functions.adapters.postgres.analytics_settings import read_settings, today_in
from functions.adapters.postgres.database import Database
from functions.analytics.metrics.period import Period
from functions.answer.deadline import Deadline
from functions.answer.write.writer import WriterFailed
from functions.runtime.logs import logger
from functions.runtime.prices import read_prices, shipped_prices
from functions.runtime.settings import Settings

A_DAY, AT_ONCE = 20, 5
JUDGE_SECONDS = 20.0
"""For all of them: the function's own time is 29 s."""
LONGEST_EVIDENCE = 8_000
"""Characters of quotes for one claim."""


class Judge(Protocol):
    """A model that judges pairs of texts."""

    async def entails(self, pairs: Sequence[tuple[str, str]], deadline: Deadline) -> list[bool]: ...

    async def answers(self, pairs: Sequence[tuple[str, str]], deadline: Deadline) -> list[bool]: ...


async def judge_yesterday(
    database: Database, settings: Settings, seconds: float = JUDGE_SECONDS
) -> dict[str, Any]:
    """Judge some of yesterday's answers, where a model is set up and the budget has room.

    What it cost is added to the day's spending. Answers the model fails on are left out and
    counted.
    """
    key = secret(settings, "openai_api_key")
    if not key:
        return {"judged": 0, "reason": "no model"}
    if not await has_budget(database):
        return {"judged": 0, "reason": "budget spent"}
    # Only where there is a model: its client is slow to load.
    from functions.adapters.openai.model import ModelWriter

    zone = (await read_settings(database)).time_zone
    today = await today_in(database, zone)
    yesterday = Period(today - timedelta(days=1), today, zone)
    sample = await draw_sample(database, yesterday, A_DAY, "model", str(today))
    prices = shipped_prices()
    if settings.model_prices:
        prices = prices.add(read_prices(settings.model_prices))
    judge = ModelWriter(
        settings.openai_base_url,
        key,
        settings.model,
        effort=settings.model_effort or None,
        on_usage=note_usage,
    )
    with counted_spending(prices) as spending:
        try:
            verdicts = await judge_answers(judge, sample, Deadline.after(seconds))
        finally:
            await judge.close()
            await record_spending(
                database, spending.input_tokens, spending.output_tokens, spending.dollars
            )
    kept = await record_audits(database, verdicts)
    return {"judged": kept, "failed": len(sample) - len(verdicts), "dollars": spending.dollars}


async def judge_answers(
    judge: Judge, sample: Sequence[SampledAnswer], deadline: Deadline
) -> list[AuditVerdict]:
    """A verdict for each answer that the model could judge in time."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def judge_one(answer: SampledAnswer) -> AuditVerdict | None:
        pairs = [
            (claim.text, "\n".join(claim.quotes)[:LONGEST_EVIDENCE]) for claim in answer.claims
        ]
        whole = " ".join(claim.text for claim in answer.claims)
        async with turns:
            try:
                supported = await judge.entails(pairs, deadline)
                (relevant,) = await judge.answers([(answer.question, whole)], deadline)
            except WriterFailed as error:
                logger().error(
                    "answer not judged", response_id=answer.response_id, detail=str(error)
                )
                return None
        return AuditVerdict(answer.response_id, "model", sum(supported), relevant)

    async with asyncio.TaskGroup() as group:
        judged = [group.create_task(judge_one(answer)) for answer in sample]
    return [verdict for task in judged if (verdict := task.result()) is not None]
