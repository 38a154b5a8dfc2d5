"""The scheduled grouping of questions into topics, so that no page has to wait for it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from functions.adapters.postgres.database import Database
from functions.adapters.postgres.topic_records import TopicRecords
from functions.analytics.topics.embed import embeddings_of
from functions.analytics.topics.group import refresh_topics
from functions.runtime.settings import Settings

EMBEDDING_SECONDS = 15.0
"""For new vectors; what is left waits for the next time."""


async def group_questions(database: Database, settings: Settings) -> dict[str, Any]:
    """Group anew, and tell what was done. Raises what the database raises."""
    embeddings = embeddings_of(settings)
    if embeddings is None:
        return {"skipped": "no embeddings are set up"}
    try:
        records = TopicRecords(database, settings.embedding_model)
        return asdict(await refresh_topics(records, embeddings, EMBEDDING_SECONDS))
    finally:
        await embeddings.close()
