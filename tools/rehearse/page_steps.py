"""The widget in a browser, through the gateway."""

from __future__ import annotations

import asyncio

from tools.rehearse.book_steps import Stage
from tools.rehearse.log import Log, require
from tools.rehearse.page import QUESTION, ask_in_page, find_browser


def ask_in_browser(log: Log, stage: Stage, path: str = "") -> None:
    """A reader asks in a page of the site, from another origin than the gateway's."""
    browser = find_browser()
    if browser is None:
        log.could_not("the widget: there is no Chromium on this machine")
        return
    gateway = f"https://{stage.cloud.gateway_host(stage.reader.api_id)}{path}"
    with log.step("The widget in Chromium, through the gateway") as seen:
        sight = asyncio.run(ask_in_page(browser, stage.reader.origin, gateway))
        require(sight.answer and sight.citations, f"no answer with citations: {sight}")
        require(
            ("POST", "/query", 200) in sight.requests,
            f"the gateway was not asked: {sight.requests}",
        )
        require(sight.sent_token, "the widget sent no token")
        seen.append(f"page at {stage.reader.origin}, functions at {gateway}")
        seen.append(f"? {QUESTION}")
        seen.append(f"{sight.answer} — {', '.join(sight.citations)}")
        seen.append(f"the first citation leads to {sight.landed}")
        asked = ", ".join(f"{method} {where} {status}" for method, where, status in sight.requests)
        seen.append(f"requests: {asked}; token sent: {'yes' if sight.sent_token else 'no'}")
    log.could_not("the gateway's certificate: it signs itself, and the browser was told to take it")
