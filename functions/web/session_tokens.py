"""Session tokens: which session and which site may ask, and until when. Pure.

A token is `expiry.session.origin.signature`, each part in URL-safe base64. It holds keyed hashes
and no id, so that it tells nothing to whoever finds it. It is no proof of who somebody is.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from dataclasses import dataclass

MIN_KEY_LENGTH = 32
"""Characters of a signing key."""
_MARK_BYTES = 16


class InvalidToken(Exception):
    """The token is expired, forged or cut. Which of them is nobody's business."""


@dataclass(frozen=True, slots=True)
class Session:
    """What a valid token says. Compare with `is_of`."""

    session: bytes
    origin: bytes

    def is_of(self, key: str, session_id: str) -> bool:
        return hmac.compare_digest(self.session, _mark(key, "session", session_id))

    def is_from(self, key: str, origin: str) -> bool:
        return hmac.compare_digest(self.origin, _mark(key, "origin", origin))


def sign_token(key: str, session_id: str, origin: str, expires_at: int) -> str:
    """A token for one session on one site (`scheme://host`), good until `expires_at` (Unix)."""
    parts = [
        expires_at.to_bytes(8, "big"),
        _mark(key, "session", session_id),
        _mark(key, "origin", origin),
    ]
    return ".".join(_encode(part) for part in [*parts, _signature(key, parts)])


def read_token(key: str, token: str, now: float) -> Session:
    """What the token says. Raises InvalidToken."""
    try:
        *parts, signature = [_decode(part) for part in token.split(".")]
    except (ValueError, UnicodeEncodeError, binascii.Error) as error:
        raise InvalidToken from error
    if len(parts) != 3 or not hmac.compare_digest(signature, _signature(key, parts)):
        raise InvalidToken
    expiry, session, origin = parts
    if int.from_bytes(expiry, "big") <= now:
        raise InvalidToken
    return Session(session, origin)


def _mark(key: str, kind: str, text: str) -> bytes:
    said = f"{kind}\x1f{text}".encode("utf-8", "replace")
    return hmac.digest(key.encode(), said, hashlib.sha256)[:_MARK_BYTES]


def _signature(key: str, parts: list[bytes]) -> bytes:
    # The length in front of each part: no other cut of the same bytes has the same signature.
    said = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return hmac.digest(key.encode(), b"token\x1f" + said, hashlib.sha256)


def _encode(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    decoded = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), b"-_", validate=True)
    if _encode(decoded) != text:
        raise ValueError("not the one way to write these bytes")
    return decoded
