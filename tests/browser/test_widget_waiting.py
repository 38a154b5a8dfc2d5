"""Questions that wait, or get no answer: the right sentence, and nothing typed is lost."""

from __future__ import annotations

import asyncio
import json

import pytest
from playwright.async_api import Page, Route, expect
from reading import ask
from scripted_book import BENEFITS, UNAVAILABLE, ScriptedBook

pytestmark = pytest.mark.browser


async def test_a_lost_connection_while_queued_is_tried_again(
    page: Page, book: ScriptedBook
) -> None:
    lost = 0

    async def lose(route: Route) -> None:
        nonlocal lost
        lost += 1
        await (route.abort() if lost < 3 else route.fallback())

    book.may_poll.set()
    book.may_run.set()
    await page.route("**/api/tickets/**", lose)
    panel = await ask(page, "Please queue this")
    await expect(panel.locator(".claim").first).to_contain_text(BENEFITS, timeout=15_000)
    assert lost == 3


async def test_a_connection_that_stays_lost_is_told_and_nothing_typed_is_lost(page: Page) -> None:
    await page.route("**/api/tickets/**", lambda route: route.abort())
    panel = await ask(page, "Please queue this")
    await expect(panel.get_by_role("alert").first).to_contain_text(
        "could not be reached", timeout=20_000
    )
    await expect(panel.get_by_label("Your question")).to_have_value("Please queue this")


@pytest.mark.parametrize(
    ("status", "body"),
    [(502, "<h1>Bad Gateway</h1>"), (503, ""), (504, "null"), (200, "[]"), (200, "nonsense")],
)
async def test_a_reply_that_is_none_is_told_in_a_sentence(
    page: Page, status: int, body: str
) -> None:
    await page.route("**/api/query", lambda route: route.fulfill(status=status, body=body))
    panel = await ask(page, "What is it?")
    await expect(panel.get_by_role("alert").first).to_contain_text(UNAVAILABLE)


async def test_a_time_out_is_told(page: Page) -> None:
    async def never(route: Route) -> None:
        """Left without an answer."""

    await page.clock.install()
    await page.route("**/api/query", never)
    panel = await ask(page, "What is it?")
    await expect(panel.get_by_text("Checking an answer")).to_be_visible()
    await page.clock.fast_forward(46_000)
    await expect(panel.get_by_role("alert").first).to_contain_text("taking too long")


async def test_a_question_for_later_is_kept_from_page_to_page_until_its_answer_is_there(
    page: Page, book: ScriptedBook
) -> None:
    tokens = iter(["first", "second"])
    seen: list[str | None] = []

    async def give_token(route: Route) -> None:
        await route.fulfill(body=json.dumps({"token": next(tokens)}))

    async def expire_once(route: Route) -> None:
        seen.append(route.request.headers.get("authorization"))
        await (route.fulfill(status=401, body="{}") if len(seen) == 1 else route.fallback())

    await page.route("**/api/session", give_token)
    await page.route("**/api/tickets/**", expire_once)
    panel = await ask(page, "May it come later?")
    kept = f"{UNAVAILABLE} Your question is kept"
    await expect(panel.get_by_role("status").get_by_text(kept)).to_be_visible()
    await expect(panel.get_by_role("alert").first).to_be_empty()
    while len(seen) < 2:
        await page.wait_for_timeout(50)
    assert seen[:2] == ["Bearer first", "Bearer second"]
    await page.unroute("**/api/session")
    await page.goto(f"{book.url}/docs/ch2")
    await expect(panel.get_by_text(kept)).to_be_visible()
    await expect(panel.locator(".asked")).to_have_text("May it come later?")
    await page.get_by_label("Your question").focus()
    await page.keyboard.press("Escape")
    book.may_run.set()
    await page.get_by_role("button", name="Your answer is here").click()
    await expect(panel.locator(".claim").first).to_contain_text(BENEFITS)
    await expect(panel.locator(".asked")).to_contain_text("May it come later?")
    assert len(book.asked("/query")) == 1
    assert await page.evaluate("sessionStorage.getItem('quoth-deferred')") is None


async def test_a_question_for_later_gives_way_to_the_next(page: Page, book: ScriptedBook) -> None:
    panel = await ask(page, "May it come later?")
    await expect(panel.get_by_text("Your question is kept")).to_be_visible()
    await ask(page, "What are the benefits?")
    await expect(panel.locator(".claim").first).to_contain_text(BENEFITS)
    assert await page.evaluate("sessionStorage.getItem('quoth-deferred')") is None


async def test_seconds_are_counted_down_where_the_parts_of_answers_come_late(
    page: Page, book: ScriptedBook
) -> None:
    shown = asyncio.Event()

    async def come_late(route: Route) -> None:
        await shown.wait()
        await route.continue_()

    await page.route("**/quoth-answer-view.js", come_late)
    alert = (await ask(page, "Is this too many?")).get_by_role("alert")
    await expect(alert).to_contain_text("Please try again in 7 seconds.")
    shown.set()
    await expect(alert.locator("quoth-countdown")).to_be_visible()


async def test_seconds_are_counted_down(page: Page, book: ScriptedBook) -> None:
    await page.clock.install(time=0)
    await page.clock.pause_at(1_000)
    panel = await ask(page, "Is this too many?")
    alert = panel.get_by_role("alert").locator("quoth-countdown")  # loaded with the first answer
    await expect(alert).to_contain_text("Please try again in 7 seconds.")
    await page.clock.run_for(4_000)
    await expect(alert).to_contain_text("Please try again in 3 seconds.")
    await page.clock.run_for(4_000)
    await expect(alert).to_contain_text("You can ask again now.")
    await ask(page, "Please queue this")
    await expect(panel.get_by_text("position 23, ~15 seconds")).to_be_visible()
    await page.clock.run_for(6_000)
    await expect(panel.get_by_text("position 23, ~9 seconds")).to_be_visible()
    await page.clock.run_for(10_000)
    await expect(panel.get_by_text("Your turn comes any moment now.")).to_be_visible()
    await expect(panel.locator(".asked").last).to_have_text("Please queue this")
