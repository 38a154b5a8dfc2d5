"""Client of an OpenID Connect provider: sign-in by authorization code, and validation of tokens.

Endpoints come from the provider's discovery document. Tokens are validated here even behind a
gateway that does so: a route forgotten there must not expose data.
"""

from __future__ import annotations

import asyncio
import urllib.parse
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jwt

from functions.runtime.breaker import Breaker

if TYPE_CHECKING:
    import httpx2

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA")
"""Signatures by a private key. Never HS256: the public key would then be the secret."""
LEEWAY_S = 30
KEYS_LAST_S = 300.0
TIMEOUT_S = 4.0
"""Of one call of this client, whatever it asks; after it, nobody waits for `PAUSE_S`."""
PAUSE_S = 10.0


class TokenRefused(Exception):
    """The token is invalid. The message gives the reason, for the log only."""


class IdentityUnavailable(Exception):
    """The provider did not answer, or not as OpenID Connect requires."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The subject of a token. `groups` as the provider names them."""

    subject: str
    groups: frozenset[str]


@dataclass(frozen=True, slots=True)
class Provider:
    """The provider's endpoints, from its discovery document."""

    authorize_url: str
    token_url: str
    keys_url: str


class IdentityProvider:
    """Validates tokens of one issuer for one audience, and signs people in."""

    def __init__(
        self, issuer: str, audience: str, groups_claim: str, client_secret: str = ""
    ) -> None:
        self._issuer = issuer
        self._audience = audience
        self._groups_claim = groups_claim
        self._client_secret = client_secret
        self._provider: Provider | None = None
        self._keys: jwt.PyJWKClient | None = None
        self._breaker = Breaker(pause_s=PAUSE_S)

    async def check(self, token: str, nonce: str | None = None) -> Identity:
        """The identity in a token of this issuer for this audience that has not expired.

        With a `nonce`, the token must belong to that sign-in. TokenRefused, IdentityUnavailable.
        """
        async with self._in_time():
            keys = await self._key_client()
            claims = await asyncio.to_thread(self._claims, keys, token)
        if not self._is_for_us(claims):
            raise TokenRefused("the token is for another audience")
        if nonce is not None and claims.get("nonce") != nonce:
            raise TokenRefused("the token is of another sign-in")
        return Identity(str(claims["sub"]), _groups(claims.get(self._groups_claim)))

    async def sign_in_url(self, redirect: str, state: str, nonce: str, challenge: str) -> str:
        """The authorization request to redirect to. Raises IdentityUnavailable."""
        async with self._in_time():
            provider = await self._discovered()
        query = {
            "response_type": "code",
            "client_id": self._audience,
            "redirect_uri": redirect,
            "scope": "openid",
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        joint = "&" if "?" in provider.authorize_url else "?"
        return provider.authorize_url + joint + urllib.parse.urlencode(query)

    async def redeem(self, code: str, redirect: str, verifier: str) -> str:
        """Exchange an authorization code for an ID token. TokenRefused, IdentityUnavailable."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect,
            "client_id": self._audience,
            "code_verifier": verifier,
        }
        if self._client_secret:
            form["client_secret"] = self._client_secret
        async with self._in_time():
            provider = await self._discovered()
            response = await _request("POST", provider.token_url, form)
        if response.status_code >= 500:
            raise IdentityUnavailable(f"the token endpoint answered {response.status_code}")
        if response.status_code != 200:
            raise TokenRefused(f"the code was refused with {response.status_code}")
        token = _json(response).get("id_token")
        if not isinstance(token, str):
            raise IdentityUnavailable("the token endpoint gave no id_token")
        return token

    @asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        if not self._breaker.allows():
            raise IdentityUnavailable("the provider was silent a moment ago")
        try:
            async with asyncio.timeout(TIMEOUT_S):
                yield
        except TimeoutError as error:
            self._breaker.hold_for(PAUSE_S)
            raise IdentityUnavailable(f"no answer within {TIMEOUT_S:g} s") from error
        except TokenRefused:
            self._breaker.record(True)
            raise
        self._breaker.record(True)

    def _claims(self, keys: jwt.PyJWKClient, token: str) -> Mapping[str, Any]:
        try:
            key = keys.get_signing_key_from_jwt(token)
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=list(ALGORITHMS),
                issuer=self._issuer,
                leeway=LEEWAY_S,
                options={"require": ["exp", "iss", "sub"], "verify_aud": False},
            )
        except jwt.PyJWKClientConnectionError as error:
            raise IdentityUnavailable("the provider's keys could not be read") from error
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            raise TokenRefused(f"{type(error).__name__}: {error}") from error
        return claims

    def _is_for_us(self, claims: Mapping[str, Any]) -> bool:
        """Access tokens of some providers name the client instead of an audience."""
        audience = claims.get("aud", claims.get("client_id"))
        return self._audience in ([audience] if isinstance(audience, str) else audience or [])

    async def _key_client(self) -> jwt.PyJWKClient:
        if self._keys is None:
            provider = await self._discovered()
            self._keys = jwt.PyJWKClient(
                provider.keys_url, lifespan=KEYS_LAST_S, timeout=TIMEOUT_S + 1
            )
        return self._keys

    async def _discovered(self) -> Provider:
        if self._provider is None:
            address = self._issuer.rstrip("/") + "/.well-known/openid-configuration"
            response = await _request("GET", address)
            found = _json(response)
            # Another issuer's document would redirect sign-ins elsewhere.
            if response.status_code != 200 or found.get("issuer") != self._issuer:
                raise IdentityUnavailable("the discovery document is not this issuer's")
            try:
                self._provider = Provider(
                    str(found["authorization_endpoint"]),
                    str(found["token_endpoint"]),
                    str(found["jwks_uri"]),
                )
            except KeyError as error:
                raise IdentityUnavailable(f"the discovery document lacks {error}") from error
        return self._provider


async def _request(method: str, url: str, form: Mapping[str, str] | None = None) -> httpx2.Response:
    import httpx2  # imported at the first sign-in: a session cookie needs no request

    try:
        async with httpx2.AsyncClient(timeout=TIMEOUT_S + 1) as client:
            return await client.request(method, url, data=form)
    except httpx2.HTTPError as error:
        raise IdentityUnavailable("the provider did not answer") from error


def _json(response: httpx2.Response) -> Mapping[str, Any]:
    try:
        found = response.json()
    except ValueError as error:
        raise IdentityUnavailable("the provider's answer is no JSON") from error
    if not isinstance(found, dict):
        raise IdentityUnavailable("the provider's answer is no JSON object")
    return found


def _groups(given: object) -> frozenset[str]:
    """From a list, or a string separated by spaces or commas."""
    if isinstance(given, str):
        return frozenset(given.replace(",", " ").split())
    if isinstance(given, Sequence):
        return frozenset(name for name in given if isinstance(name, str))
    return frozenset()
