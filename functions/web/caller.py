"""Reads the client of a request from the gateway's event and the session's token."""

from __future__ import annotations

from fastapi import Request

from functions.lifecycle.begin_finish import Caller
from functions.runtime.networks import network_of
from functions.runtime.settings import Settings
from functions.web.sessions import signed_user


def caller_of(request: Request, settings: Settings) -> Caller:
    """The client of a request. Its idempotency key is truncated to 200 characters."""
    event = request.scope.get("aws.event") or {}
    address = event.get("requestContext", {}).get("http", {}).get("sourceIp")
    key = request.headers.get("idempotency-key")
    return Caller(
        network_of(address, settings.networks) if address else None,
        key[:200] if key else None,
        signed_user(request),
    )
