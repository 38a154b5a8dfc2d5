"""Authenticates administrators by a bearer token or by the signed cookie of a sign-in.

Every route under /analytics except those of sign-in checks here. Without an identity provider and
without a one-time link, nobody has access.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import jwt
from fastapi import Request

from functions.adapters.aws.secrets import SecretUnavailable, secret
from functions.adapters.oidc.provider import (
    Identity,
    IdentityProvider,
    IdentityUnavailable,
    TokenRefused,
)
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.sign_outs import SignOuts
from functions.runtime.logs import logger
from functions.runtime.settings import Settings
from functions.web.errors import ApiError

COOKIE = "quoth_administrator"
SIGN_IN_COOKIE = "quoth_sign_in"
SIGN_IN_SECONDS = 600
SIGN_OUT_SECONDS = 5.0
SHORTEST_KEY = 32
"""Characters of the signing key."""

SAFE_METHODS = ("GET", "HEAD")
OWN_SITES = ("same-origin", "none")

_ISSUER = "quoth"


class BadSession(Exception):
    """The cookie is forged, made for another use, or expired."""


class WeakKey(Exception):
    """The signing key is missing or too short."""


@dataclass(frozen=True, slots=True)
class Session:
    """Who is signed in, until when (a Unix time). Every form must carry `csrf`."""

    subject: str
    csrf: str
    session_id: str
    expires_at: int


@dataclass(frozen=True, slots=True)
class SignIn:
    """State and nonce that the provider must return, and the PKCE verifier."""

    state: str
    nonce: str
    verifier: str


class Sessions:
    """Signs and verifies the cookies' values. Raises WeakKey."""

    def __init__(self, key: str, seconds: int) -> None:
        if len(key) < SHORTEST_KEY:
            raise WeakKey(f"the session key must have {SHORTEST_KEY} characters at least")
        self._key = key
        self.seconds = seconds

    def make(self, subject: str) -> str:
        csrf, session_id = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
        return self._sign("session", self.seconds, sub=subject, csrf=csrf, jti=session_id)

    def read(self, value: str) -> Session:
        """Raises BadSession."""
        claims = self._claims("session", value, "sub", "csrf", "jti")
        return Session(claims["sub"], claims["csrf"], claims["jti"], claims["exp"])

    def make_sign_in(self, sign_in: SignIn) -> str:
        """A cookie that holds the state of a sign-in until the provider redirects back."""
        return self._sign(
            "sign-in", SIGN_IN_SECONDS,
            state=sign_in.state, nonce=sign_in.nonce, verifier=sign_in.verifier,
        )  # fmt: skip

    def read_sign_in(self, value: str) -> SignIn:
        """Raises BadSession."""
        claims = self._claims("sign-in", value, "state", "nonce", "verifier")
        return SignIn(claims["state"], claims["nonce"], claims["verifier"])

    def _sign(self, use: str, seconds: int, **claims: str) -> str:
        kept = {"iss": _ISSUER, "aud": use, "exp": int(time.time()) + seconds, **claims}
        return jwt.encode(kept, self._key, algorithm="HS256")

    def _claims(self, use: str, value: str, *names: str) -> dict[str, Any]:
        try:
            claims: dict[str, Any] = jwt.decode(
                value,
                self._key,
                algorithms=["HS256"],
                issuer=_ISSUER,
                audience=use,
                options={"require": ["exp", "iss", "aud", *names]},
            )
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            raise BadSession(str(error)) from error
        return claims


@dataclass(frozen=True, slots=True)
class Administrator:
    """Who asks. `csrf` is None with a bearer token, which a browser never sends unasked."""

    subject: str
    csrf: str | None = None


@dataclass
class OneTimeLink:
    """A sign-in link for the person at this machine's terminal. Valid once."""

    key: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    _used: bool = False

    @property
    def path(self) -> str:
        return f"/analytics/enter?key={self.key}"

    def open(self, key: str) -> bool:
        """Whether the key is right and unused; it is used up then."""
        if self._used or not hmac.compare_digest(key.encode(), self.key.encode()):
            return False
        self._used = True
        return True


class Link(Protocol):
    """A way in for the person at this machine's terminal."""

    def open(self, key: str) -> bool: ...


class Access:
    """Says who a request comes from. Sessions that were signed out are looked up in the database;
    its exceptions are the routes' to map."""

    def __init__(
        self,
        read: Callable[[], Settings],
        database: Callable[[], Database],
        link: Link | None = None,
    ) -> None:
        self._read = read
        self._database = database
        self._link = link
        self._made_sessions: Sessions | None = None
        self._made_provider: IdentityProvider | None = None
        self._own_key = secrets.token_urlsafe(48)
        """Signing key of this process: enough on a laptop, where there is only one."""

    async def administrator(self, request: Request) -> Administrator:
        """The administrator behind a request. ApiError 401 without credentials, 403 for others."""
        given = request.headers.get("authorization", "")
        if given:
            kind, _, token = given.partition(" ")
            if kind.lower() != "bearer" or not token.strip():
                raise not_signed_in()
            identity = await self.identity_of(token.strip())
            return Administrator(identity.subject)
        return await self._of_cookie(request)

    async def guard(self, request: Request) -> None:
        """Dependency of routes that need an administrator, whoever it is."""
        await self.administrator(request)

    async def identity_of(self, token: str, nonce: str | None = None) -> Identity:
        """The identity in a token, if it is an administrator's. ApiError 401, 403 or 503."""
        with provider_errors():
            identity = await self.provider().check(token, nonce)
        if self._read().analytics_group not in identity.groups:
            raise ApiError(403, "not_an_administrator", "You are not an administrator here.")
        return identity

    def provider(self) -> IdentityProvider:
        """The identity provider of the settings. ApiError 401 where there is none."""
        settings = self._read()
        if not settings.analytics_issuer or not settings.analytics_audience:
            raise not_signed_in()
        if self._made_provider is None:
            try:
                client_secret = secret(settings, "analytics_client_secret")
            except SecretUnavailable as error:
                raise cannot_sign_in() from error
            self._made_provider = IdentityProvider(
                settings.analytics_issuer,
                settings.analytics_audience,
                settings.analytics_groups_claim,
                client_secret,
            )
        return self._made_provider

    def sessions(self) -> Sessions:
        """Signs and verifies cookies. ApiError 503 where no key is set."""
        if self._made_sessions is None:
            settings = self._read()
            try:
                key = secret(settings, "analytics_session_key")
                if not key and self._link is not None:
                    key = self._own_key
                self._made_sessions = Sessions(key, settings.analytics_session_seconds)
            except (SecretUnavailable, WeakKey) as error:
                logger().error("no sessions", reason=str(error))
                raise cannot_sign_in() from error
        return self._made_sessions

    def enter(self, key: str) -> bool:
        """Whether this is the key of the one-time link, which is used up then."""
        return self._link is not None and self._link.open(key)

    async def sign_out(self, request: Request) -> None:
        """End the session of the request's cookie, wherever else that cookie is."""
        try:
            session = self._session_of(request)
        except ApiError as error:
            if error.status != 401:
                raise
            return  # nobody is signed in
        await SignOuts(self._database()).end(
            session.session_id, session.expires_at, seconds=SIGN_OUT_SECONDS
        )

    def _session_of(self, request: Request) -> Session:
        value = request.cookies.get(COOKIE, "")
        if not value:
            raise not_signed_in()
        try:
            return self.sessions().read(value)
        except BadSession as error:
            raise not_signed_in() from error

    async def _of_cookie(self, request: Request) -> Administrator:
        session = self._session_of(request)
        sign_outs = SignOuts(self._database())
        if await sign_outs.is_ended(session.session_id, seconds=SIGN_OUT_SECONDS):
            raise not_signed_in()
        if request.method not in SAFE_METHODS:
            _refuse_other_sites(request)
        return Administrator(session.subject, session.csrf)


@contextmanager
def provider_errors() -> Iterator[None]:
    """Map the exceptions of the identity provider to ApiError 401 and 503."""
    try:
        yield
    except TokenRefused as error:
        logger().warning("token refused", reason=str(error))
        raise not_signed_in() from error
    except IdentityUnavailable as error:
        logger().error("identity provider unavailable", reason=str(error))
        raise cannot_sign_in() from error


def check_form(administrator: Administrator, csrf: str) -> None:
    """Check that a form came from a page of this session. ApiError 403."""
    if administrator.csrf is not None and not hmac.compare_digest(
        csrf.encode(), administrator.csrf.encode()
    ):
        raise ApiError(403, "form_expired", "The form has expired. Please open the page again.")


def _refuse_other_sites(request: Request) -> None:
    """A second defence beside SameSite against cross-site requests."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin", "")
    host = request.headers.get("host", "")
    if site not in OWN_SITES or (origin and origin.partition("://")[2] != host):
        raise ApiError(403, "other_site", "This can only be done from the dashboard.")


def not_signed_in() -> ApiError:
    """401, for a request without a session or a valid token."""
    headers = {"WWW-Authenticate": "Bearer"}
    return ApiError(401, "not_signed_in", "Please sign in as an administrator.", headers)


def cannot_sign_in() -> ApiError:
    """503, while the identity provider cannot be reached."""
    message = "Nobody can sign in right now. Please try again later."
    return ApiError(503, "sign_in_unavailable", message, {"Retry-After": "30"})
