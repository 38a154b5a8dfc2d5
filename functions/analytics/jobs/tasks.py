"""What the schedule has this function do: delete what is old, judge what was answered yesterday,
group what was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from functions.adapters.aws.secrets import secret
from functions.adapters.postgres.analytics_summary import purge
from functions.adapters.postgres.database import Database
from functions.runtime.logs import logger
from functions.runtime.settings import Settings

PURGE_SECONDS = 25.0
Task = Callable[[Database, Settings], Awaitable[dict[str, Any]]]


def run_task(name: str, settings: Settings) -> dict[str, Any]:
    """Do a task, and tell what came of it. KeyError for no task; raises what the database raises:
    the schedule tries again."""
    task = TASKS[name]
    settings.require("database_url")
    loop = asyncio.new_event_loop()  # not asyncio.run: it would take the loop of the HTTP side away
    try:
        done = loop.run_until_complete(_run(task, settings))
    finally:
        loop.close()
    logger().info("task done", task=name, done=done)
    return done


async def _run(task: Task, settings: Settings) -> dict[str, Any]:
    database = Database(secret(settings, "database_url"))
    try:
        return await task(database, settings)
    finally:
        await database.close()


async def _purge(database: Database, settings: Settings) -> dict[str, Any]:
    return await purge(database, seconds=PURGE_SECONDS)


async def _judge(database: Database, settings: Settings) -> dict[str, Any]:
    # Imported for the task: readers' feedback must not wait for it.
    from functions.analytics.jobs.judge import judge_yesterday

    return await judge_yesterday(database, settings)


async def _topics(database: Database, settings: Settings) -> dict[str, Any]:
    from functions.analytics.jobs.group_topics import group_questions

    return await group_questions(database, settings)


TASKS: Mapping[str, Task] = {"purge": _purge, "judge": _judge, "topics": _topics}
