"""Signed tickets: what a reader is_valid while a question waits. Pure.

A ticket is `query.kind-mode-time.signature`. It is known by its signature, so it is_valid while the
database is away, and afterwards although the database has not heard of its query yet.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import uuid
from dataclasses import dataclass
from typing import Literal

Kind = Literal["queued", "deferred"]

_FORM = re.compile(r"([0-9a-f-]{36})\.([qd])([0-9a-f]{1,10})\.([0-9a-f]{32})")
_KINDS: dict[str, Kind] = {"q": "queued", "d": "deferred"}
VALIDITY_S = 24 * 3600.0
"""Seconds that a ticket is good for without the database's word."""


class InvalidTicket(Exception):
    """This is no ticket. `forged`: it has the form of one, and was not given by this book."""

    def __init__(self, forged: bool) -> None:
        super().__init__("not a ticket")
        self.forged = forged


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket that was given. `given_at` is Unix time, None of one without a signature."""

    query_id: str
    kind: Kind = "queued"
    given_at: float | None = None

    def is_valid(self, now: float) -> bool:
        """Whether it is good on its own word."""
        return self.given_at is not None and now - self.given_at < VALIDITY_S


@dataclass(frozen=True, slots=True)
class Tickets:
    """Signs and reads tickets. Without a key they are the query's id alone, which the database must
    know."""

    key: str = ""

    def sign(self, query_id: str, kind: Kind, now: float) -> str:
        """The ticket of a query."""
        if not self.key:
            return query_id
        said = f"{query_id}.{kind[0]}{int(now):x}"
        return f"{said}.{self._signature(said)}"

    def read(self, text: str) -> Ticket:
        """What the ticket says. Raises InvalidTicket."""
        form = _FORM.fullmatch(text.strip().lower())
        if form is None:
            return Ticket(_id_of(text)) if not self.key else _unsigned(text)
        query_id, kind, given_at, signature = form.groups()
        expected = self._signature(f"{query_id}.{kind}{given_at}")
        if not self.key or not hmac.compare_digest(signature, expected):
            raise InvalidTicket(forged=True)
        return Ticket(_id_of(query_id), _KINDS[kind], float(int(given_at, 16)))

    def pseudonym(self, id: str) -> str:
        """In the place of an id that must not lie in a queue."""
        mark = hmac.digest(self.key.encode(), b"id\x1f" + id.encode("utf-8", "replace"), "sha256")
        return f"late-{mark.hex()[:32]}"

    def stable_id(self, *said: str) -> str:
        """The same id for the same words: a request that comes again is recorded once."""
        mark = hmac.digest(
            self.key.encode(), "\x1f".join(("query", *said)).encode("utf-8", "replace"), "sha256"
        )
        return str(uuid.UUID(bytes=mark[:16], version=4))

    def _signature(self, said: str) -> str:
        return hmac.new(
            self.key.encode(), f"ticket\x1f{said}".encode(), hashlib.sha256
        ).hexdigest()[:32]


def _unsigned(text: str) -> Ticket:
    """An id alone is no ticket where tickets are signed."""
    _id_of(text)
    raise InvalidTicket(forged=True)


def _id_of(text: str) -> str:
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise InvalidTicket(forged=False) from None
