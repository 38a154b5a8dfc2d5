"""Administrators: refused by the gateway without a token, let in with one, and by the browser."""

from __future__ import annotations

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tools.rehearse.book_steps import Stage
from tools.rehearse.issuer import Issuer
from tools.rehearse.log import Log, require

FIGURES = "/analytics/summary"
PAGE = "/analytics"
OF_THE_GATEWAY = {"message": "Unauthorized"}
"""What it answers by itself; the function's own refusals have a code and a sentence."""


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
