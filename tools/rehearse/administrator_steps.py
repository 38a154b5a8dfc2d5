"""Administrators: refused by the gateway without a token, let in with one, and by the browser."""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from quoth.parts import part_process
from tools.rehearse.book_steps import Stage
from tools.rehearse.cloud import Certificate
from tools.rehearse.log import Log, require

CLIENT = "dashboard"
SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Issuer:
    """A running provider, at `url` over TLS. It lets everybody in, as an administrator."""

    url: str
    certificate: Path

    def parameters(self) -> dict[str, str]:
        """The template's parameters that name it."""
        return {"JwtIssuer": self.url, "JwtAudience": CLIENT}

    def token(self, client: str = CLIENT) -> str:
        """A token for a client, by the way a browser goes: code and PKCE."""
        verifier = secrets.token_urlsafe(32)
        digest = hashlib.sha256(verifier.encode()).digest()
        asked = {
            "response_type": "code", "client_id": client, "redirect_uri": "https://back.example/",
            "state": "any", "nonce": "any", "code_challenge_method": "S256",
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        }  # fmt: skip
        with self.asking() as http:
            sent_back = http.get("/authorize", params=asked).headers["location"]
            (code,) = parse_qs(urlsplit(sent_back).query)["code"]
            reply = http.post("/token", data={"code": code, "code_verifier": verifier})
        return str(reply.json()["id_token"])

    def asking(self) -> httpx2.Client:
        trust = ssl.create_default_context(cafile=str(self.certificate))
        return httpx2.Client(base_url=self.url, verify=trust, timeout=SECONDS, trust_env=False)


@contextmanager
def running_issuer(certificate: Certificate, folder: Path, project: Path) -> Iterator[Issuer]:
    """The tests' provider while the block runs; `project` holds it. Raises PartFailed."""
    found = os.environ | {"PYTHONPATH": str(project)}
    given = [str(certificate.certificate), str(certificate.key)]
    with part_process("tests.identity_provider", given, folder / "logs", found) as part:
        yield Issuer(part.ready_url(), certificate.certificate)


FIGURES = "/analytics/summary"
PAGE = "/analytics"
OF_THE_GATEWAY = {"message": "Unauthorized"}
"""The gateway's own refusal; those of the function have a code and a sentence."""


def sign_in(log: Log, stage: Stage, issuer: Issuer) -> None:
    """The figures by a token, the pages by the issuer's sign-in; neither without."""
    good = issuer.token()
    with log.step(
        "Administrators, by the gateway's JWT authorizer and by the sign-in page"
    ) as seen:
        for said, token in (
            ("without a token", ""),
            ("with a token that another key signed", _forged(good)),
            ("with a token for another client", issuer.token("elsewhere")),
        ):
            reply = (
                stage.reader.send("GET", FIGURES, authorization=f"Bearer {token}")
                if token
                else stage.reader.send("GET", FIGURES)
            )
            require(
                reply.status_code == 401 and reply.json() == OF_THE_GATEWAY,
                f"{said}: {reply.status_code} {reply.text[:300]}",
            )
            seen.append(f"GET {FIGURES} {said}: 401 by the gateway")
        reply = stage.reader.send("GET", FIGURES, authorization=f"Bearer {good}")
        require(reply.status_code == 200, f"with a token: {reply.status_code} {reply.text[:300]}")
        seen.append(f"with a token: 200, {len(reply.json())} fields")
        closed = stage.reader.send("GET", PAGE)
        require("Overview" not in closed.text, f"open to anybody: {closed.status_code}")
        seen.append(f"GET {PAGE} without a cookie: {closed.status_code}, by the function")
        cookie = _signed_in(stage, issuer)
        page = stage.reader.send("GET", PAGE, cookie=cookie)
        require(page.status_code == 200 and "Overview" in page.text, f"{PAGE}: {page.status_code}")
        seen.append(f"sign-in, the issuer's page, callback; GET {PAGE} with the cookie: 200")


def _signed_in(stage: Stage, issuer: Issuer) -> str:
    """The cookie of a browser that went to the issuer's page and back."""
    begun = stage.reader.send("GET", "/analytics/sign-in")
    require(begun.status_code == 303, f"sign-in: {begun.status_code} {begun.text[:300]}")
    with issuer.asking() as http:
        back = http.get(begun.headers["location"]).headers["location"]
    path = back.removeprefix(f"https://{stage.cloud.gateway_host(stage.reader.api_id)}")
    kept = begun.headers["set-cookie"].split(";")[0]
    done = stage.reader.send("GET", path, cookie=kept)
    require(done.status_code == 200, f"callback {path}: {done.status_code} {done.text[:300]}")
    (cookie,) = (
        each.split(";")[0]
        for each in done.headers.get_list("set-cookie")
        if each.startswith("quoth_administrator=")
    )
    return cookie


def _forged(token: str) -> str:
    """The same claims under the same key's name, signed by another key."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    claims = jwt.decode(token, options={"verify_signature": False})
    named = {"kid": jwt.get_unverified_header(token)["kid"]}
    return jwt.encode(claims, key, algorithm="RS256", headers=named)
