"""Masks personal data in a query's record before it is stored. Pure.

The reader's text and the model's raw output are searched for personal data. In an answer from the
book, which is published text, only values found there are masked; an answer from a selection is the
reader's text and is searched as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from functions.adapters.postgres.query_records import QueryRecord
from functions.runtime.privacy.personal_data import (
    Kind,
    change_texts,
    has_personal_data,
    mask_all,
    values_in,
)

NOT_SEARCHED = frozenset(
    {"query_id", "response_id", "mode", "session_id", "status", "question_hash", "cache_key"}
    | {"content_version", "retrieved_chunk_ids", "chunk_hashes", "search", "prompt_version"}
    | {"model_asked", "model_returned", "asked_at", "reader", "user_id"}
    | {"cacheable", "personal_session"}
)
"""Fields that hold no free text, and the ids that the database stores as keyed hashes."""


def mask_record(record: QueryRecord) -> QueryRecord:
    """The record with personal data masked. An answer to a question with any is not cached."""
    given = {each.name: getattr(record, each.name) for each in fields(record)}
    readers = {name: value for name, value in given.items() if name not in NOT_SEARCHED | {"body"}}
    found = values_in(_texts([*readers.values(), record.session_id]))
    masked = {name: mask_all(value) for name, value in readers.items() if value and found}
    if record.body:
        of_reader = record.mode == "selected-text"
        masked["body"] = mask_all(record.body) if of_reader else hide_values(record.body, found)
    return replace(
        record,
        **masked,
        cacheable=record.cacheable and not found,
        personal_session=has_personal_data(record.session_id),
    )


def hide_values(value: Any, values: Mapping[str, Kind]) -> Any:
    """Plain JSON data with every occurrence of these values masked."""
    if not values:
        return value

    def hide(text: str) -> str:
        for each in sorted(values, key=len, reverse=True):
            text = text.replace(each, f"[{values[each]}]")
        return text

    return change_texts(value, hide)


def _texts(value: Any) -> list[str]:
    """Every string in plain JSON data."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, list | tuple):
        return []
    return [text for each in value for text in _texts(each)]
