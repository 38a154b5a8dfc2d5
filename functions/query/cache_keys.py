"""What makes two questions the same, and an answer good for both."""

from __future__ import annotations

from pathlib import Path

from functions.answer.chain_version import chain_version, sources_version
from functions.lifecycle.begin_finish import key_of
from functions.query.intents.classify import Intent
from functions.query.requests import QueryRequest


def question_key(asked: QueryRequest, intent: Intent) -> str:
    """The words of a question, and what they are asked of: for an overview the open page.

    A greeting has none: it is neither repeated nor something that a later question can lean on.
    """
    if intent.guide is not None:
        return ""
    if intent.overview is not None and asked.page is not None:
        return key_of(asked.question, *asked.page.model_dump().values())
    return key_of(asked.question, asked.place_key())


def cache_key(asked: QueryRequest, intent: Intent, max_quotes: int, model: str) -> str | None:
    """What an answer depends on besides the book. None for one that is not kept: it depends on the
    open page or the question before, costs nothing to make, or was asked with personal data."""
    if not intent.is_searched or asked.holds_personal_data:
        return None
    return key_of(
        asked.question,
        asked.search_key(),
        str(max_quotes),
        model,
        chain_version(),
        sources_version(Path(__file__).parent),
    )
