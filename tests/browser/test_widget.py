"""The widget asks, in a real browser, an API that plays every part of the contract."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect
from reading import ask, find_axe_violations
from scripted_book import BALANCE, BENEFITS, OUTSIDE, QUEUED_SENTENCE, XSS, ScriptedBook

pytestmark = pytest.mark.browser
COUNT_LISTENERS = """
globalThis.listening = new Set();
const names = new Map();
const nameOf = listener => names.get(listener) ?? names.set(listener, names.size).get(listener);
for (const target of [document, window]) {
  const { addEventListener: add, removeEventListener: remove } = target;
  target.addEventListener = function (type, listener, ...rest) {
    listening.add(`${type} ${nameOf(listener)}`);
    return add.call(target, type, listener, ...rest);
  };
  target.removeEventListener = function (type, listener, ...rest) {
    listening.delete(`${type} ${nameOf(listener)}`);
    return remove.call(target, type, listener, ...rest);
  };
}
"""


async def test_opens_with_the_focus_in_the_question_and_gives_it_back(page: Page) -> None:
    launcher = page.get_by_role("button", name="Ask the book", exact=True)
    await launcher.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Your question")).to_be_focused()
    assert await find_axe_violations(page) == []
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(launcher).to_be_focused()


async def test_shows_each_sentence_with_its_citations_and_marks_what_is_reworded(
    page: Page, book: ScriptedBook
) -> None:
    await page.context.add_cookies([{"name": "login", "value": "secret", "url": book.url}])
    panel = await ask(page, "What are the benefits of Physical AI?")
    first = panel.locator(".claim").first
    await expect(first).to_contain_text(BENEFITS)
    await expect(first.get_by_role("link", name="Citation 1: Chapter 1")).to_be_visible()
    marks = [
        await claim.locator("details").count() for claim in await panel.locator(".claim").all()
    ]
    assert marks == [0, 0, 1]
    await expect(panel.get_by_role("listitem").get_by_text(BALANCE)).to_be_visible()
    await expect(panel.get_by_text("Vector search unavailable")).to_be_visible()
    await expect(panel.get_by_text("The book's own words")).to_be_visible()
    await expect(panel.get_by_role("status").get_by_text(BENEFITS)).to_be_visible()
    assert await find_axe_violations(page) == []
    [request] = book.asked("/query")
    assert request["mode"] == "book-wide"
    assert request["page"] == {"source_path": "docs/ch1.md"}
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", request["session_id"])
    assert book.asked("/search")[0]["q"] == request["question"]
    assert {body["_cookie"] for _, body in book.requests} == {None}


async def test_shows_matching_sections_while_the_answer_is_written(
    page: Page, book: ScriptedBook
) -> None:
    panel = await ask(page, "Please queue this question")
    await expect(panel.get_by_text("Sections that match")).to_be_visible()
    await expect(panel.get_by_role("link", name="Benefits")).to_be_visible()


@pytest.mark.parametrize("query", ["", "?dark"])
async def test_errors_and_dark_pages_pass_axe(page: Page, book: ScriptedBook, query: str) -> None:
    await page.goto(f"{book.url}/docs/ch1{query}")
    panel = await ask(page, "What are the benefits?")
    await expect(panel.locator(".claim").first).to_be_visible()
    assert await find_axe_violations(page) == []
    await ask(page, "broken")
    await expect(panel.get_by_role("button", name="Retry")).to_be_visible()
    assert await find_axe_violations(page) == []


async def test_a_refusal_shows_its_sentence_and_the_closest_sections(page: Page) -> None:
    panel = await ask(page, "What is the capital of France?")
    await expect(panel.get_by_text(OUTSIDE)).to_be_visible()
    await expect(panel.get_by_role("heading", name="The nearest the book has")).to_be_visible()
    assert await find_axe_violations(page) == []
    await panel.get_by_role("link", name="Benefits").click()
    await expect(page.locator("#benefits")).to_be_in_viewport()


async def test_waits_in_the_queue_and_asks_again_with_its_ticket(
    page: Page, book: ScriptedBook
) -> None:
    panel = await ask(page, "Please queue this question")
    # The estimate counts down, so only the rest of the sentence stands still.
    beginning = QUEUED_SENTENCE.split("~")[0]
    await expect(panel.get_by_text(beginning)).to_be_visible(timeout=15_000)
    book.may_poll.set()
    await expect(panel.get_by_text("position 4")).to_be_visible()
    book.may_run.set()
    await expect(panel.locator(".claim").first).to_contain_text(BENEFITS)
    assert [body.get("ticket") for body in book.asked("/query")] == [None, "t/1"]
    assert book.asked("/tickets/t%2F1") != []


async def test_too_many_questions_keep_the_question_and_can_be_retried(page: Page) -> None:
    panel = await ask(page, "Is this too many?")
    alert = panel.get_by_role("alert")
    await expect(alert).to_contain_text("Please try again in 7 seconds.")
    await expect(panel.get_by_label("Your question")).to_have_value("Is this too many?")
    await alert.get_by_role("button", name="Retry").click()
    await expect(panel.locator(".claim").first).to_contain_text(BENEFITS)
    await expect(alert).to_be_empty()


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("broken", "Something went wrong on our side."),
        ("malformed", "AI assistant is temporarily unavailable."),
        ("full", "System at capacity."),
    ],
)
async def test_says_what_went_wrong(page: Page, question: str, sentence: str) -> None:
    panel = await ask(page, question)
    await expect(panel.get_by_role("alert")).to_contain_text(sentence)
    await expect(panel.get_by_role("button", name="Retry")).to_be_visible()


async def test_says_when_the_network_is_gone(page: Page) -> None:
    await page.get_by_role("button", name="Ask the book").click()
    await page.context.set_offline(True)
    panel = await ask(page, "Is anyone there?")
    await expect(panel.get_by_role("alert")).to_contain_text("could not be reached")
    await page.context.set_offline(False)
    await panel.get_by_role("button", name="Retry").click()
    await expect(panel.locator(".claim").first).to_be_visible()


@pytest.mark.parametrize("question", ["hostile", "hostile error"])
async def test_markup_in_any_field_stays_text(page: Page, question: str) -> None:
    panel = await ask(page, question)
    await expect(panel.get_by_text(XSS).first).to_be_visible()
    links = await panel.get_by_role("link").evaluate_all("all => all.map(a => a.href)")
    for link in links:
        assert link.startswith(page.url.removesuffix("ch1"))
    if links:
        await panel.get_by_role("link").first.click()
    assert await panel.locator("img, script, iframe").count() == 0
    assert await page.evaluate("'pwned' in window") is False


async def test_counts_the_characters_near_the_end(page: Page, book: ScriptedBook) -> None:
    await ask(page, "")
    await expect(page.locator("#problem")).to_have_text("Please type a question.")
    await page.get_by_label("Your question").fill("x" * 990)
    await expect(page.get_by_text("10 characters left")).to_be_visible()
    assert book.asked("/query") == []


async def test_moves_and_leaves_without_a_trace(page: Page, book: ScriptedBook) -> None:
    await page.add_init_script(COUNT_LISTENERS)
    await page.goto(f"{book.url}/docs/ch1")
    await page.evaluate("document.body.prepend(document.querySelector('quoth-widget'))")
    panel = await ask(page, "Still listening?")
    await expect(panel.locator(".claim").first).to_be_visible()
    assert await page.evaluate("listening.size") > 0
    await page.evaluate("document.querySelector('quoth-widget').destroy()")
    assert await page.evaluate("listening.size") == 0
    await expect(page.locator("quoth-widget")).to_have_count(0)


async def test_page_scripts_can_ask_and_hear_the_answer(page: Page) -> None:
    answer = await page.evaluate(
        """() => new Promise(resolve => {
          addEventListener("quoth-answer", event => resolve(event.detail));
          document.querySelector("quoth-widget").ask("What is it for?");
        })"""
    )
    assert answer["question"] == "What is it for?"
    assert answer["answer"]["status"] == "answered"
