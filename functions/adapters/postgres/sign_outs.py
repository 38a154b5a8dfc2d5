"""Administrators' sessions that were signed out."""

from __future__ import annotations

from functions.adapters.postgres.database import Database


class SignOuts:
    """Ends sessions, and tells which are ended. `seconds` is the time-out of each method; both
    raise DatabaseUnavailable or DatabaseRejected."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def end(self, session_id: str, expires_at: int, *, seconds: float) -> None:
        """End a session whose cookie expires at `expires_at`, a Unix time. Idempotent."""
        await self._database.call(
            "SELECT end_session(%s, to_timestamp(%s))", (session_id, expires_at), seconds=seconds
        )

    async def is_ended(self, session_id: str, *, seconds: float) -> bool:
        """Whether the session was ended."""
        rows = await self._database.call(
            "SELECT 1 FROM ended_sessions WHERE session_id = %s", (session_id,), seconds=seconds
        )
        return bool(rows)
