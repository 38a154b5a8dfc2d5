"""Reads the client of a request from the gateway's event."""

from __future__ import annotations

from fastapi import Request

from functions.lifecycle.begin_finish import Caller


def caller_of(request: Request) -> Caller:
    """The client of a request. Its idempotency key is truncated to 200 characters."""
    event = request.scope.get("aws.event") or {}
    http = event.get("requestContext", {}).get("http", {})
    key = request.headers.get("idempotency-key")
    return Caller(http.get("sourceIp"), key[:200] if key else None)
