"""Questions to be grouped into topics, their vectors, and the groups."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from functions.adapters.postgres.database import Connection, Database

MOST_POINTS = 20_000
"""Distinct questions that are grouped, the most asked first; the rest count as others."""
STALE_DAYS = 90
"""Days without a question after which a topic is deleted."""
SECONDS = 20.0

# All answers of a key have the same best chunk: it is read from one query, without the long rows of
# responses.
_POINTS = """
WITH counted AS (
    SELECT topic_key, count(*) AS times, min(query_id::text)::uuid AS query_id,
        CASE WHEN bool_or(status = 'refused') THEN 'refused' ELSE 'answered' END AS status
    FROM answer_facts WHERE topic_key IS NOT NULL GROUP BY topic_key
), most AS (
    SELECT *, count(*) OVER () AS distinct_questions FROM counted
    ORDER BY times DESC, topic_key LIMIT %s
)
SELECT topic_key::text AS key, times, distinct_questions,
    lower(btrim(queries.question)) AS question,
    chunks.body ->> 'section' AS section, chunks.body -> 'chapter' ->> 'title' AS chapter,
    chunks.body ->> 'place' AS label, chunks.body ->> 'url' AS url,
    chunks.body ->> 'source_path' AS source_path, chunks.body -> 'titles' AS titles
FROM most JOIN queries USING (query_id)
LEFT JOIN chunks ON chunks.id = topic_chunk(status, retrieved_chunk_ids)
ORDER BY times DESC, topic_key
"""
_UPSERT = """
INSERT INTO topics (topic_id, model, name, terms, section, found, centroid)
VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (topic_id) DO UPDATE SET name = excluded.name, terms = excluded.terms,
    section = excluded.section, found = excluded.found, centroid = excluded.centroid
"""
_ASSIGN = "INSERT INTO question_topics SELECT unnest(%s::uuid[]), %s ON CONFLICT DO NOTHING"
_SEEN = "UPDATE topics SET last_seen = now() WHERE topic_id = ANY(%s::uuid[])"
_DELETE_STALE = """
DELETE FROM topics WHERE model <> %s OR last_seen < now() - make_interval(days => %s)
"""
_DELETE_VECTORS = "DELETE FROM question_vectors WHERE seen_at < %s OR model <> %s"
_GROUPED = """
INSERT INTO topic_state (refreshed_at, questions, grouped) VALUES (now(), %s, %s)
ON CONFLICT (one) DO UPDATE SET refreshed_at = now(), questions = excluded.questions,
    grouped = excluded.grouped
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """A distinct question and the section of its best chunk, None without one."""

    key: str
    question: str
    times: int
    titles: tuple[str, ...]
    section: Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class TopicState:
    """The last grouping: the number of distinct questions, and of those with a vector."""

    refreshed_at: datetime
    questions: int
    grouped: int

    @property
    def is_whole(self) -> bool:
        return self.grouped >= min(self.questions, MOST_POINTS)


@dataclass(frozen=True, slots=True)
class KnownTopic:
    """A topic of an earlier grouping. `centroid`: little-endian 32-bit floats. `current`: of the
    last one."""

    topic_id: str
    name: str
    centroid: bytes
    found: bool
    current: bool


@dataclass(frozen=True, slots=True)
class NewTopic:
    """A topic of this grouping, with the keys of its questions. `found`: the book covers it."""

    topic_id: str
    name: str
    terms: tuple[str, ...]
    section: Mapping[str, str] | None
    found: bool
    centroid: bytes
    keys: tuple[str, ...]


def vector_hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


class TopicRecords:
    """Reads questions and stores groups. Raises what the database raises."""

    def __init__(self, database: Database, model: str) -> None:
        self._database = database
        self._model = model

    async def state(self) -> TopicState | None:
        """The last grouping; None before the first."""
        rows = await self._database.call(
            "SELECT refreshed_at, questions, grouped FROM topic_state", (), seconds=SECONDS
        )
        return TopicState(**rows[0]) if rows else None

    async def asked(self) -> tuple[list[Asked], int]:
        """The most asked questions, and the number of all distinct ones."""
        rows = await self._database.call(_POINTS, (MOST_POINTS,), seconds=SECONDS)
        return [_asked(row) for row in rows], rows[0]["distinct_questions"] if rows else 0

    async def vectors(self, hashes: Sequence[bytes]) -> dict[bytes, bytes]:
        """The stored vectors of texts, marked as needed now."""
        rows = await self._database.call(
            "UPDATE question_vectors SET seen_at = clock_timestamp()"
            " WHERE model = %s AND hash = ANY(%s) RETURNING hash, vector",
            (self._model, list(hashes)),
            seconds=SECONDS,
        )
        return {bytes(row["hash"]): bytes(row["vector"]) for row in rows}

    async def keep_vectors(self, vectors: Mapping[bytes, bytes]) -> None:
        """Store vectors under the hashes of their texts, one byte for each dimension."""
        await self._database.call(
            "INSERT INTO question_vectors (model, hash, dimensions, vector)"
            " SELECT %s, hash, length(vector), vector"
            " FROM unnest(%s::bytea[], %s::bytea[]) AS given (hash, vector)"
            " ON CONFLICT (model, hash) DO UPDATE SET seen_at = clock_timestamp()",
            (self._model, list(vectors), list(vectors.values())),
            seconds=SECONDS,
        )

    async def known(self) -> list[KnownTopic]:
        """Topics of earlier groupings by the same model, the current ones first."""
        rows = await self._database.call(
            "SELECT topic_id::text, name, centroid, found,"
            " last_seen = max(last_seen) OVER () AS current"
            " FROM topics WHERE model = %s ORDER BY current DESC, first_seen, topic_id",
            (self._model,),
            seconds=SECONDS,
        )
        return [
            KnownTopic(
                row["topic_id"],
                row["name"],
                bytes(row["centroid"]),
                row["found"],
                row["current"],
            )
            for row in rows
        ]

    async def replace(
        self, topics: Sequence[NewTopic], started: datetime, questions: int, grouped: int
    ) -> None:
        """Replace the last grouping by this one in one transaction.

        Vectors not needed since `started` are deleted: their questions are gone.
        """

        async def work(connection: Connection) -> None:
            await connection.execute("SELECT pg_advisory_xact_lock(7420511)")
            await connection.execute("DELETE FROM question_topics")
            for topic in topics:
                section = json.dumps(topic.section) if topic.section else None
                await connection.execute(_UPSERT, (
                    topic.topic_id, self._model, topic.name, list(topic.terms), section,
                    topic.found, topic.centroid,
                ))  # fmt: skip
                await connection.execute(_ASSIGN, (list(topic.keys), topic.topic_id))
            await connection.execute(_SEEN, ([topic.topic_id for topic in topics],))
            await connection.execute(_DELETE_STALE, (self._model, STALE_DAYS))
            await connection.execute(_DELETE_VECTORS, (started, self._model))
            await connection.execute(_GROUPED, (questions, grouped))

        await self._database.run(work, seconds=SECONDS)

    async def now(self) -> datetime:
        """The database's clock."""
        rows = await self._database.call("SELECT clock_timestamp() AS now", (), seconds=SECONDS)
        return rows[0]["now"]  # type: ignore[no-any-return]


def new_topic_id() -> str:
    return str(uuid.uuid4())


def _asked(row: Mapping[str, Any]) -> Asked:
    section = None
    if row["url"] is not None:
        titles = row["titles"] or []
        section = {
            "title": row["section"] or (titles[-1] if titles else ""),
            "chapter": row["chapter"] or "",
            "label": row["label"] or "",
            "url": row["url"],
            "source_path": row["source_path"] or "",
        }
    return Asked(row["key"], row["question"], row["times"], tuple(row["titles"] or ()), section)
