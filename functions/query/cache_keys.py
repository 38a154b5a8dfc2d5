"""Keys of questions: one finds a repeated question, one finds its cached answer."""

from __future__ import annotations

from pathlib import Path

from functions.answer.chain_version import chain_version, sources_version
from functions.lifecycle.begin_finish import key_of
from functions.lifecycle.choose_writer import Writers
from functions.query.intents.classify import Intent
from functions.query.requests import QueryRequest


def question_key(asked: QueryRequest, intent: Intent) -> str:
    """The key of a question's words with its highlight, or for an overview with the open page.

    A greeting has none: it does not count as repeated, and no follow-up question refers to it.
    """
    if intent.guide is not None:
        return ""
    if intent.overview is not None and asked.page is not None:
        return key_of(asked.question, *asked.page.model_dump().values())
    return key_of(asked.question, asked.highlight_key())


def cache_key(
    asked: QueryRequest, intent: Intent, max_quotes: int, writers: Writers, *, is_read: bool
) -> str | None:
    """The key of all that an answer depends on besides the book; `is_read`: a reader reads it.

    None for an answer that is not cached: it depends on the open page or the previous question, is
    cheap to make, or the request holds personal data.
    """
    if not intent.is_searched or asked.holds_personal_data:
        return None
    return key_of(
        asked.question,
        asked.search_key(),
        str(max_quotes),
        writers.model,
        writers.judge_model,
        "read" if is_read else "",
        chain_version(),
        sources_version(Path(__file__).parent),
    )
