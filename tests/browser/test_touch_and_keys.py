"""Text is selected with a finger or with keys alone, and asked about; the real functions answer.

Chromium on a desk does not make a long press into a selection. So the finger is the browser's own,
and the selection that a phone would make of it is set while the finger is down.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from live_book import Reader, new_reader
from playwright.async_api import Browser, CDPSession, async_playwright, expect
from reading import find_axe_violations

pytestmark = pytest.mark.browser

ZMP = "/balance-and-walking/zero-moment-point"
WORDS = "The ZMP is used for"
PARAGRAPH = f"""[...document.querySelectorAll("main p")]
  .find(p => p.textContent.includes("{WORDS}"))"""
SHOW = f"() => {{ {PARAGRAPH}.scrollIntoView({{block: 'center'}}) }}"
PLACE = (
    f"() => {{ const {{x, y}} = {PARAGRAPH}.getBoundingClientRect(); return [x + 30, y + 12]; }}"
)
SELECT_WORD = f"""() => {{
  const node = {PARAGRAPH}.firstChild;
  getSelection().setBaseAndExtent(node, 0, node, 3);
}}"""
MOVE_HANDLE = f"""() => {{
  const paragraph = {PARAGRAPH};
  getSelection().extend(paragraph, paragraph.childNodes.length);
}}"""
UNDER_TEXT = f"""() => {PARAGRAPH}.getBoundingClientRect().bottom"""

IN_A_PARAGRAPH = "getSelection().anchorNode?.parentElement.closest('main p') != null"


@pytest_asyncio.fixture
async def phone(browser: Browser, live_book: str) -> AsyncIterator[Reader]:
    reader = await new_reader(
        browser, has_touch=True, is_mobile=True, viewport={"width": 390, "height": 800}
    )
    await reader.open(live_book + ZMP)
    await reader.page.evaluate(SHOW)
    yield reader
    await reader.context.close()


async def press(reader: Reader) -> CDPSession:
    """Put a finger on the paragraph, as long as a phone takes to select the word under it."""
    finger = await reader.context.new_cdp_session(reader.page)
    x, y = await reader.page.evaluate(PLACE)
    touch = {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
    await finger.send("Input.dispatchTouchEvent", touch)
    await reader.page.evaluate(SELECT_WORD)
    return finger


async def test_a_paragraph_is_selected_and_asked_about_with_a_finger(phone: Reader) -> None:
    page = phone.page
    finger = await press(phone)
    await finger.send("Input.dispatchTouchEvent", {"type": "touchCancel", "touchPoints": []})
    await page.evaluate(MOVE_HANDLE)  # by a handle of the system's: no pointer of the page moves
    button = page.get_by_role("button", name="Ask about this")
    await expect(button).to_be_in_viewport(ratio=1)
    box = await button.bounding_box()
    assert box is not None
    assert box["height"] >= 44
    assert box["y"] > await page.evaluate(UNDER_TEXT) + 24  # below the handle
    await button.tap()
    panel = page.get_by_role("dialog")
    await expect(panel.get_by_role("radio", name="Only this text")).to_be_checked()
    await expect(panel.get_by_role("figure")).to_contain_text(WORDS)
    assert await find_axe_violations(page) == []
    await panel.get_by_text("This passage and around it").tap()
    await page.get_by_label("Your question").fill("What is the ZMP used for?")
    async with page.expect_response("**/query") as reply:
        await page.keyboard.press("Enter")
    # The keyboard on the screen, which a field with the focus keeps there, would hide the answer.
    await expect(panel.get_by_role("button", name="Ask", exact=True)).to_be_focused()
    answer = await (await reply.value).json()
    assert (answer["mode"], answer["status"]) == ("highlight", "answered")
    await expect(panel.locator(".claim").first).to_contain_text("dynamic balance control")
    await panel.get_by_role("link", name="Citation 1").first.tap()
    await expect(panel).to_have_count(0)  # the sheet gives way to the place
    assert await phone.wait_for_highlight()


async def test_a_finger_that_is_never_told_to_have_left_hides_nothing(phone: Reader) -> None:
    await press(phone)
    await phone.page.evaluate(MOVE_HANDLE)
    await expect(phone.page.get_by_role("button", name="Ask about this")).to_be_visible()


async def test_a_selection_that_the_tap_takes_away_is_asked_about_all_the_same(
    phone: Reader,
) -> None:
    page = phone.page
    await page.evaluate(SELECT_WORD)
    await page.evaluate(MOVE_HANDLE)
    button = page.get_by_role("button", name="Ask about this")
    await expect(button).to_be_visible()
    box = await button.bounding_box()
    assert box is not None
    finger = await phone.context.new_cdp_session(page)
    point = {"x": box["x"] + 20, "y": box["y"] + 20}
    touch = {"type": "touchStart", "touchPoints": [point]}
    await finger.send("Input.dispatchTouchEvent", touch)
    await page.evaluate("getSelection().removeAllRanges()")
    await page.wait_for_timeout(300)  # a slow finger: longer than a selection takes to settle
    await finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    await expect(page.get_by_role("figure")).to_contain_text(WORDS)


@pytest_asyncio.fixture
async def caret_reader(chromium_path: Path, live_book: str) -> AsyncIterator[Reader]:
    """A reader who has switched caret browsing on, as F7 does."""
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(
            executable_path=chromium_path,
            args=["--no-sandbox", "--disable-gpu", "--blink-settings=caretBrowsingEnabled=true"],
        )
        reader = await new_reader(chromium)
        await reader.open(live_book + ZMP)
        yield reader
        await chromium.close()


async def test_keys_alone_select_a_passage_and_ask_about_it(caret_reader: Reader) -> None:
    page = caret_reader.page
    contents = page.get_by_role("navigation", name="Table of contents")
    await contents.get_by_role("link").last.focus()
    for _ in range(40):  # out of the table of contents, into the text
        await page.keyboard.press("ArrowDown")
        if await page.evaluate(IN_A_PARAGRAPH):
            break
    await page.keyboard.press("Home")
    for _ in range(3):
        await page.keyboard.press("Shift+ArrowDown")
    selected = await page.evaluate("String(getSelection())")
    assert len(selected.split()) >= 20
    await expect(page.get_by_role("button", name="Ask about this")).to_be_visible()
    await page.keyboard.press("Alt+q")
    await expect(page.get_by_role("radio", name="Only this text")).to_be_checked()
    await expect(page.get_by_label("Your question")).to_be_focused()
    await page.keyboard.type("What does static stability ask?")
    async with page.expect_response("**/query-selected-text"):
        await page.keyboard.press("Enter")
    await expect(page.locator(".claim").first).to_contain_text("centre of mass")
    (sent,) = [body for path, body in caret_reader.asked if path == "/query-selected-text"]
    assert sent["selected_text"].split() == selected.split()
