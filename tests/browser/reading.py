"""What a reader does in the page, and what axe says of it."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, Page
from scripted_book import WIDGET

AXE = WIDGET / "node_modules" / "axe-core" / "axe.min.js"


async def ask(page: Page, question: str) -> Locator:
    launcher = page.get_by_role("button", name="Ask the book", exact=True)
    if await launcher.count():
        await launcher.click()
    await page.get_by_label("Your question").fill(question)
    await page.keyboard.press("Enter")
    return page.get_by_role("dialog", name="Ask the book")


async def forget_conversation(page: Page) -> None:
    """As in a new tab: nothing is kept for the next page."""
    await page.evaluate("document.querySelector('quoth-widget').remove(), sessionStorage.clear()")


async def select_text(page: Page, element: str) -> None:
    await page.evaluate(
        "id => getSelection().selectAllChildren(document.getElementById(id))", element
    )


async def find_axe_violations(page: Page, within: str = "quoth-widget") -> list[str]:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: run npm ci in widget/")
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    return await page.evaluate(
        "async within => (await axe.run(within)).violations"
        ".map(v => v.id + ': ' + v.nodes.map(n => n.html).join(' '))",
        within,
    )
