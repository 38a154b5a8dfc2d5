"""Sign-in and sign-out of administrators.

In the cloud through an identity provider (authorization code with PKCE), on a laptop by the
one-time link in the terminal. Both set the same cookie.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from functions.analytics.auth.access import (
    COOKIE,
    SIGN_IN_COOKIE,
    SIGN_IN_SECONDS,
    Access,
    BadSession,
    SignIn,
    not_signed_in,
    provider_errors,
)
from functions.analytics.pages.dashboard import HEADERS, page_router
from functions.web.errors import ApiError

HOME = "/analytics"
_IN = f"""<!doctype html><html lang="en"><head><meta charset="utf-8">
<title>Signed in</title><link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0;url={HOME}"></head>
<body><p><a href="{HOME}">Go on to the dashboard</a></p></body></html>"""


def sign_in_routes(access: Access) -> APIRouter:
    """The routes that need no session yet."""
    router = page_router()

    @router.get("/enter")
    async def enter(request: Request, key: str = "") -> Response:
        """Sign in by the one-time link."""
        if not access.enter(key):
            raise ApiError(403, "link_used", "This link was used or is not valid.")
        return _signed_in(request, access, "this machine")

    @router.get("/sign-in")
    async def sign_in(request: Request) -> Response:
        """Redirect to the identity provider."""
        provider = access.provider()
        asked = SignIn(*(secrets.token_urlsafe(32) for _ in range(3)))
        digest = hashlib.sha256(asked.verifier.encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        cookie = access.sessions().make_sign_in(asked)
        with provider_errors():
            url = await provider.sign_in_url(
                _callback(request), asked.state, asked.nonce, challenge
            )
        response = RedirectResponse(url, 303)
        # Lax: the cookie must be sent when the provider redirects back.
        response.set_cookie(
            SIGN_IN_COOKIE, cookie, max_age=SIGN_IN_SECONDS, path="/analytics",
            secure=_is_secure(request), httponly=True, samesite="lax",
        )  # fmt: skip
        return response

    @router.get("/callback")
    async def callback(request: Request, code: str = "", state: str = "") -> Response:
        """Redirect target of the identity provider."""
        provider = access.provider()
        try:
            asked = access.sessions().read_sign_in(request.cookies.get(SIGN_IN_COOKIE, ""))
        except BadSession as error:
            raise not_signed_in() from error
        if not code or not hmac.compare_digest(state.encode(), asked.state.encode()):
            raise not_signed_in()
        with provider_errors():
            token = await provider.redeem(code, _callback(request), asked.verifier)
        identity = await access.identity_of(token, asked.nonce)
        response = _signed_in(request, access, identity.subject)
        response.delete_cookie(SIGN_IN_COOKIE, path="/analytics")
        return response

    @router.post("/sign-out")
    async def sign_out(request: Request) -> Response:
        """End the session on the server: the cookie opens nothing from now on."""
        await access.sign_out(request)
        response = RedirectResponse(HOME, 303)
        response.delete_cookie(COOKIE, path="/analytics")
        return response

    return router


def _signed_in(request: Request, access: Access, subject: str) -> Response:
    """Set the cookie and open the dashboard. By a page, not by a redirect: in a redirect chain that
    began on the provider's site, the browser would not send a strict cookie."""
    sessions = access.sessions()
    response = HTMLResponse(_IN, headers=HEADERS | {"Referrer-Policy": "no-referrer"})
    response.set_cookie(
        COOKIE, sessions.make(subject), max_age=sessions.seconds, path="/analytics",
        secure=_is_secure(request), httponly=True, samesite="strict",
    )  # fmt: skip
    return response


def _is_secure(request: Request) -> bool:
    return request.url.scheme == "https"


def _callback(request: Request) -> str:
    parts = urlsplit(str(request.url))
    return f"{parts.scheme}://{parts.netloc}/analytics/callback"
