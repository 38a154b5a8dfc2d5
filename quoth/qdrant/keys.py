"""The two keys of a Qdrant server: one may do everything, one only reads."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass

from quoth.qdrant.errors import Refused

API_KEY = "QDRANT__SERVICE__API_KEY"
READ_ONLY_API_KEY = "QDRANT__SERVICE__READ_ONLY_API_KEY"
"""The variables of Qdrant's own server."""


@dataclass(frozen=True, slots=True)
class Keys:
    """Without any, everybody may do everything, as with Qdrant's own server."""

    full: str = ""
    read_only: str = ""

    def check(self, headers: Mapping[str, str], *, writes: bool) -> None:
        """Refuse a request without a key that may do it: 401, or 403 for a write."""
        if not self.full and not self.read_only:
            return
        given = headers.get("api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        if not given:
            raise Refused(401, "Must provide an API key or an Authorization bearer token")
        if _same(given, self.full):
            return
        if not _same(given, self.read_only):
            raise Refused(401, "Invalid API key or JWT")
        if writes:
            raise Refused(403, "Forbidden: Global manage access is required")


def read_keys(environment: Mapping[str, str]) -> Keys:
    return Keys(environment.get(API_KEY, ""), environment.get(READ_ONLY_API_KEY, ""))


def _same(given: str, key: str) -> bool:
    return bool(key) and hmac.compare_digest(given.encode(), key.encode())
