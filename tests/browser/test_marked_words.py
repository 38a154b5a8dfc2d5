"""The marks of an answer and its forms, on two books, with the real functions behind the page."""

from __future__ import annotations

import re

import pytest
from live_book import WITHOUT_HIGHLIGHTS, Reader, folded, new_reader, select_words
from marked_words import Marked, click_marks
from playwright.async_api import Browser, expect
from reading import find_axe_violations, forget_conversation

from tests.integration.test_sample_questions import QUESTIONS

pytestmark = pytest.mark.browser

WIDE = {"width": 1600, "height": 800}
OF_SMALL_BOOK = (
    "How often is the starter fed?",
    "Which private address ranges are there?",
    "Which script prints the leases?",
    "How is the baker's percentage computed?",
    "What are the steps of a wheat loaf?",
    "What does the starter need?",
    "How does one place an access point?",
    "What is flour of type 550 used for?",
    "Which kinds of flour are there?",
    "How long does a lease last?",
    "How much does twice the distance cost?",
    "Where is the starter kept?",
    "What is the hydration of a dough?",
    "Which channels do not overlap?",
    "When is a starter ripe?",
    "What is a sourdough starter?",
)
OF_SAMPLE_BOOK = [row["question"] for row in QUESTIONS if "phrases" in row]
LIGHT = """() => [...(CSS.highlights.get("quoth-quoted") ?? [])].map(String).join(" ")"""


async def marked_words(
    browser: Browser, books: dict[str, list[str]], script: str = ""
) -> tuple[list[Marked], int]:
    """Every mark of the answers to each book's questions, and how many questions had an answer."""
    found: list[Marked] = []
    answered = 0
    for url, questions in books.items():
        reader = await new_reader(browser, viewport=WIDE)
        if script:
            await reader.page.add_init_script(script)
        for question in questions:
            marks = await click_marks(reader, url, question)
            answered += bool(marks)
            found += marks
        await reader.context.close()
    return found, answered


@pytest.mark.parametrize("script", ["", WITHOUT_HIGHLIGHTS], ids=["highlights", "marks"])
async def test_each_mark_lights_up_its_own_words(
    browser: Browser, live_book: str, small_book: str, script: str
) -> None:
    books = {live_book: OF_SAMPLE_BOOK[::30][:5], small_book: list(OF_SMALL_BOOK[:5])}
    found, answered = await marked_words(browser, books, script)
    assert [mark for mark in found if mark.shown != mark.own] == []
    assert answered == sum(map(len, books.values())) <= len(found)


@pytest.mark.soak
async def test_each_mark_of_sixty_answers_lights_up_its_own_words(
    browser: Browser, live_book: str, small_book: str
) -> None:
    step = len(OF_SAMPLE_BOOK) // 44
    books = {live_book: OF_SAMPLE_BOOK[::step][:44], small_book: list(OF_SMALL_BOOK)}
    found, answered = await marked_words(browser, books)
    assert [mark for mark in found if mark.shown != mark.own] == []
    assert answered == 60


async def test_the_list_links_to_each_quote_and_the_other_quotes_stay_lightly_marked(
    reader: Reader, small_book: str
) -> None:
    await reader.page.set_viewport_size({"width": 1600, "height": 800})
    await reader.open(f"{small_book}/bread/sourdough")
    panel, answer = await reader.ask("How often is the starter fed?")
    quotes = [quote for each in answer["citations"] for quote in each["quotes"]]
    links = panel.locator("ol .quotes a")
    await expect(links).to_have_count(len(quotes))
    assert len(quotes) >= 2
    light = folded(await reader.wait_for_highlight(LIGHT))
    assert light == folded("".join(quote["exact"] for quote in quotes))
    for at, quote in enumerate(quotes):
        await links.nth(at).click()
        assert folded(await reader.wait_for_highlight()) == folded(quote["exact"])
        others = [each["exact"] for each in quotes if each is not quote]
        assert folded(str(await reader.page.evaluate(LIGHT))) == folded("".join(others))


async def test_quotes_are_marked_where_the_page_is_reached_by_its_own_links_and_not_elsewhere(
    reader: Reader, small_book: str
) -> None:
    await reader.page.set_viewport_size({"width": 1600, "height": 800})
    await reader.open(f"{small_book}/bread/flour")
    panel, _ = await reader.ask("How often is the starter fed?")
    await expect(panel.locator(".claim").first).to_be_visible()
    assert await reader.page.evaluate(LIGHT) == ""
    await panel.locator(".claim .mark").first.click()
    await reader.wait_for_highlight()
    await reader.wait_for_highlight(LIGHT)


async def test_a_table_is_shown_as_a_table(reader: Reader, small_book: str) -> None:
    await reader.open(small_book)
    panel, _ = await reader.ask("Which private address ranges are there?")
    table = panel.get_by_role("table")
    await expect(table.get_by_role("columnheader")).to_have_text(["Range", "Prefix", "Addresses"])
    await expect(table.get_by_role("row")).to_have_count(4)
    await expect(table.locator("code").first).to_have_text("10.0.0.0")
    assert await find_axe_violations(reader.page) == []


async def test_code_is_shown_with_its_language_and_copied(reader: Reader, small_book: str) -> None:
    await reader.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await reader.open(small_book)
    panel, _ = await reader.ask("Which script prints the leases?")
    code = panel.locator("figure.code")
    await expect(code.locator("figcaption span")).to_have_text("python")
    await code.get_by_role("button", name="Copy code").click()
    await expect(reader.page.get_by_text("Copied.")).to_be_attached()
    copied = await reader.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("from pathlib import Path\n\n\ndef leases(")
    assert copied == await code.locator("code").text_content()
    assert await find_axe_violations(reader.page) == []


async def test_formulas_lists_and_bold_words_are_set_as_in_the_book(
    reader: Reader, small_book: str
) -> None:
    await reader.open(small_book)
    panel, _ = await reader.ask("How is the baker's percentage computed?")
    await expect(panel.locator(".claim .math.display mfrac")).to_be_attached()
    await expect(panel.locator(".claim .math:not(.display) msub")).to_have_count(2)
    assert await find_axe_violations(reader.page) == []
    panel, _ = await reader.ask("What are the steps of a wheat loaf?")
    await expect(panel.locator(".last .claim ol > li")).to_have_count(5)
    await expect(panel.locator(".last .claim ol strong")).to_have_text("30 minutes")
    panel, _ = await reader.ask("How does one place an access point?")
    await expect(panel.locator(".last .claim ol code")).to_have_text("iw dev wlan0 link")
    assert await find_axe_violations(reader.page) == []


async def test_a_selected_table_and_selected_code_are_answered_in_their_form(
    reader: Reader, small_book: str
) -> None:
    await reader.open(f"{small_book}/bread/flour")
    await select_words(reader.page, "main table", "Type 550")
    await reader.page.get_by_role("button", name="Ask about this").click()
    panel, _ = await reader.ask("What is type 550 used for?")
    await expect(panel.locator(".claim").get_by_role("columnheader")).to_have_count(3)
    await expect(panel.locator(".claim").get_by_role("cell", name="white rolls")).to_be_visible()
    await reader.open(f"{small_book}/network/addresses")
    await forget_conversation(reader.page)
    await reader.open(f"{small_book}/network/addresses")
    await select_words(reader.page, "main pre", "leases")
    await reader.page.get_by_role("button", name="Ask about this").click()
    panel, _ = await reader.ask("What does this code do?")
    await expect(panel.locator(".claim figure.code").first).to_contain_text("def leases(")
    assert await find_axe_violations(reader.page) == []


async def test_before_the_answer_stands_the_answer(reader: Reader, small_book: str) -> None:
    await reader.open(f"{small_book}/bread/sourdough")
    panel, _ = await reader.ask("How often is the starter fed?")
    first = panel.locator(".answer > :not(h3)").first
    await expect(first).to_have_text("Keeping")  # the section that the first words are of
    notes = panel.locator(".answer .notes")
    await expect(notes).to_have_text("The book's own words")
    box = await notes.bounding_box()
    assert box is not None
    assert box["height"] < 30
    said = await panel.inner_text()
    assert not re.search(r"OPENAI|golden|\.md\b", said)
