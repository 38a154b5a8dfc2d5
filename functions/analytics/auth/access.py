"""Who may see the figures: administrators, by a token of theirs or by the cookie of a sign-in.

Every route under /analytics but those of signing in asks here. Without a provider and without a
way in of this machine, nobody may.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastapi import Request

from functions.adapters.aws.secrets import SecretUnavailable, secret
from functions.runtime.logs import logger
from functions.runtime.settings import Settings
from functions.web.errors import ApiError

if TYPE_CHECKING:
    from functions.adapters.oidc.provider import Identity, IdentityProvider
    from functions.analytics.auth.sessions import Sessions

SAFE_METHODS = ("GET", "HEAD")
OWN_SITES = ("same-origin", "none")


@dataclass(frozen=True, slots=True)
class Administrator:
    """Who asks. `csrf` is None for a token's holder: a browser never sends a token by itself."""

    subject: str
    csrf: str | None = None


@dataclass
class OneTimeLink:
    """A way in for who reads this machine's terminal: it opens once."""

    key: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    _used: bool = False

    @property
    def path(self) -> str:
        return f"/analytics/enter?key={self.key}"

    def open(self, key: str) -> bool:
        """Whether this is the key and nobody has come in by it yet; it is used up then."""
        if self._used or not hmac.compare_digest(key.encode(), self.key.encode()):
            return False
        self._used = True
        return True


class Access:
    """Says who a request comes from. PyJWT is imported when the first one asks."""

    def __init__(self, read: Callable[[], Settings], link: OneTimeLink | None = None) -> None:
        self._read = read
        self._link = link
        self._made_sessions: Sessions | None = None
        self._made_provider: IdentityProvider | None = None
        self._own_key = secrets.token_urlsafe(48)
        """Of this process: good for a laptop, where there is only one."""

    async def administrator(self, request: Request) -> Administrator:
        """The administrator behind a request. ApiError: 401 for nobody known, 403 for a reader."""
        given = request.headers.get("authorization", "")
        if given:
            kind, _, token = given.partition(" ")
            if kind.lower() != "bearer" or not token.strip():
                raise not_signed_in()
            identity = await self.identity_of(token.strip())
            return Administrator(identity.subject)
        return self._of_cookie(request)

    async def guard(self, request: Request) -> None:
        """Lets administrators pass, for routes that do not ask who it is."""
        await self.administrator(request)

    async def identity_of(self, token: str, nonce: str | None = None) -> Identity:
        """Whom a token is about, if it is an administrator. ApiError 401, 403 or 503."""
        from functions.adapters.oidc.provider import IdentityUnavailable, TokenRefused

        provider = self.provider()
        if provider is None:
            raise not_signed_in()
        try:
            identity = await provider.check(token, nonce)
        except TokenRefused as error:
            logger().warning("token refused", reason=str(error))
            raise not_signed_in() from error
        except IdentityUnavailable as error:
            logger().error("identity provider unavailable", reason=str(error))
            raise cannot_sign_in() from error
        if self._read().analytics_group not in identity.groups:
            raise ApiError(403, "not_an_administrator", "You are not an administrator here.")
        return identity

    def provider(self) -> IdentityProvider | None:
        """The identity provider of the settings, or None where there is none."""
        settings = self._read()
        if not settings.analytics_issuer or not settings.analytics_audience:
            return None
        if self._made_provider is None:
            from functions.adapters.oidc.provider import IdentityProvider

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
        """Makes and reads cookies. ApiError 503 where no key is set."""
        if self._made_sessions is None:
            from functions.analytics.auth.sessions import Sessions, WeakKey

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
        """Whether this opens the way in of this machine. Only once."""
        return self._link is not None and self._link.open(key)

    def _of_cookie(self, request: Request) -> Administrator:
        from functions.analytics.auth.sessions import COOKIE, BadSession

        value = request.cookies.get(COOKIE, "")
        if not value:
            raise not_signed_in()
        try:
            session = self.sessions().read(value)
        except BadSession as error:
            raise not_signed_in() from error
        if request.method not in SAFE_METHODS:
            _refuse_other_sites(request)
        return Administrator(session.subject, session.csrf)


def check_form(administrator: Administrator, csrf: str) -> None:
    """Whether a form came from a page of this session. ApiError 403."""
    if administrator.csrf is not None and not hmac.compare_digest(
        csrf.encode(), administrator.csrf.encode()
    ):
        raise ApiError(403, "form_expired", "The form has expired. Please open the page again.")


def _refuse_other_sites(request: Request) -> None:
    """Beside SameSite: a page of another site must not act for an administrator."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin", "")
    host = request.headers.get("host", "")
    if site not in OWN_SITES or (origin and origin.partition("://")[2] != host):
        raise ApiError(403, "other_site", "This can only be done from the dashboard.")


def not_signed_in() -> ApiError:
    """401, for a request without a session or a good token."""
    headers = {"WWW-Authenticate": "Bearer"}
    return ApiError(401, "not_signed_in", "Please sign in as an administrator.", headers)


def cannot_sign_in() -> ApiError:
    """503, while the issuer cannot be asked."""
    message = "Nobody can sign in right now. Please try again later."
    return ApiError(503, "sign_in_unavailable", message, {"Retry-After": "30"})
