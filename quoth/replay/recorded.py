"""Recorded queries, and how an answer differs from the recorded one."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import psycopg
from psycopg.rows import dict_row

from functions.answer.text.vectors import cosine

CONNECT_SECONDS = 10
QUERY = (
    "SELECT query_id::text, asked_at, session_id, mode, question, selected_text, page,"
    " chapter_context, highlight, content_version, retrieved_chunk_ids, chunk_hashes, search,"
    " rewritten_question, body #>> '{metadata,about}' AS about, status, generated_response,"
    " claims, model_asked, model_returned, prompt_version,"
    " previous_question(session_id, mode, query_id, asked_at, limit_settings) AS previous"
    " FROM queries JOIN responses USING (query_id), limit_settings"
)
BY_ID = f"{QUERY} WHERE query_id = %s"
LAST = f"{QUERY} WHERE NOT cached AND status <> 'queued' ORDER BY asked_at DESC LIMIT %s"
CHUNKS = (
    "SELECT id, hash, body FROM chunks WHERE id = ANY(%(ids)s)"
    " UNION ALL SELECT id, hash, body FROM past_chunks WHERE id = ANY(%(ids)s)"
)


class NotRecorded(LookupError):
    """There is no such query, or its sources are no longer kept. The message says which."""


@dataclass(frozen=True)
class RecordedQuery:
    """One row of the records. `chunks` are the bodies of all it found, by id."""

    query_id: str
    asked_at: datetime
    session_id: str
    mode: str
    question: str
    selected_text: str | None
    page: dict[str, Any] | None
    chapter_context: dict[str, Any] | None
    highlight: dict[str, Any] | None
    content_version: str
    retrieved_chunk_ids: list[str]
    chunk_hashes: list[str]
    search: dict[str, Any] | None
    rewritten_question: str | None
    about: str | None
    status: str
    generated_response: str
    claims: list[dict[str, Any]]
    model_asked: str
    model_returned: str
    prompt_version: str
    previous: dict[str, Any] | None
    chunks: dict[str, dict[str, Any]] = field(default_factory=dict)


def read_recorded(dsn: str, query_ids: Sequence[str], last: int = 0) -> list[RecordedQuery]:
    """The queries with these ids, or the `last` ones, newest first.

    Raises NotRecorded for an id that is unknown, and psycopg.Error.
    """
    with psycopg.connect(
        dsn, connect_timeout=CONNECT_SECONDS, prepare_threshold=None, row_factory=dict_row
    ) as connection:
        rows = connection.execute(LAST.encode(), (last,)).fetchall() if last else []
        for query_id in query_ids:
            row = connection.execute(BY_ID.encode(), (query_id,)).fetchone()
            if row is None:
                raise NotRecorded(f"There is no record of the query {query_id}.")
            rows.append(row)
        return [_with_chunks(connection, RecordedQuery(**row)) for row in rows]


def _with_chunks(connection: psycopg.Connection[Any], query: RecordedQuery) -> RecordedQuery:
    hashes = {hit["id"]: hit["hash"] for hit in (query.search or {}).get("hits", [])}
    kept = connection.execute(CHUNKS.encode(), {"ids": list(hashes)}).fetchall()
    query.chunks.update(
        {row["id"]: row["body"] for row in kept if hashes[row["id"]] == row["hash"]}
    )
    return query


FLAGGED_ABOVE = 0.05
"""SC-010: the variance two answers to one question on one content may have."""


@dataclass(frozen=True, slots=True)
class BookChange:
    """Sentences that a chunk of a document had then and has no longer, and those in their place."""

    source_path: str
    removed: tuple[str, ...]
    added: tuple[str, ...]


def diff_answers(recorded: str, replayed: str) -> tuple[str, ...]:
    """The lines of a diff, sentence by sentence ("- …", "+ …"); empty when they are the same."""
    if recorded == replayed:
        return ()
    lines = difflib.ndiff(_lines(recorded), _lines(replayed))
    return tuple(line for line in lines if line[0] in "+-")


def variance(left: Sequence[float], right: Sequence[float]) -> float:
    """One less the cosine of two vectors, 0 (the same meaning) to 2."""
    return 1.0 - cosine(left, right) if any(left) and any(right) else 0.0


def diff_chunk(
    source_path: str, then: Sequence[str], now: Sequence[Sequence[str]]
) -> BookChange | None:
    """How a chunk's sentences changed; None when they did not.

    `then` are its sentences, `now` those of each chunk its document has today: the one most like
    it took its place.
    """
    if any(list(then) == list(chunk) for chunk in now):
        return None
    heir = max(now, key=lambda chunk: _likeness(then, chunk), default=())
    if _likeness(then, heir) == 0:
        heir = ()
    return BookChange(
        source_path,
        tuple(sentence for sentence in then if sentence not in set(heir)),
        tuple(sentence for sentence in heir if sentence not in set(then)),
    )


def _likeness(then: Sequence[str], now: Sequence[str]) -> float:
    matcher = difflib.SequenceMatcher(None, " ".join(then).split(), " ".join(now).split(), False)
    return matcher.ratio() if set(then) & set(now) or matcher.ratio() > 0.5 else 0.0


def _lines(text: str) -> list[str]:
    return [line for line in text.replace("] ", "]\n").split("\n") if line.strip()]
