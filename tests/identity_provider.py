"""An OpenID Connect provider for tests: discovery, keys, sign-in page and token endpoint.

`python -m tests.identity_provider CERTIFICATE KEY` serves one over TLS until it is ended, and
prints its address.
"""

from __future__ import annotations

import base64
import hashlib
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from quoth.local_server import served

AUDIENCE = "dashboard"
GROUP = "quoth-administrators"
GROUPS_CLAIM = "cognito:groups"
KEY_ID = "test-key"


@dataclass
class TestProvider:
    """A running provider. `groups` are those of whoever signs in."""

    __test__ = False

    key: rsa.RSAPrivateKey
    issuer: str = ""
    groups: list[str] = field(default_factory=lambda: [GROUP])
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def token(self, key: Any = None, algorithm: str = "RS256", **changed: Any) -> str:
        """A good token but for what is changed; a claim that is None is left out."""
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": AUDIENCE, "sub": "somebody", "iat": now, "exp": now + 600,
            GROUPS_CLAIM: [GROUP],
        } | changed  # fmt: skip
        kept = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(kept, key or self.key, algorithm=algorithm, headers={"kid": KEY_ID})

    def app(self) -> Starlette:
        async def discovery(request: Request) -> Response:
            return JSONResponse({
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
            })  # fmt: skip

        async def keys(request: Request) -> Response:
            public = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
            return JSONResponse({"keys": [public | {"kid": KEY_ID, "use": "sig", "alg": "RS256"}]})

        async def authorize(request: Request) -> Response:
            asked = dict(request.query_params)
            assert asked["response_type"] == "code"
            assert asked["code_challenge_method"] == "S256"
            code = f"code-{len(self.codes)}"
            self.codes[code] = asked
            back = urlencode({"code": code, "state": asked["state"]})
            return RedirectResponse(f"{asked['redirect_uri']}?{back}", 302)

        async def token(request: Request) -> Response:
            form = {k: v[0] for k, v in parse_qs((await request.body()).decode()).items()}
            asked = self.codes.pop(form["code"], None)
            digest = hashlib.sha256(form["code_verifier"].encode()).digest()
            proof = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            if not asked or asked["code_challenge"] != proof:
                return JSONResponse({"error": "invalid_grant"}, 400)
            claims = {
                "nonce": asked["nonce"], "aud": asked["client_id"], GROUPS_CLAIM: self.groups,
            }  # fmt: skip
            return JSONResponse({"id_token": self.token(**claims)})

        return Starlette(routes=[
            Route("/.well-known/openid-configuration", discovery),
            Route("/keys", keys), Route("/authorize", authorize),
            Route("/token", token, methods=["POST"]),
        ])  # fmt: skip


@contextmanager
def running_provider(certificate: tuple[Path, Path] | None = None) -> Iterator[TestProvider]:
    provider = TestProvider(rsa.generate_private_key(public_exponent=65537, key_size=2048))
    with served(provider.app(), certificate) as url:
        provider.issuer = url
        yield provider


def main() -> None:
    ended = threading.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: ended.set())
    with running_provider((Path(sys.argv[1]), Path(sys.argv[2]))) as provider:
        sys.stdout.write(f"{provider.issuer}\n")
        sys.stdout.flush()
        ended.wait()


if __name__ == "__main__":
    main()
