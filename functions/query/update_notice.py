"""Adds a notice when a cited document was updated recently. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from functions.answer.answers import Answer
from functions.answer.context import Context
from functions.lifecycle.reply import Notice

FIRST_GENERATION = 1


def update_notices(answer: Answer, context: Context, days: float, now: datetime) -> list[Notice]:
    """A notice with the latest update of any cited document, if at most `days` ago. A new document
    does not count as updated."""
    cited = {citation.source_path for citation in answer.citations}
    changed = [
        _moment(source.chunk.updated_at)
        for source in context.sources
        if source.chunk is not None
        and source.chunk.source_path in cited
        and source.chunk.generation > FIRST_GENERATION
    ]
    newest = max((moment for moment in changed if moment is not None), default=None)
    if newest is None or now - newest > timedelta(days=days):
        return []
    date = f"{newest:%B} {newest.day}, {newest.year}"
    return [Notice("content_updated", {"date": date})]


def _moment(updated_at: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(updated_at)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
