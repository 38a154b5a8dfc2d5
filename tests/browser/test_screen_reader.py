"""The panel by keyboard alone, and what a screen reader is told on the way."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect
from scripted_book import BENEFITS, ScriptedBook

pytestmark = pytest.mark.browser

HEAR = """() => {
  globalThis.heard = [];
  const watched = new Set();
  const watch = root => {
    if (!root || watched.has(root)) return;
    watched.add(root);
    new MutationObserver(changes => changes.forEach(({target, addedNodes}) => {
      for (const host of root.querySelectorAll("quoth-feedback")) watch(host.shadowRoot);
      const at = target instanceof Element ? target : target.parentElement;
      if (!at?.closest("[role=status], [role=alert]")) return;
      const added = target instanceof Text ? [target] : [...addedNodes];
      const words = added.map(node => node.textContent).join(" ").replace(/\\s+/g, " ").trim();
      if (words) heard.push(words);
    })).observe(root, {subtree: true, childList: true, characterData: true});
  };
  watch(document.querySelector("quoth-widget").shadowRoot);
}"""
FOCUSED = """() => {
  let at = document.activeElement;
  while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return (at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent).trim();
}"""


async def open_panel(page: Page) -> None:
    await expect(page.locator("quoth-widget:defined")).to_be_attached()
    await page.evaluate(HEAR)
    await page.keyboard.press("Alt+q")
    await expect(page.get_by_label("Your question")).to_be_focused()


async def ask(page: Page, question: str) -> None:
    await page.keyboard.insert_text(question)
    await page.keyboard.press("Enter")


async def tab_to(page: Page, name: str, key: str = "Shift+Tab") -> None:
    """Press the key until what has this name has the focus; fail after a bounded number."""
    for _ in range(30):
        await page.keyboard.press(key)
        if (await page.evaluate(FOCUSED)).startswith(name):
            return
    raise AssertionError(
        f"{name!r} was not reached; the focus is on {await page.evaluate(FOCUSED)}"
    )


async def heard(page: Page, words: str) -> int:
    """How many times these words were said, at least once."""
    await page.wait_for_function("words => heard.some(each => each.includes(words))", arg=words)
    await page.wait_for_timeout(300)  # for a second time
    return int(await page.evaluate("words => heard.filter(e => e.includes(words)).length", words))


async def test_an_answer_is_said_once_and_its_citation_leads_there_and_back(page: Page) -> None:
    await open_panel(page)
    await ask(page, "What are the benefits?")
    assert await heard(page, BENEFITS) == 1
    await expect(page.get_by_label("Your question")).to_be_focused()
    await tab_to(page, "Citation 1: ")
    mark = await page.evaluate(FOCUSED)
    await page.keyboard.press("Enter")
    assert await heard(page, "The quote is highlighted in the page. Alt+Q goes back.") == 1
    await expect(page.locator("main :focus")).to_contain_text("Physical AI")
    await page.keyboard.press("Alt+q")
    assert await page.evaluate(FOCUSED) == mark
    await page.get_by_label("Your question").focus()
    await ask(page, "And what else?")
    await expect(page.locator(".turn")).to_have_count(2)
    assert await heard(page, BENEFITS) == 2


@pytest.mark.parametrize(
    ("typed", "said"),
    [("", "Please type a question."), ("xy" * 600, "200 characters too many")],
    ids=["nothing", "too much"],
)
async def test_why_nothing_was_asked_is_said(
    page: Page, book: ScriptedBook, typed: str, said: str
) -> None:
    await open_panel(page)
    await page.keyboard.insert_text(typed)
    before = await heard(page, said) if typed else 0
    await page.keyboard.press("Enter")
    assert await heard(page, said) >= 1
    await page.wait_for_function("([n, said]) => heard.filter(e => e.includes(said)).length > n",
                                 arg=[before, said])  # fmt: skip
    assert book.asked("/query") == []


async def test_a_rating_keeps_the_focus_and_is_thanked_for_once(page: Page) -> None:
    await open_panel(page)
    await ask(page, "What are the benefits?")
    await heard(page, BENEFITS)
    await tab_to(page, "Yes")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("Thank you.")).to_be_focused()  # and so it is read
    assert await page.evaluate("heard.filter(e => e.includes('Thank you')).length") == 0
    await tab_to(page, "Your question", "Tab")
    await ask(page, "And what else?")
    await expect(page.locator(".turn")).to_have_count(2)
    await expect(page.locator(".last quoth-feedback")).to_have_count(1)  # of the new answer
    await tab_to(page, "No")
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("It is wrong")).to_be_focused()
    await page.keyboard.press("Space")
    await tab_to(page, "Send", "Tab")
    await page.keyboard.press("Enter")
    await expect(page.locator(".last").get_by_text("Thank you.")).to_be_focused()


async def test_as_many_sections_again_are_said_again(page: Page) -> None:
    await open_panel(page)
    await page.keyboard.type("benef")
    assert await heard(page, "2 sections") == 1
    await page.keyboard.press("ArrowDown")
    field = page.get_by_label("Your question")
    await expect(field).to_have_attribute("aria-activedescendant", "found-0")
    await expect(page.get_by_role("option", selected=True)).to_have_text("Benefits")
    await page.keyboard.press("Escape")
    await expect(field).to_have_attribute("aria-expanded", "false")
    await page.keyboard.type("its")
    await expect(field).to_have_attribute("aria-expanded", "true")
    assert await heard(page, "2 sections") == 2


async def test_a_new_conversation_begins_in_the_field_and_a_selection_is_asked_about(
    page: Page,
) -> None:
    await open_panel(page)
    await ask(page, "What are the benefits?")
    await heard(page, BENEFITS)
    await tab_to(page, "New conversation")
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Your question")).to_be_focused()
    await expect(page.locator(".claim")).to_have_count(0)
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert await page.evaluate(FOCUSED) == "Ask the book"
    await page.keyboard.press("Tab")  # out of the widget
    await page.evaluate("getSelection().selectAllChildren(document.getElementById('first'))")
    assert await heard(page, "Text selected. Press Alt+Q to ask about it.") == 1
    await expect(
        page.get_by_role("group", name="Selected text").get_by_role("button")
    ).to_have_text(["Explain", "Summarise", "Ask about this"])
    await page.keyboard.press("Alt+q")
    await expect(page.get_by_label("Your question")).to_be_focused()
    await expect(page.get_by_label("Only this text")).to_be_checked()
