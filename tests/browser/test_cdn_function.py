"""The function of template.yaml that runs at the CDN, in an engine of JavaScript."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Browser

from functions.web.cdn import ADDRESS_HEADER, HOST_HEADER, SECRET_HEADER
from tests.build.deployment import template


async def run(browser: Browser, event: dict[str, Any]) -> dict[str, Any]:
    """What is sent on, of a viewer's request as CloudFront describes it."""
    code = template()["Resources"]["CdnReader"]["Properties"]["FunctionCode"]
    page = await browser.new_page()
    try:
        sent: dict[str, Any] = await page.evaluate(
            f"event => {{ {code}; return handler(event); }}", event
        )
        return sent
    finally:
        await page.close()


async def test_it_says_who_asked_whatever_the_reader_says(browser: Browser) -> None:
    forged = {
        name: {"value": "forged"} for name in (ADDRESS_HEADER, HOST_HEADER, "x-forwarded-for")
    }
    request = {
        "method": "POST",
        "uri": "/query",
        "headers": {"host": {"value": "ask.example.org"}, **forged},
        "cookies": {"quoth": {"value": "1"}},
    }
    sent = await run(browser, {"viewer": {"ip": "2001:db8::7"}, "request": request})
    assert sent["headers"][ADDRESS_HEADER] == {"value": "2001:db8::7"}
    assert sent["headers"][HOST_HEADER] == {"value": "ask.example.org"}
    assert SECRET_HEADER not in sent["headers"]  # which CloudFront adds on the way to its origin
    assert (sent["method"], sent["uri"], sent["cookies"]) == ("POST", "/query", request["cookies"])
