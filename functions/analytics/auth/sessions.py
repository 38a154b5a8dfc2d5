"""An administrator's browser between sign-in and expiry: signed cookies for /analytics only."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import Any

COOKIE = "quoth_administrator"
SIGN_IN_COOKIE = "quoth_sign_in"
SIGN_IN_SECONDS = 600
SHORTEST_KEY = 32
"""Characters of the signing key."""

_ISSUER = "quoth"


class BadSession(Exception):
    """The cookie is not ours, not for this, or over."""


class WeakKey(Exception):
    """The signing key is missing or too short; nobody can have a session."""


@dataclass(frozen=True, slots=True)
class Session:
    """Who is signed in. `csrf` must come back with every form."""

    subject: str
    csrf: str


@dataclass(frozen=True, slots=True)
class SignIn:
    """What must come back from the provider's page, and what proves that we asked."""

    state: str
    nonce: str
    verifier: str


class Sessions:
    """Makes and reads the cookies' values. Raises WeakKey."""

    def __init__(self, key: str, seconds: int) -> None:
        if len(key) < SHORTEST_KEY:
            raise WeakKey(f"the session key must have {SHORTEST_KEY} characters at least")
        self._key = key
        self.seconds = seconds

    def make(self, subject: str) -> str:
        return self._sign("session", self.seconds, sub=subject, csrf=secrets.token_urlsafe(16))

    def read(self, value: str) -> Session:
        """Raises BadSession."""
        claims = self._claims("session", value, "sub", "csrf")
        return Session(claims["sub"], claims["csrf"])

    def make_sign_in(self, sign_in: SignIn) -> str:
        """A signed cookie that keeps what a sign-in began with until the issuer sends it back."""
        return self._sign(
            "sign-in", SIGN_IN_SECONDS,
            state=sign_in.state, nonce=sign_in.nonce, verifier=sign_in.verifier,
        )  # fmt: skip

    def read_sign_in(self, value: str) -> SignIn:
        """Raises BadSession."""
        claims = self._claims("sign-in", value, "state", "nonce", "verifier")
        return SignIn(claims["state"], claims["nonce"], claims["verifier"])

    def _sign(self, use: str, seconds: int, **claims: str) -> str:
        import jwt  # when somebody signs in; feedback needs none of this

        kept = {"iss": _ISSUER, "aud": use, "exp": int(time.time()) + seconds, **claims}
        return jwt.encode(kept, self._key, algorithm="HS256")

    def _claims(self, use: str, value: str, *names: str) -> dict[str, Any]:
        import jwt

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
