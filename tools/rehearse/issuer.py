"""Who signs administrators in: an OpenID provider of this machine, spoken to as any other."""

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

from quoth.parts import part_process
from tools.rehearse.certificate import Certificate

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
