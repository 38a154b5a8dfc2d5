"""What was asked and answered stays, beside the text or under a bar, until a new conversation."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Locator, Page, expect
from reading import ask, find_axe_violations, forget_conversation, select_text
from scripted_book import BALANCE, BENEFITS, OUTSIDE, ScriptedBook

pytestmark = pytest.mark.browser

FIRST, SECOND = "What keeps the balance?", "What is the capital of France?"


async def ask_twice(page: Page) -> Locator:
    panel = await ask(page, FIRST)
    await expect(panel.locator(".claim").first).to_contain_text(BENEFITS)
    await ask(page, SECOND)
    await expect(panel.get_by_text(OUTSIDE)).to_be_visible()
    return panel


async def expect_both(panel: Locator) -> None:
    await expect(panel.locator(".asked")).to_have_text([FIRST, SECOND])
    await expect(panel.locator(".turn").first.locator(".claim").first).to_contain_text(BENEFITS)
    await expect(panel.locator(".turn").last).to_contain_text(OUTSIDE)


async def test_the_conversation_stays_over_links_reload_and_back(
    page: Page, book: ScriptedBook
) -> None:
    panel = await ask_twice(page)
    await expect_both(panel)
    await panel.get_by_role("link", name="Citation 2: Chapter 2").first.click()
    await page.wait_for_url("**/docs/ch2#balance")
    await expect(page.locator("main").get_by_text(BALANCE)).to_be_in_viewport()
    await expect_both(panel)
    await page.reload()
    await expect_both(panel)
    await page.go_back()
    await page.wait_for_url("**/docs/ch1")
    await expect_both(panel)
    await page.get_by_role("navigation").get_by_role("link", name="Chapter 2").click()
    await page.wait_for_url("**/docs/ch2")
    await expect_both(panel)
    await panel.get_by_role("link", name="Benefits").click()
    await page.wait_for_url("**/docs/ch1#benefits")
    await expect_both(panel)
    assert len(book.asked("/query")) == 2


async def test_a_new_conversation_begins_without_the_one_before(
    page: Page, book: ScriptedBook
) -> None:
    panel = await ask_twice(page)
    await page.get_by_label("Your question").fill("Not sent")
    await panel.get_by_role("button", name="New conversation").click()
    await expect(panel.locator(".asked")).to_have_count(0)
    await expect(page.get_by_label("Your question")).to_be_focused()
    await expect(page.get_by_label("Your question")).to_have_value("")
    await page.reload()
    await expect(panel).to_be_visible()
    await expect(panel.locator(".asked")).to_have_count(0)
    await ask(page, FIRST)
    await expect(panel.locator(".claim").first).to_be_visible()
    sessions = [body["session_id"] for body in book.asked("/query")]
    assert sessions[0] == sessions[1] != sessions[2]


async def test_a_question_left_before_its_answer_is_asked_again(page: Page) -> None:
    await page.route("**/api/query", lambda route: None)
    panel = await ask(page, FIRST)
    await expect(panel.locator(".progress")).to_be_visible()
    await page.unroute_all(behavior="ignoreErrors")
    await page.reload()
    await expect(panel.locator(".claim").first).to_contain_text(BENEFITS)
    await expect(panel.locator(".asked")).to_have_text([FIRST])


async def test_what_is_typed_and_how_far_one_was_stay(page: Page) -> None:
    panel = await ask_twice(page)
    await page.get_by_label("Your question").fill("Half a quest")
    await panel.locator(".body").evaluate("body => body.scrollTo(0, 40)")
    await page.reload()
    await expect(page.get_by_label("Your question")).to_have_value("Half a quest")
    await expect(panel.locator(".turn").last).to_contain_text(OUTSIDE)
    assert await panel.locator(".body").evaluate("body => body.scrollTop") == 40


async def test_docked_beside_the_text_with_the_width_that_the_reader_gave_it(page: Page) -> None:
    await page.set_viewport_size({"width": 1440, "height": 900})
    panel = await ask(page, FIRST)
    await expect(panel.locator(".claim").first).to_be_visible()
    await expect(page.get_by_label("Your question")).to_be_in_viewport(ratio=1)
    edge = panel.get_by_role("separator", name="Width of the panel")
    await edge.focus()
    for _ in range(3):
        await page.keyboard.press("ArrowLeft")
    await expect(edge).to_have_attribute("aria-valuenow", "476")
    await panel.get_by_role("link", name="Citation 2: Chapter 2").first.click()
    await page.wait_for_url("**/docs/ch2#balance")
    await expect(panel).to_be_visible()
    box, text = await panel.bounding_box(), await page.locator("main").bounding_box()
    assert box is not None
    assert text is not None
    assert (box["x"], box["y"], box["width"], box["height"]) == (964, 0, 476, 900)
    assert text["x"] + text["width"] <= box["x"]
    assert await find_axe_violations(page) == []
    await page.mouse.move(966, 400)
    await page.mouse.down()
    await page.mouse.move(1_000, 400)
    await page.mouse.up()
    await expect(edge).to_have_attribute("aria-valuenow", "440")
    await panel.get_by_role("button", name="Close").click()
    assert await page.evaluate("getComputedStyle(document.documentElement).paddingRight") == "0px"


async def test_on_a_phone_it_slides_down_to_a_bar_that_brings_it_back(page: Page) -> None:
    await page.set_viewport_size({"width": 390, "height": 800})
    panel = await ask_twice(page)
    await panel.get_by_role("link", name="Citation 2: Chapter 2").first.click()
    await page.wait_for_url("**/docs/ch2#balance")
    await expect(page.locator("main").get_by_text(BALANCE)).to_be_in_viewport()
    await expect(panel).to_have_count(0)
    bar = page.get_by_role("button", name="Back to the answer")
    await expect(bar).to_be_in_viewport(ratio=1)
    assert await find_axe_violations(page) == []
    await page.reload()
    await bar.click()
    await expect_both(panel)


async def test_the_question_empties_and_a_paste_too_long_is_told_and_whole(
    page: Page, book: ScriptedBook
) -> None:
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    panel = await ask(page, FIRST)
    question = page.get_by_label("Your question")
    await expect(question).to_have_value("")
    await question.fill("Why?")
    await expect(panel.get_by_text("996 characters left")).to_be_visible()
    pasted = "What is balance? " * 71  # 1,207 characters
    await page.evaluate("text => navigator.clipboard.writeText(text)", pasted)
    await question.fill("")
    await question.press("ControlOrMeta+v")
    await expect(question).to_have_value(pasted)
    told = "207 characters too many: a question has at most 1,000."
    await expect(page.get_by_text(told, exact=True)).to_have_count(2)  # shown, and announced
    await expect(question).to_have_attribute("aria-invalid", "true")
    await question.press("Enter")
    await expect(question).to_have_value(pasted)
    assert len(book.asked("/query")) == 1


async def test_sections_are_found_as_one_types_by_keyboard(page: Page, book: ScriptedBook) -> None:
    await page.get_by_role("button", name="Ask the book").click()
    question = page.get_by_role("combobox", name="Your question")
    await expect(question).to_have_attribute("aria-expanded", "false")
    await question.press_sequentially("bala")
    options = page.get_by_role("listbox", name="Sections of the book").get_by_role("option")
    await expect(options).to_have_text(["Benefits", "Balance"])
    await expect(question).to_have_attribute("aria-expanded", "true")
    await expect(page.get_by_text("2 sections", exact=True)).to_be_attached()
    await page.keyboard.press("ArrowUp")
    await expect(options.last).to_have_attribute("aria-selected", "true")
    active = await question.get_attribute("aria-activedescendant")
    assert active == await options.last.get_attribute("id")
    await expect(question).to_be_focused()
    assert await find_axe_violations(page) == []
    await page.keyboard.press("Escape")
    await expect(options).to_have_count(0)
    await expect(page.get_by_role("dialog")).to_be_visible()
    await page.keyboard.type("n")
    await expect(options).to_have_count(2)
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/docs/ch2#balance")
    assert book.asked("/query") == []


async def test_enter_asks_while_sections_are_listed(page: Page, book: ScriptedBook) -> None:
    await page.get_by_role("button", name="Ask the book").click()
    await page.get_by_label("Your question").press_sequentially("balance")
    await expect(page.get_by_role("option")).to_have_count(2)
    await page.keyboard.press("ArrowDown")
    await page.keyboard.type("?")  # what is typed after an option was reached is asked
    await page.keyboard.press("Enter")
    await expect(page.locator(".claim").first).to_be_visible()
    await expect(page.get_by_role("option")).to_have_count(0)
    assert [body["question"] for body in book.asked("/query")] == ["balance?"]


async def test_the_page_suggests_its_questions(page: Page, book: ScriptedBook) -> None:
    await page.evaluate("document.querySelector('quoth-widget').removeAttribute('suggestions')")
    await page.get_by_role("button", name="Ask the book").click()
    suggested = page.get_by_role("button", name="What is in docs/ch1.md?")
    await suggested.click()
    await expect(page.locator(".claim").first).to_be_visible()
    assert book.asked("/query")[0]["question"] == "What is in docs/ch1.md?"
    await expect(suggested).to_have_count(0)


@pytest.mark.parametrize("name", ["Explain", "Summarise"])
async def test_a_passage_is_explained_and_summarised_at_a_press(
    page: Page, book: ScriptedBook, name: str
) -> None:
    await select_text(page, "first")
    assert await find_axe_violations(page) == []
    await page.get_by_role("button", name=name).click()
    await expect(page.locator(".asked")).to_have_text(f"{name} this.")
    (sent,) = book.asked("/query-selected-text")
    assert (sent["question"], sent["selected_text"][:7]) == (f"{name} this.", "A robot")


async def test_a_term_is_explained_from_the_book(page: Page, book: ScriptedBook) -> None:
    await select_text(page, "short")
    await expect(page.get_by_role("button", name="Summarise")).to_have_count(0)
    await page.get_by_role("button", name="Explain").click()
    await expect(page.locator(".claim").first).to_be_visible()
    assert book.asked("/query")[0]["question"] == "Explain Robots fall."


async def test_takes_nothing_that_was_stored_in_another_form(
    page: Page, book: ScriptedBook
) -> None:
    for stored in ("[", "{}", '{"turns": [{}], "panel": "open"}', '{"turns": "x"}'):
        await forget_conversation(page)
        await page.evaluate("text => sessionStorage.setItem('quoth-conversation', text)", stored)
        await page.goto(f"{book.url}/docs/ch1")
        await expect(page.get_by_role("button", name=re.compile("Ask the book"))).to_be_visible()
