"""The book's pages on an origin of their own, and a reader in Chromium who asks in one of them."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from tools.rehearse.book_steps import Stage
from tools.rehearse.log import Log, StepFailed, require

MOST_MS = 60_000
FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
QUESTION = "What is the ZMP used for?"
PAGE = "/03-balance-and-walking/02-zero-moment-point"


class LaterSite:
    """Pages that are served before it is known where their widget asks."""

    def __init__(self) -> None:
        self.app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.app is None or scope["type"] != "http":
            return
        await self.app(scope, receive, send)


@dataclass(frozen=True, slots=True)
class Sight:
    """What the reader saw, and what the page asked of the gateway: (method, path, status)."""

    answer: str
    citations: tuple[str, ...]
    landed: str
    requests: tuple[tuple[str, str, int], ...]
    sent_token: bool


def find_browser() -> Path | None:
    """Chromium on this machine; None without one."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return Path(found)
    return None


async def ask_in_page(browser: Path, site: str, gateway: str) -> Sight:
    """Open a page, ask, follow the first citation. StepFailed with what the page said."""
    from playwright.async_api import Error, async_playwright

    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=browser, args=list(FLAGS))
        try:
            # The gateway's certificate signs itself, and a browser knows no file to trust.
            context = await chromium.new_context(ignore_https_errors=True, reduced_motion="reduce")
            page = await context.new_page()
            page.set_default_timeout(MOST_MS)
            said: list[str] = []
            page.on("console", lambda line: said.append(line.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            seen = _watch(page, gateway)
            try:
                return await _ask(page, site, seen)
            except Error as error:
                raise StepFailed(f"the widget did not answer: {error.message}\n{said}") from error
        finally:
            await chromium.close()


@dataclass
class _Seen:
    requests: list[tuple[str, str, int]]
    token: bool = False


def _watch(page: Any, gateway: str) -> _Seen:
    seen = _Seen([])

    def note(response: Any) -> None:
        if response.url.startswith(gateway):
            request = response.request
            path = response.url.removeprefix(gateway).split("?")[0]
            seen.requests.append((request.method, path, response.status))
            seen.token |= "authorization" in request.headers

    page.on("response", note)
    return seen


async def _ask(page: Any, site: str, seen: _Seen) -> Sight:
    await page.goto(f"{site}{PAGE}")
    await page.wait_for_function("customElements.get('quoth-widget') !== undefined")
    await page.get_by_role("button", name="Ask the book", exact=True).click()
    await page.get_by_label("Your question").fill(QUESTION)
    await page.keyboard.press("Enter")
    panel = page.get_by_role("dialog", name="Ask the book")
    await panel.locator(".claim").first.wait_for()
    answer = " ".join(await panel.locator(".claim").all_inner_texts())
    links = panel.get_by_role("link", name="Citation 1")
    names: list[str] = []
    every: Callable[[], Awaitable[list[Any]]] = panel.get_by_role("link", name="Citation").all
    for link in await every():
        names.append(str(await link.get_attribute("aria-label") or await link.inner_text()))
    await links.first.click()
    await page.wait_for_timeout(500)
    landed = page.url.removeprefix(site)
    return Sight(answer, tuple(names), landed, tuple(seen.requests), seen.token)


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
