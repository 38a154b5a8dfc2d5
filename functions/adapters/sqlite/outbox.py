"""The outbox of one machine: a SQLite file, which outlives every process."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from functions.adapters.aws.outbox import (
    BATCH,
    Kind,
    Message,
    OutboxUnavailable,
    pack_message,
    unpack_message,
)

HIDDEN_SECONDS = 30.0
"""How long a received message is not delivered again."""
MOST_DELIVERIES = 20
"""A message that is still not deleted stays in the file as a dead letter."""
_LOCK_SECONDS = 2.0
_TABLE = """
    CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, text TEXT NOT NULL,
    due REAL NOT NULL DEFAULT 0, deliveries INTEGER NOT NULL DEFAULT 0)
"""


class FileOutbox:
    """One file. Every method is that of `Outbox`, and raises OutboxUnavailable."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> None:
        """Nothing: a file is at hand."""

    async def send(self, kind: Kind, body: Mapping[str, Any]) -> None:
        text = pack_message(kind, body)
        await asyncio.to_thread(self._run, "INSERT INTO messages (text) VALUES (?)", text)

    async def waiting(self) -> int:
        counted = "SELECT count(*) FROM messages WHERE deliveries < ?"
        ((count,),) = await asyncio.to_thread(self._run, counted, MOST_DELIVERIES)
        return int(count)

    async def receive(self) -> list[Message]:
        now = time.time()
        rows = await asyncio.to_thread(
            self._run,
            "UPDATE messages SET due = ?, deliveries = deliveries + 1 WHERE id IN"
            " (SELECT id FROM messages WHERE due <= ? AND deliveries < ? ORDER BY id LIMIT ?)"
            " RETURNING id, text",
            now + HIDDEN_SECONDS, now, MOST_DELIVERIES, BATCH,
        )  # fmt: skip
        return [unpack_message(text, str(id)) for id, text in rows]

    async def delete(self, message: Message) -> None:
        statement = "DELETE FROM messages WHERE id = ?"
        await asyncio.to_thread(self._run, statement, int(message.handle))

    def _run(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        with self._connected() as connection, connection:
            return connection.execute(statement, parameters).fetchall()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.touch(mode=0o600)
            with closing(sqlite3.connect(self._path, timeout=_LOCK_SECONDS)) as connection:
                connection.execute(_TABLE)
                yield connection
        except (sqlite3.Error, OSError) as error:
            raise OutboxUnavailable(f"the outbox {self._path}: {error}") from error
