"""Signs and reads the tickets of queued and deferred questions. Pure.

A ticket is `<query id>.<kind><time>.<signature>`: the kind is one letter, the time hexadecimal Unix
seconds. The signature proves it while the database is unavailable or does not know the query yet.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import uuid
from dataclasses import dataclass
from typing import Literal

Kind = Literal["queued", "deferred"]

_PATTERN = re.compile(r"([0-9a-f-]{36})\.([qd])([0-9a-f]{1,10})\.([0-9a-f]{32})")
_KINDS: dict[str, Kind] = {"q": "queued", "d": "deferred"}
VALIDITY_S = 24 * 3600.0
"""How long a ticket is valid without a check in the database."""


class InvalidTicket(Exception):
    """The text is not a ticket. `forged`: it has the form of one, but no valid signature."""

    def __init__(self, forged: bool) -> None:
        super().__init__("not a ticket")
        self.forged = forged


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket that was read. `given_at` is a Unix time, None for an unsigned ticket."""

    query_id: str
    kind: Kind = "queued"
    given_at: float | None = None

    def is_valid(self, now: float) -> bool:
        """Whether its signature is valid now, without a check in the database."""
        return self.given_at is not None and now - self.given_at < VALIDITY_S


@dataclass(frozen=True, slots=True)
class Tickets:
    """Signs and reads tickets.

    Without a key a ticket is the query's id, which only the database can check.
    """

    key: str = ""

    def sign(self, query_id: str, kind: Kind, now: float) -> str:
        """The ticket of a query."""
        if not self.key:
            return query_id
        payload = f"{query_id}.{kind[0]}{int(now):x}"
        return f"{payload}.{self._signature(payload)}"

    def read(self, text: str) -> Ticket:
        """Verify a ticket. Raises InvalidTicket."""
        match = _PATTERN.fullmatch(text.strip().lower())
        if match is None:
            return Ticket(_id_of(text)) if not self.key else _unsigned(text)
        query_id, kind, given_at, signature = match.groups()
        expected = self._signature(f"{query_id}.{kind}{given_at}")
        if not self.key or not hmac.compare_digest(signature, expected):
            raise InvalidTicket(forged=True)
        return Ticket(_id_of(query_id), _KINDS[kind], float(int(given_at, 16)))

    def pseudonym(self, id: str) -> str:
        """A keyed hash in place of an id that must not be queued."""
        digest = hmac.digest(self.key.encode(), b"id\x1f" + id.encode("utf-8", "replace"), "sha256")
        return f"late-{digest.hex()[:32]}"

    def stable_id(self, *parts: str) -> str:
        """A query id derived from these texts, so that a repeated request is recorded once."""
        digest = hmac.digest(
            self.key.encode(), "\x1f".join(("query", *parts)).encode("utf-8", "replace"), "sha256"
        )
        return str(uuid.UUID(bytes=digest[:16], version=4))

    def _signature(self, payload: str) -> str:
        return hmac.new(
            self.key.encode(), f"ticket\x1f{payload}".encode(), hashlib.sha256
        ).hexdigest()[:32]


def _unsigned(text: str) -> Ticket:
    """Reject a plain id: tickets are signed."""
    _id_of(text)
    raise InvalidTicket(forged=True)


def _id_of(text: str) -> str:
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise InvalidTicket(forged=False) from None
