"""The sample book with the real functions behind it, and what a reader sees of an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Browser, BrowserContext, Locator, Page, Request, expect
from reading import ask

HIGHLIGHTED = """() => {
  const ranges = [...(CSS.highlights?.get("quoth-quote") ?? [])];
  const marks = [...document.querySelectorAll("mark.quoth-quote")];
  const parts = [...ranges.map(r => r.cloneContents()), ...marks.map(m => m.cloneNode(true))];
  // What is drawn of a formula is left out: its TeX stands beside it.
  for (const part of parts) {
    const drawn = part.querySelectorAll(".katex-html, semantics > :not(annotation)");
    for (const each of drawn) each.remove();
  }
  return parts.map(part => part.textContent).join("");
}"""
WITHOUT_HIGHLIGHTS = """
delete Object.getPrototypeOf(CSS).highlights; delete CSS.highlights; delete globalThis.Highlight;
"""
INVISIBLE = re.compile(r"[$\\\s\u200b]+")


def folded(text: str) -> str:
    """A text without white space and the marks of formulas, which a page may lack."""
    plain = str.maketrans("‘’“”‐‑", "''\"\"--")
    return INVISIBLE.sub("", text).translate(plain)


@dataclass
class Reader:
    """One reader in a fresh profile. `asked` are the requests the page made of the functions."""

    context: BrowserContext
    page: Page
    asked: list[tuple[str, Any]]

    async def open(self, address: str) -> None:
        await self.page.goto(address)
        await expect(self.page.locator("quoth-widget:defined")).to_be_attached()

    async def ask(self, question: str) -> tuple[Locator, Any]:
        """The panel with the answer in it, and the answer as the function gave it.

        Where the session has ended since the last question, the widget asks once more.
        """
        async with self.page.expect_response(
            lambda reply: "/query" in reply.url and reply.status != 401
        ) as reply:
            panel = await ask(self.page, question)
        answer = await (await reply.value).json()
        await expect(panel.locator(".last .answer")).to_be_visible()
        return panel, answer

    async def wait_for_highlight(self, which: str = HIGHLIGHTED) -> str:
        # The book's content security policy lets no script be made of text in its pages.
        for _ in range(300):
            if shown := str(await self.page.evaluate(which)):
                return shown
            await self.page.wait_for_timeout(100)
        raise AssertionError("nothing was highlighted")


async def new_reader(browser: Browser, **options: Any) -> Reader:
    context = await browser.new_context(reduced_motion="reduce", **options)
    page = await context.new_page()
    page.set_default_timeout(30_000)
    asked: list[tuple[str, Any]] = []

    def note(request: Request) -> None:
        if request.method == "POST" or "/search" in request.url:
            path = re.sub(r"^https?://[^/]+|\?.*$", "", request.url)
            asked.append((path, request.post_data_json if request.method == "POST" else None))

    page.on("request", note)
    return Reader(context, page, asked)


async def select_words(page: Page, selector: str, words: str = "") -> None:
    """Select the element with these words, as a drag over it does."""
    await page.evaluate(
        """([selector, words]) => {
          const found = [...document.querySelectorAll(selector)]
            .find(element => element.textContent.includes(words));
          found.scrollIntoView({block: "center"});
          getSelection().selectAllChildren(found);
        }""",
        [selector, words],
    )
