"""Who may ask: the site a reader is on, and the session's token.

CORS keeps other sites from reading answers; this keeps them from asking at all, and one session
from using another's name. Neither is authentication: a program can claim any origin.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Request
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict

from functions.adapters.aws.secrets import secret
from functions.runtime.settings import MissingSettings, Settings
from functions.web.errors import ApiError
from functions.web.fields import SessionId
from functions.web.session_tokens import (
    MIN_KEY_LENGTH,
    InvalidToken,
    Session,
    read_token,
    sign_token,
)

NO_SESSION = "This session has ended or is not known. Please reload the page and ask again."
OTHER_ORIGIN = "This site may not ask this book."
OPTIONAL_AUTH: dict[str, list[dict[str, list[str]]]] = {"security": [{}]}
"""Of a route, for the API's description: on a laptop no token is asked for."""
_bearer = HTTPBearer(auto_error=False, description="The token of POST /session.")


class SessionRequest(BaseModel):
    """The session that the widget made for its tab."""

    model_config = ConfigDict(extra="ignore")

    session_id: SessionId


class SessionResponse(BaseModel):
    """Send it as `Authorization: Bearer …` with each request; ask for a new one when it ends."""

    token: str
    expires_in_s: int


class Sessions:
    """Makes tokens, and holds requests to them. `read` gives the settings at the first request."""

    def __init__(self, read: Callable[[], Settings]) -> None:
        self._read = read

    def start(self, session_id: str, request: Request) -> SessionResponse:
        """A token for the session on the site that asks. ApiError for other sites, and where
        there are no tokens."""
        settings, key = self._read(), self._key()
        origin = _origin_of(request)
        _check_origin(settings, request, origin)
        if not key:
            raise ApiError(404, "no_sessions", "This book has no session tokens.")
        seconds = settings.session_seconds
        token = sign_token(key, session_id, origin, int(time.time()) + seconds)
        return SessionResponse(token=token, expires_in_s=seconds)

    async def check_request(
        self, request: Request, _: Annotated[object, Depends(_bearer)] = None
    ) -> None:
        """A dependency of readers' routes. ApiError 401 or 403."""
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
        """The session in a body must be the token's, where there is a token. ApiError 401."""
        session: Session | None = getattr(request.state, "session", None)
        if session is not None and not session.is_of(self._key(), session_id):
            raise _no_session()

    def _key(self) -> str:
        settings = self._read()
        key = secret(settings, "session_key")
        if key and len(key) < MIN_KEY_LENGTH:
            raise MissingSettings(f"the session key must have at least {MIN_KEY_LENGTH} characters")
        if not key and settings.sessions == "required":
            settings.require("session_key")
        return key


def session_router(sessions: Sessions) -> APIRouter:
    """The route that starts a session."""
    router = APIRouter()

    @router.post("/session")
    async def session(body: SessionRequest, request: Request) -> SessionResponse:
        """A signed token for the session, good for a while."""
        return sessions.start(body.session_id, request)

    return router


def _origin_of(request: Request) -> str:
    """The site that asks, or "" where the caller does not say: a program, or the own site."""
    return request.headers.get("origin", "").strip().casefold().rstrip("/")


def _check_origin(settings: Settings, request: Request, origin: str) -> None:
    if not origin:
        return
    allowed = {each.strip().casefold().rstrip("/") for each in settings.allowed_origins.split(",")}
    if origin in allowed - {""} or _is_own(request, origin):
        return
    raise ApiError(403, "origin_not_allowed", OTHER_ORIGIN)


def _is_own(request: Request, origin: str) -> bool:
    """Whether the page came from this very address, as on a laptop."""
    return urlsplit(origin).netloc == request.headers.get("host", "").casefold() != ""


def _no_session() -> ApiError:
    return ApiError(401, "session_ended", NO_SESSION, {"WWW-Authenticate": "Bearer"})
