"""Nothing that a reader, a model or a book says is ever executed."""

from __future__ import annotations

import pytest
from attacks import OWN, WATCH, attack
from playwright.async_api import Page
from scripted_book import ScriptedBook

pytestmark = pytest.mark.browser


async def test_no_text_becomes_a_script(page: Page, book: ScriptedBook) -> None:
    assert len(OWN) >= 40
    await page.add_init_script(WATCH)
    for start in range(0, len(OWN), 15):
        await page.goto(f"{book.url}/docs/ch1")
        assert await attack(page, OWN[start : start + 15]) == []


async def test_the_watch_sees_what_is_executed(page: Page, book: ScriptedBook) -> None:
    await page.add_init_script(WATCH)
    await page.goto(f"{book.url}/docs/ch1")
    await page.evaluate(
        "text => { document.getElementById('first').innerHTML = text }",
        "<img src='data:,' onerror='window.pwned=1'>",
    )
    await page.wait_for_function("executed.length > 0")
