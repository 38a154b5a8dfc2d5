"""Who sent a request, as far as the gateway tells."""

from __future__ import annotations

from fastapi import Request

from functions.lifecycle.begin_finish import Caller


def caller_of(request: Request) -> Caller:
    """Who asks, by the gateway's event; an idempotency key is cut at 200 characters."""
    event = request.scope.get("aws.event") or {}
    http = event.get("requestContext", {}).get("http", {})
    key = request.headers.get("idempotency-key")
    return Caller(http.get("sourceIp"), key[:200] if key else None)
