"""Where an answer comes from, as readers see and follow it; the real functions answer."""

from __future__ import annotations

import math
import re

import pytest
from live_book import WITHOUT_HIGHLIGHTS, Reader, folded, new_reader
from playwright.async_api import Browser, expect
from reading import forget_conversation

from tests.integration.test_sample_questions import QUESTIONS

pytestmark = pytest.mark.browser

SEVERAL_SECTIONS = (
    "Tell me about robots",
    "What is the ZMP used for?",
    "How do robots keep their balance?",
    "How do sensors, motors and control work together in walking?",
)
LINES = """element => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return new Set([...range.getClientRects()].map(each => each.top)).size;
}"""
PLACE = re.compile(r"Chapter \d+, Section \d+\.\d+, .+, Para \d+")


async def test_citations_are_one_a_section_in_the_books_order_and_say_how_relevant_each_is(
    reader: Reader, live_book: str
) -> None:
    await reader.open(live_book)
    contents = await reader.page.eval_on_selector_all(
        "nav a", "links => links.map(link => new URL(link.href).pathname)"
    )
    most, joined = 0, 0
    for question in SEVERAL_SECTIONS:
        panel, answer = await reader.ask(question)
        turn = panel.locator(".last")
        await expect(turn.locator(".asked")).to_contain_text(question)
        citations = answer["citations"]
        assert len({citation["url"] for citation in citations}) == len(citations)
        places = [
            (contents.index(citation["url"].partition("#")[0]), citation["lines"][0])
            for citation in citations
        ]
        assert places == sorted(places)
        items = turn.locator("ol.citations > li")
        assert await items.count() == len(citations)
        for citation in citations:
            item = items.nth(citation["n"] - 1)
            await expect(item.locator("a.jump")).to_have_text(
                f"[{citation['n']}] {citation['label']}"
            )
            percent = math.floor(100 * citation["relevance"] + 0.5)
            relevance = item.get_by_text(f"Relevance {percent} %", exact=True)
            shares = {math.floor(100 * each["relevance"] + 0.5) for each in citations}
            await expect(relevance).to_have_count(1 if len(shares) > 1 else 0)
        most = max(most, len(citations))
        joined += sum(len(citation["quotes"]) > 1 for citation in citations)
    assert most >= 3
    assert joined >= 1


async def test_links_of_citations_name_their_place_and_look_like_links(
    reader: Reader, live_book: str
) -> None:
    await reader.open(live_book)
    panel, answer = await reader.ask("What are the benefits of Physical AI?")
    link = panel.locator("ol a.jump").first
    style = "e => [getComputedStyle(e).textDecorationLine, getComputedStyle(e).color]"
    line, colour = await link.evaluate(style)
    assert line == "underline"
    red, green, blue = map(float, re.findall(r"[\d.]+", colour)[-3:])
    assert blue > max(red, green)
    assert await link.locator("span").evaluate(LINES) == 1  # "[1]" is not broken as its label is
    assert PLACE.fullmatch(answer["citations"][0]["label"])


@pytest.mark.parametrize("script", ["", WITHOUT_HIGHLIGHTS], ids=["highlights", "marks"])
async def test_every_citation_leads_to_its_quotes(
    browser: Browser, live_book: str, script: str
) -> None:
    questions = [row["question"] for row in QUESTIONS if "phrases" in row][1::3][:20]
    reader = await new_reader(browser, viewport={"width": 1600, "height": 800})
    if script:
        await reader.page.add_init_script(script)
    await reader.open(live_book)
    wrong, clicked = [], 0
    for question in questions:
        await forget_conversation(reader.page)  # ten a minute are one reader's limit
        await reader.open(live_book)
        panel, answer = await reader.ask(question)
        await expect(panel.locator(".asked")).to_contain_text(question)
        for citation in answer["citations"]:
            await panel.locator("ol a.jump").nth(citation["n"] - 1).click()
            shown = await reader.wait_for_highlight()
            exact = "".join(quote["exact"] for quote in citation["quotes"])
            if folded(shown) != folded(exact):
                wrong.append((question, shown, exact))
            await expect(reader.page.locator("main :focus")).to_be_in_viewport()
            await reader.page.wait_for_load_state()
            if not await panel.count():  # it gives way where it would hide the place
                await reader.page.get_by_role("button", name="Back to the answer").click()
            await expect(panel.locator(".claim").first).to_be_visible()
            clicked += 1
    await reader.context.close()
    assert wrong == []
    assert clicked >= len(questions) == 20
