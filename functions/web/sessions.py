"""Checks the origin and the session token of readers' requests.

CORS stops other sites from reading answers; the origin check stops them from asking, and the token
stops one session from using the id of another. Neither authenticates a reader: a program can send
any origin.

A token is `expiry.session.origin.user.signature`, each part in URL-safe base64. It holds keyed
hashes instead of ids, so a leaked token reveals neither the session nor the site nor the user. The
user is empty unless the site vouches for it: `user_hash` is the HMAC-SHA256 of `user_id` with the
key that only the site's server and this service have.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Request
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict

from functions.adapters.aws.secrets import secret
from functions.runtime.logs import logger
from functions.runtime.settings import MissingSettings, Settings
from functions.web.errors import ApiError
from functions.web.fields import SessionId, ShortText

NO_SESSION = "This session has ended or is not known. Please reload the page and ask again."
OTHER_ORIGIN = "This site may not ask this book."
OPTIONAL_AUTH: dict[str, list[dict[str, list[str]]]] = {"security": [{}]}
"""For a route's OpenAPI entry: the token is optional, as in a local run."""
MIN_KEY_LENGTH = 32
"""Characters."""
_HASH_BYTES = 16
_bearer = HTTPBearer(auto_error=False, description="The token of POST /session.")


class InvalidToken(Exception):
    """The token is expired, forged or malformed; callers are not told which."""


@dataclass(frozen=True, slots=True)
class Session:
    """The keyed hashes in a valid token."""

    session: bytes
    origin: bytes
    user: bytes

    def is_of(self, key: str, session_id: str) -> bool:
        return hmac.compare_digest(self.session, _keyed_hash(key, "session", session_id))

    def is_from(self, key: str, origin: str) -> bool:
        return hmac.compare_digest(self.origin, _keyed_hash(key, "origin", origin))


def sign_token(
    key: str, session_id: str, origin: str, expires_at: int, user_id: str | None = None
) -> str:
    """A token for one session on one site (`scheme://host`). `expires_at` is a Unix time."""
    parts = [
        expires_at.to_bytes(8, "big"),
        _keyed_hash(key, "session", session_id),
        _keyed_hash(key, "origin", origin),
        _keyed_hash(key, "user", user_id) if user_id else b"",
    ]
    return ".".join(_encode(part) for part in [*parts, _signature(key, parts)])


def read_token(key: str, token: str, now: float) -> Session:
    """Verify a token. Raises InvalidToken."""
    try:
        *parts, signature = [_decode(part) for part in token.split(".")]
    except (ValueError, UnicodeEncodeError, binascii.Error) as error:
        raise InvalidToken from error
    if len(parts) != 4 or not hmac.compare_digest(signature, _signature(key, parts)):
        raise InvalidToken
    expiry, session, origin, user = parts
    if int.from_bytes(expiry, "big") <= now:
        raise InvalidToken
    return Session(session, origin, user)


class SessionRequest(BaseModel):
    """The session id that the widget created for its tab, and who the site says is reading.

    `user_hash` is the HMAC-SHA256 of `user_id` in hexadecimal, by the site's server. Without it, or
    with a wrong one, `user_id` counts for nothing and is not stored.
    """

    model_config = ConfigDict(extra="ignore")

    session_id: SessionId
    user_id: ShortText | None = None
    user_hash: ShortText | None = None


class SessionResponse(BaseModel):
    """Send the token as `Authorization: Bearer …`; request a new one when it expires."""

    token: str
    expires_in_s: int


class Sessions:
    """Issues and checks session tokens. `read` is called on each request, not before."""

    def __init__(self, read: Callable[[], Settings]) -> None:
        self._read = read

    def start(self, asked: SessionRequest, request: Request) -> SessionResponse:
        """Issue a token for the session and the request's origin.

        Raises ApiError for an origin that is not allowed, and where no session key is set.
        """
        settings, key = self._read(), self._key()
        origin = _origin_of(request)
        _check_origin(settings, request, origin)
        if not key:
            raise ApiError(404, "no_sessions", "This book has no session tokens.")
        seconds = settings.session_seconds
        user_id = asked.user_id if self._is_signed(asked) else None
        token = sign_token(key, asked.session_id, origin, int(time.time()) + seconds, user_id)
        return SessionResponse(token=token, expires_in_s=seconds)

    async def check_request(
        self, request: Request, _: Annotated[object, Depends(_bearer)] = None
    ) -> None:
        """FastAPI dependency of the readers' routes. Raises ApiError 401 or 403."""
        settings, key = self._read(), self._key()
        origin = _origin_of(request)
        _check_origin(settings, request, origin)
        if not key:
            return
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.casefold() != "bearer":
            if settings.sessions == "required":
                raise _no_session()
            return
        try:
            session = read_token(key, token.strip(), time.time())
        except InvalidToken as error:
            raise _no_session() from error
        if origin and not session.is_from(key, origin):
            raise _no_session()
        request.state.session = session

    def check_session(self, request: Request, session_id: str) -> None:
        """Raise ApiError 401 unless the session id matches the token, if the request has one."""
        session: Session | None = getattr(request.state, "session", None)
        if session is not None and not session.is_of(self._key(), session_id):
            raise _no_session()

    def _is_signed(self, asked: SessionRequest) -> bool:
        if not asked.user_id or not asked.user_hash:
            return False
        key = _strong(secret(self._read(), "user_key"))
        expected = hmac.digest(key.encode(), asked.user_id.encode(), hashlib.sha256).hex()
        is_signed = bool(key) and hmac.compare_digest(
            asked.user_hash.casefold().encode(), expected.encode()
        )
        if not is_signed:
            logger().warning("user not signed", reason="another hash" if key else "no user key")
        return is_signed

    def _key(self) -> str:
        settings = self._read()
        key = _strong(secret(settings, "session_key"))
        if not key and settings.sessions == "required":
            settings.require("session_key")
        return key


def session_router(sessions: Sessions) -> APIRouter:
    """The route that starts a session."""
    router = APIRouter()

    @router.post("/session")
    async def session(body: SessionRequest, request: Request) -> SessionResponse:
        """Start a session: issue a signed token that expires."""
        return sessions.start(body, request)

    return router


def signed_user(request: Request) -> str | None:
    """The keyed hash of the user in the request's token, if the site vouched for one."""
    session: Session | None = getattr(request.state, "session", None)
    return session.user.hex() if session is not None and session.user else None


def _strong(key: str) -> str:
    if key and len(key) < MIN_KEY_LENGTH:
        raise MissingSettings(
            f"the session key and the user key must have at least {MIN_KEY_LENGTH} characters"
        )
    return key


def _origin_of(request: Request) -> str:
    """The request's origin; "" for programs and same-origin requests, which may omit it."""
    return request.headers.get("origin", "").strip().casefold().rstrip("/")


def _check_origin(settings: Settings, request: Request, origin: str) -> None:
    if not origin:
        return
    allowed = {each.strip().casefold().rstrip("/") for each in settings.allowed_origins.split(",")}
    if origin in allowed - {""} or _is_own(request, origin):
        return
    raise ApiError(403, "origin_not_allowed", OTHER_ORIGIN)


def _is_own(request: Request, origin: str) -> bool:
    """Whether the page is served from the API's own host, as in a local run."""
    return urlsplit(origin).netloc == request.headers.get("host", "").casefold() != ""


def _no_session() -> ApiError:
    return ApiError(401, "session_ended", NO_SESSION, {"WWW-Authenticate": "Bearer"})


def _keyed_hash(key: str, kind: str, text: str) -> bytes:
    data = f"{kind}\x1f{text}".encode("utf-8", "replace")
    return hmac.digest(key.encode(), data, hashlib.sha256)[:_HASH_BYTES]


def _signature(key: str, parts: list[bytes]) -> bytes:
    # Each part is prefixed with its length, so moving bytes between parts changes the signature.
    data = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return hmac.digest(key.encode(), b"token\x1f" + data, hashlib.sha256)


def _encode(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    decoded = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), b"-_", validate=True)
    if _encode(decoded) != text:
        raise ValueError("not canonical base64")
    return decoded
