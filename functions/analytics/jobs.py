"""Scheduled jobs: delete expired rows, have a model audit answers, group unanswered questions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Protocol

from functions.adapters.aws.secrets import secret
from functions.adapters.openai.model_judge import ModelJudge
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
from functions.adapters.postgres.analytics_summary import purge
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.topic_records import TopicRecords
from functions.analytics.metrics.drift import drift_of
from functions.analytics.metrics.period import DEFAULT_DAYS, Period
from functions.analytics.metrics.summary import read_summary
from functions.analytics.topics.group import embeddings_of, refresh_topics
from functions.answer.deadline import Deadline
from functions.answer.judge import Judge, JudgeFailed
from functions.runtime.logs import logger
from functions.runtime.metrics import count_drift
from functions.runtime.prices import read_prices, shipped_prices
from functions.runtime.settings import Settings

PURGE_SECONDS = 25.0
EMBEDDING_SECONDS = 15.0
"""For new vectors; the rest is embedded by the next run."""
SAMPLE_SIZE, CONCURRENT_CALLS = 20, 5
JUDGE_SECONDS = 20.0
"""For all answers of the sample."""
LONGEST_EVIDENCE = 8_000
"""Characters of quotes for one claim."""

Task = Callable[[Database, Settings], Awaitable[dict[str, Any]]]


class Auditor(Judge, Protocol):
    """A judge that also tells which answers are answers to their questions."""

    async def answers(self, pairs: Sequence[tuple[str, str]], deadline: Deadline) -> list[bool]: ...


def run_task(name: str, settings: Settings) -> dict[str, Any]:
    """Run a task and return its outcome. KeyError for an unknown task; raises what the database
    raises: the schedule retries."""
    task = TASKS[name]
    settings.require("database_url")
    loop = asyncio.new_event_loop()  # asyncio.run would close the event loop of the HTTP side
    try:
        done = loop.run_until_complete(_run(task, settings))
    finally:
        loop.close()
    logger().info("task done", task=name, done=done)
    return done


async def count_moved(database: Database) -> float | None:
    """Count the drift of confidence against ratings that the overview shows; None while ratings are
    too few. An alarm watches it."""
    zone = (await read_settings(database)).time_zone
    period = Period.of_last_days(DEFAULT_DAYS, await today_in(database, zone), zone)
    moved = drift_of((await read_summary(database, period)).days).moved
    if moved is not None:
        count_drift(abs(moved))
    return moved


async def judge_yesterday(
    database: Database, settings: Settings, seconds: float = JUDGE_SECONDS
) -> dict[str, Any]:
    """Have the model audit a sample of yesterday's answers, where one is set up and the budget
    allows it.

    The cost is added to the day's spending. Answers on which the model fails are skipped and
    counted.
    """
    key = secret(settings, "openai_api_key")
    if not key:
        return {"judged": 0, "reason": "no model"}
    if not await has_budget(database):
        return {"judged": 0, "reason": "budget spent"}
    zone = (await read_settings(database)).time_zone
    today = await today_in(database, zone)
    yesterday = Period(today - timedelta(days=1), today, zone)
    sample = await draw_sample(database, yesterday, SAMPLE_SIZE, "model", str(today))
    prices = shipped_prices()
    if settings.model_prices:
        prices = prices.add(read_prices(settings.model_prices))
    judge = ModelJudge(
        settings.openai_base_url, key, settings.model,
        seconds=seconds, effort=settings.model_effort or None, on_usage=note_usage,
    )  # fmt: skip
    with counted_spending(prices) as spent:
        try:
            verdicts = await judge_answers(judge, sample, Deadline.after(seconds))
        finally:
            await judge.close()
            await record_spending(database, spent.input_tokens, spent.output_tokens, spent.dollars)
    kept = await record_audits(database, verdicts)
    return {"judged": kept, "failed": len(sample) - len(verdicts), "dollars": spent.dollars}


async def judge_answers(
    judge: Auditor, sample: Sequence[SampledAnswer], deadline: Deadline
) -> list[AuditVerdict]:
    """A verdict for each answer that the model could assess in time."""
    slots = asyncio.Semaphore(CONCURRENT_CALLS)

    async def judge_one(answer: SampledAnswer) -> AuditVerdict | None:
        pairs = [
            (claim.text, "\n".join(claim.quotes)[:LONGEST_EVIDENCE]) for claim in answer.claims
        ]
        whole = " ".join(claim.text for claim in answer.claims)
        async with slots:
            try:
                supported = await judge.entails(pairs, deadline)
                (relevant,) = await judge.answers([(answer.question, whole)], deadline)
            except JudgeFailed as error:
                logger().error(
                    "answer not judged", response_id=answer.response_id, detail=str(error)
                )
                return None
        return AuditVerdict(answer.response_id, "model", tuple(supported), relevant)

    async with asyncio.TaskGroup() as group:
        judged = [group.create_task(judge_one(answer)) for answer in sample]
    return [verdict for task in judged if (verdict := task.result()) is not None]


async def _run(task: Task, settings: Settings) -> dict[str, Any]:
    database = Database(secret(settings, "database_url"))
    try:
        return await task(database, settings)
    finally:
        await database.close()


async def _purge(database: Database, settings: Settings) -> dict[str, Any]:
    return await purge(database, seconds=PURGE_SECONDS)


async def _judge(database: Database, settings: Settings) -> dict[str, Any]:
    drift = await count_moved(database)
    return {"drift": drift, **await judge_yesterday(database, settings)}


async def _group_questions(database: Database, settings: Settings) -> dict[str, Any]:
    embeddings = embeddings_of(settings)
    if embeddings is None:
        return {"skipped": "no embeddings are set up"}
    try:
        records = TopicRecords(database, settings.embedding_model)
        return asdict(await refresh_topics(records, embeddings, EMBEDDING_SECONDS))
    finally:
        await embeddings.close()


TASKS: Mapping[str, Task] = {
    "purge": _purge,
    "judge": _judge,
    "topics": _group_questions,
}
