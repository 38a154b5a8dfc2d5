"""Asks through the deployed gateway, as the widget does: over TLS, with an origin and a token."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from typing import Any

import httpx2

from tools.rehearse.cloud import Cloud
from tools.rehearse.log import StepFailed

SECONDS = 90.0
Json = dict[str, Any]


@dataclass
class GatewayReader:
    """A reader of a site at `origin`. `tokens` are what `POST /session` gave, by session."""

    cloud: Cloud
    api_id: str
    origin: str
    tokens: dict[str, str] = field(default_factory=dict)
    took_ms: float = field(default=0.0, init=False)

    def send(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        *,
        session: str = "",
        origin: str | None = None,
        **headers: str,
    ) -> httpx2.Response:
        """One request, with the session's token if it has one; `took_ms` is its time."""
        sent = {"host": self.cloud.gateway_host(self.api_id), "origin": origin or self.origin}
        if token := self.tokens.get(session):
            sent["authorization"] = f"Bearer {token}"
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        trust = ssl.create_default_context(cafile=str(self.cloud.certificate))
        with httpx2.Client(verify=trust, timeout=SECONDS, trust_env=False) as client:
            reply = client.request(method, f"{self.cloud.url}{path}", json=body, headers=sent)
        self.took_ms = reply.elapsed.total_seconds() * 1000
        return reply

    def ask(self, path: str, body: Json) -> Json:
        """The answer to a question, in the session of its body. StepFailed when it is none."""
        session = str(body["session_id"])
        if session not in self.tokens:
            self.open_session(session)
        reply = self.send("POST", path, body, session=session)
        if reply.status_code != httpx2.codes.OK:
            raise StepFailed(f"POST {path} answers {reply.status_code}: {reply.text[:500]}")
        answer: Json = reply.json()
        return answer

    def open_session(self, session: str) -> str:
        """Take a token, as the widget does before its first question. StepFailed without one."""
        reply = self.send("POST", "/session", {"session_id": session})
        if reply.status_code != httpx2.codes.OK:
            raise StepFailed(f"POST /session answers {reply.status_code}: {reply.text[:300]}")
        self.tokens[session] = str(reply.json()["token"])
        return self.tokens[session]
