"""What a CDN in front says of a request: who asked, and under which name.

The CDN sets these headers on every request, so that a client's own never arrive. The secret one
proves that a request came through the CDN, as the gateway's own address is public.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from ipaddress import ip_address

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from functions.adapters.aws.secrets import SecretUnavailable, secret
from functions.answer.refusals import UNAVAILABLE
from functions.runtime.logs import logger
from functions.runtime.settings import Settings
from functions.web.errors import SECRET_RETRY_SECONDS, refuse
from functions.web.sentences import NOT_HERE

SECRET_HEADER = "x-quoth-cdn"  # noqa: S105  # its name
ADDRESS_HEADER = "x-quoth-address"
HOST_HEADER = "x-quoth-host"


class BehindCdn:
    """Reads a request as the CDN got it, and refuses one that did not come through it.

    Without a secret in the settings there is no CDN: nothing is read, nothing refused.
    """

    def __init__(self, app: ASGIApp, settings: Callable[[], Settings]) -> None:
        self.app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            expected = secret(self._settings(), "cdn_secret")  # read with the switch's, if anywhere
        except SecretUnavailable as error:
            logger().error("secret not read", detail=str(error))
            headers = [(b"retry-after", str(SECRET_RETRY_SECONDS).encode())]
            await refuse(scope, send, 503, "unavailable", UNAVAILABLE, headers)
            return
        if expected and not believe(scope, expected):
            await refuse(scope, send, 403, "not_here", NOT_HERE)
        else:
            await self.app(scope, receive, send)


def believe(scope: Scope, expected: str) -> bool:
    """Put the reader's address and the name that was called into a request, in place, as whoever
    counts it reads its route there. False if it lacks the secret or an address."""
    headers = MutableHeaders(scope=scope)
    given, address, host = (
        headers.get(name, "") for name in (SECRET_HEADER, ADDRESS_HEADER, HOST_HEADER)
    )
    if not hmac.compare_digest(given.encode(), expected.encode()):
        return False
    try:
        reader = str(ip_address(address))
    except ValueError:
        logger().error("the CDN names no address of a reader")
        return False
    for name in (SECRET_HEADER, ADDRESS_HEADER, HOST_HEADER):
        del headers[name]
    if host:
        headers["host"] = host
    event = scope.get("aws.event") or {}
    context = event.get("requestContext", {})
    http = context.get("http", {}) | {"sourceIp": reader}
    scope["aws.event"] = {**event, "requestContext": {**context, "http": http}}
    return True
