"""Questions that the book does not treat, their vectors, and their groups."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from functions.adapters.postgres.database import Connection, Database

MOST_QUESTIONS = 20_000
"""Distinct questions that are grouped, the most asked first."""
SECONDS = 20.0

_ASKED = """
WITH counted AS (
    SELECT question_key AS key, count(*) AS times, min(query_id::text)::uuid AS query_id
    FROM answer_facts WHERE question_key IS NOT NULL GROUP BY question_key
), most AS (
    SELECT *, count(*) OVER () AS questions FROM counted ORDER BY times DESC, key LIMIT %s
)
SELECT key::text, times, questions, lower(btrim(question)) AS question,
    EXISTS (SELECT FROM question_groups WHERE leader = most.key) AS leads
FROM most JOIN queries USING (query_id) ORDER BY times DESC, key
"""
_VECTORS = """
UPDATE question_vectors SET seen_at = clock_timestamp()
WHERE model = %s AND hash = ANY(%s) RETURNING hash, vector
"""
_KEEP_VECTORS = """
INSERT INTO question_vectors (model, hash, dimensions, vector)
SELECT %s, hash, length(vector), vector
FROM unnest(%s::bytea[], %s::bytea[]) AS given (hash, vector)
ON CONFLICT (model, hash) DO UPDATE SET seen_at = clock_timestamp()
"""
_ASSIGN = """
INSERT INTO question_groups (key, leader, likeness)
SELECT * FROM unnest(%s::uuid[], %s::uuid[], %s::real[])
"""
_DELETE_VECTORS = "DELETE FROM question_vectors WHERE seen_at < %s OR model <> %s"
_GROUPED = """
INSERT INTO question_groups_state (refreshed_at, questions, grouped) VALUES (now(), %s, %s)
ON CONFLICT (one) DO UPDATE SET refreshed_at = now(), questions = excluded.questions,
    grouped = excluded.grouped
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """A distinct question that the book does not treat. `leads`: it names a group."""

    key: str
    question: str
    times: int
    leads: bool


@dataclass(frozen=True, slots=True)
class Member:
    """A question in the group of another (its own leader, where it leads). `likeness`: cosine."""

    key: str
    leader: str
    likeness: float


@dataclass(frozen=True, slots=True)
class GroupsState:
    """The last grouping: the number of distinct questions, and of those with a vector."""

    refreshed_at: datetime
    questions: int
    grouped: int

    @property
    def is_whole(self) -> bool:
        return self.grouped >= min(self.questions, MOST_QUESTIONS)


def vector_hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


class TopicRecords:
    """Reads questions and stores groups. Raises what the database raises."""

    def __init__(self, database: Database, model: str) -> None:
        self._database = database
        self._model = model

    async def state(self) -> GroupsState | None:
        """The last grouping; None before the first."""
        rows = await self._database.call(
            "SELECT refreshed_at, questions, grouped FROM question_groups_state",
            (),
            seconds=SECONDS,
        )
        return GroupsState(**rows[0]) if rows else None

    async def asked(self) -> tuple[list[Asked], int]:
        """The most asked questions, and the number of all distinct ones."""
        rows = await self._database.call(_ASKED, (MOST_QUESTIONS,), seconds=SECONDS)
        asked = [Asked(row["key"], row["question"], row["times"], row["leads"]) for row in rows]
        return asked, rows[0]["questions"] if rows else 0

    async def vectors(self, hashes: Sequence[bytes]) -> dict[bytes, bytes]:
        """The stored vectors of texts, marked as needed now."""
        rows = await self._database.call(_VECTORS, (self._model, list(hashes)), seconds=SECONDS)
        return {bytes(row["hash"]): bytes(row["vector"]) for row in rows}

    async def keep_vectors(self, vectors: Mapping[bytes, bytes]) -> None:
        """Store vectors under the hashes of their texts, one byte for each dimension."""
        given = (self._model, list(vectors), list(vectors.values()))
        await self._database.call(_KEEP_VECTORS, given, seconds=SECONDS)

    async def replace(self, members: Sequence[Member], started: datetime, questions: int) -> None:
        """Replace the last grouping by this one in one transaction.

        Vectors not needed since `started` are deleted: their questions are gone.
        """
        keys = [each.key for each in members]
        leaders = [each.leader for each in members]
        likeness = [each.likeness for each in members]

        async def work(connection: Connection) -> None:
            await connection.execute("SELECT pg_advisory_xact_lock(7420511)")
            await connection.execute("DELETE FROM question_groups")
            await connection.execute(_ASSIGN, (keys, leaders, likeness))
            await connection.execute(_DELETE_VECTORS, (started, self._model))
            await connection.execute(_GROUPED, (questions, len(members)))

        await self._database.run(work, seconds=SECONDS)

    async def now(self) -> datetime:
        """The database's clock."""
        rows = await self._database.call("SELECT clock_timestamp() AS now", (), seconds=SECONDS)
        return rows[0]["now"]  # type: ignore[no-any-return]
