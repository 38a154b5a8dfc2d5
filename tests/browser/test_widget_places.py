"""From the answer to its place in the page, and from text in the page to a question."""

from __future__ import annotations

import json

import pytest
from live_book import HIGHLIGHTED, WITHOUT_HIGHLIGHTS, folded
from playwright.async_api import Page, expect
from reading import ask, find_axe_violations, select_text
from scripted_book import BALANCE, BENEFITS, NOT_IN_SELECTION, ScriptedBook, answer, cite

pytestmark = pytest.mark.browser

KATEX = """<span class="katex"><span class="katex-mathml"><math><semantics>
<mrow><msub><mi>q</mi><mn>1</mn></msub></mrow>
<annotation encoding="application/x-tex">q_1</annotation>
</semantics></math></span><span class="katex-html">q<sub>1</sub></span></span>"""
MATHML = "<math><msub><mi>q</mi><mn>{}</mn></msub></math>"
FORMULAS = f"""<h2 id="angles">Angles</h2><p>Let {KATEX} be the shoulder.
It turns. <em>The elbow</em> is
{MATHML.format(2)}.</p><ul> <li>The wrist</li> <li>is {MATHML.format(3)} here.</li> </ul>"""
IN_FORMULAS = {
    "Let $q_1$ be the shoulder.": "Let q_1 be the shoulder.",
    "It turns.": "It turns.",
    "The elbow is $q_2$.": "The elbow is q2.",
    "The wrist is $q_{3}$ here.": "The wrist is q3 here.",
}


async def test_a_mark_leads_to_the_quote_in_the_same_page(page: Page) -> None:
    panel = await ask(page, "What are the benefits?")
    await panel.get_by_role("link", name="Citation 1").click()
    await page.wait_for_function(f"({HIGHLIGHTED})() !== ''")
    highlighted = await page.evaluate(HIGHLIGHTED)
    assert " ".join(highlighted.split()) == BENEFITS
    await expect(page.locator("#benefits + p")).to_be_in_viewport()
    await expect(page.locator("#benefits + p")).to_be_focused()
    assert page.url.endswith("/docs/ch1#benefits")


async def test_a_mark_leads_to_the_quote_in_another_page(page: Page) -> None:
    panel = await ask(page, "What keeps the balance?")
    await panel.get_by_role("link", name="Citation 2: Chapter 2").first.click()
    await page.wait_for_url("**/docs/ch2#balance")
    await page.wait_for_function(f"({HIGHLIGHTED})() !== ''")
    assert await page.evaluate(HIGHLIGHTED) == BALANCE
    await expect(page.locator("main").get_by_text(BALANCE)).to_be_in_viewport()
    assert await page.evaluate("sessionStorage.getItem('quoth-place')") is None


async def test_marks_the_quote_where_highlights_are_unknown(page: Page) -> None:
    await page.evaluate("delete CSS.highlights; delete Object.getPrototypeOf(CSS).highlights")
    await page.evaluate("globalThis.Highlight = undefined")
    before = await page.locator("main").inner_html()
    panel = await ask(page, "What are the benefits?")
    lightly = page.locator("mark.quoth-quoted")
    await expect(lightly.first).to_be_attached()
    assert " ".join("".join(await lightly.all_text_contents()).split()) == BENEFITS
    await panel.get_by_role("link", name="Citation 1").click()
    await expect(page.locator("mark.quoth-quote").first).to_be_visible()
    marks = await page.locator("mark.quoth-quote").all_text_contents()
    assert " ".join("".join(marks).split()) == BENEFITS
    await page.evaluate("document.querySelector('quoth-widget').destroy()")
    after = await page.locator("main").inner_html()
    assert after.replace(' open=""', "").replace(' tabindex="-1"', "") == before


@pytest.mark.parametrize("script", ["0", WITHOUT_HIGHLIGHTS], ids=["highlights", "marks"])
async def test_quotes_with_formulas_and_beside_them_are_found(page: Page, script: str) -> None:
    await page.evaluate(script)
    await page.evaluate(
        "html => document.querySelector('main').insertAdjacentHTML('beforeend', html)", FORMULAS
    )
    before = await page.locator("main").inner_html()
    citations = [
        cite(n, exact, "/docs/ch1#angles", f"Sentence {n}")
        for n, exact in enumerate(IN_FORMULAS, start=1)
    ]
    body = json.dumps(answer(citations=citations))
    await page.route("**/api/query", lambda route: route.fulfill(body=body))
    panel = await ask(page, "Which angles?")
    for n, shown in enumerate(IN_FORMULAS.values(), start=1):
        link = panel.locator("ol a.jump").nth(n - 1)
        # Not for a moment does the page point at what was asked for before.
        assert await link.evaluate(f"link => {{ link.click(); return ({HIGHLIGHTED})() }}") == ""
        await page.wait_for_function(f"({HIGHLIGHTED})() !== ''")
        assert folded(await page.evaluate(HIGHLIGHTED)) == folded(shown)
        await expect(page.locator("mark.quoth-quote math mark, ul > mark")).to_have_count(0)
    await page.evaluate("document.querySelector('quoth-widget').destroy()")
    after = await page.locator("main").inner_html()
    assert after.replace(' tabindex="-1"', "") == before


async def test_the_sheet_on_a_phone_gives_way_to_the_place_it_leads_to(page: Page) -> None:
    await page.set_viewport_size({"width": 375, "height": 720})
    panel = await ask(page, "What are the benefits?")
    box = await panel.bounding_box()
    assert box is not None
    assert (box["x"], box["width"]) == (0, 375)
    await panel.get_by_role("link", name="Citation 1").click()
    await expect(panel).to_have_count(0)
    await expect(page.locator("#benefits + p")).to_be_in_viewport()
    bar = page.get_by_role("button", name="Back to the answer")
    box = await bar.bounding_box()
    assert box is not None
    assert (box["x"], box["width"], box["y"] + box["height"]) == (0, 375, 720)
    assert await find_axe_violations(page) == []
    await bar.click()
    await expect(panel.locator(".claim").first).to_contain_text(BENEFITS)


TOLD = ("Robots fall.", "A robot is a machine", "It needs sensors to see")


@pytest.mark.parametrize("script", ["", WITHOUT_HIGHLIGHTS], ids=["highlights", "marks"])
@pytest.mark.parametrize("at", ["/docs/ch1", "/docs/ch2"])
async def test_the_mark_beside_a_claim_lights_up_its_own_quotes(
    page: Page, book: ScriptedBook, at: str, script: str
) -> None:
    await page.set_viewport_size({"width": 1800, "height": 800})  # the panel hides no text
    if script:
        await page.add_init_script(script)
    await page.goto(book.url + at)
    before = await page.locator("main").inner_html()
    quotes = [{"exact": exact, "prefix": "", "suffix": ""} for exact in TOLD]
    citation = cite(1, TOLD[0], "/docs/ch1", "Chapter 1") | {"quotes": quotes}
    own = ([0], [2], [1, 2], [2, 1])
    claims = [
        {
            "text": f"Claim {n}.",
            "citations": [1],
            "verification": "close",
            "quotes": [{"n": 1, "quote": quote} for quote in each],
        }
        for n, each in enumerate(own, 1)
    ]
    body = json.dumps(answer(claims=claims, citations=[citation]))
    await page.route("**/api/query", lambda route: route.fulfill(body=body))
    panel = await ask(page, "What is a robot?")
    for n, each in enumerate(own):
        mark = panel.locator(".claim").nth(n).get_by_role("link", name="Citation 1")
        told = [TOLD[quote] for quote in each]
        assert await mark.get_attribute("title") == " … ".join(told)
        await mark.click()
        await page.wait_for_function(f"({HIGHLIGHTED})() !== ''")
        lit = folded(await page.evaluate(HIGHLIGHTED))
        assert lit == folded("".join(sorted(told)))
        place = page.locator("#short" if each == [0] else "#first")
        await expect(place).to_be_focused()
        await expect(place).to_be_in_viewport()
    await page.evaluate("document.querySelector('quoth-widget').destroy()")
    after = await page.locator("main").inner_html()
    if at == "/docs/ch1":
        assert after.replace(' tabindex="-1"', "") == before


async def test_a_page_with_its_own_router_can_take_over(page: Page) -> None:
    await page.evaluate(
        "addEventListener('quoth-navigate', e => { e.preventDefault(); window.went = e.detail })"
    )
    panel = await ask(page, "What keeps the balance?")
    await panel.get_by_role("link", name="Citation 2: Chapter 2").first.click()
    went = await page.evaluate("window.went")
    assert went["quote"]["exact"] == BALANCE
    assert went["url"].endswith("/docs/ch2#balance")
    assert went["samePage"] is False
    assert page.url.endswith("/docs/ch1")


async def test_asks_about_the_selected_text_alone(page: Page, book: ScriptedBook) -> None:
    await select_text(page, "first")
    await page.get_by_role("button", name="Ask about this").click()
    panel = page.get_by_role("dialog")
    await expect(panel.get_by_role("radio", name="Only this text")).to_be_checked()
    await expect(panel.get_by_role("figure")).to_contain_text("A robot is a machine")
    await expect(panel.get_by_text("Selected text, 38 words")).to_be_visible()
    await ask(page, "What are Vision-Language-Action models?")
    await expect(panel.get_by_text(NOT_IN_SELECTION)).to_be_visible()
    assert await find_axe_violations(page) == []
    [request] = book.asked("/query-selected-text")
    assert set(request) == {"question", "selected_text", "session_id", "source", "_cookie"}
    assert request["source"] == {"permalink": "/docs/ch1"}
    assert request["selected_text"].startswith("A robot is a machine")
    assert book.asked("/search") == []
    await panel.get_by_role("button", name="Ask the whole book").click()
    await expect(panel.locator(".claim").first).to_be_visible()
    await expect(panel.get_by_text("Answers from: Whole book")).to_be_visible()
    assert book.asked("/query")[0]["question"] == request["question"]


async def test_opening_with_a_selection_leaves_the_choice_to_the_reader(page: Page) -> None:
    await select_text(page, "first")
    await expect(page.get_by_role("button", name="Ask about this")).to_be_visible()
    await page.get_by_role("button", name="Ask the book").click()
    await expect(page.get_by_role("radio", name="Whole book")).to_be_checked()
    await page.get_by_role("radio", name="Only this text").check()
    await expect(page.get_by_role("figure")).to_contain_text("A robot is a machine")


async def test_the_keyboard_alone_can_ask_about_a_selection(page: Page) -> None:
    await select_text(page, "first")
    await expect(page.get_by_role("button", name="Ask about this")).to_be_visible()
    await page.keyboard.press("Alt+q")
    await expect(page.get_by_role("radio", name="Only this text")).to_be_checked()
    await expect(page.get_by_label("Your question")).to_be_focused()


async def test_a_short_selection_is_not_sent(page: Page, book: ScriptedBook) -> None:
    await select_text(page, "short")
    await page.get_by_role("button", name="Ask about this").click()
    panel = await ask(page, "Why do they fall?")
    await expect(panel.get_by_text("Please select at least 20 words")).to_be_visible()
    assert book.asked("/query-selected-text") == []
    await panel.get_by_role("button", name="Ask the whole book").click()
    await expect(panel.locator(".claim").first).to_be_visible()


async def test_a_long_selection_is_cut_and_says_so(page: Page, book: ScriptedBook) -> None:
    await page.evaluate("document.getElementById('first').textContent = 'word '.repeat(3000)")
    await select_text(page, "first")
    await page.get_by_role("button", name="Ask about this").click()
    panel = await ask(page, "What does it say?")
    await expect(
        panel.get_by_text("⚠️ Selected text is long; truncated to 2000 tokens.")
    ).to_be_visible()
    await expect(panel.get_by_text(NOT_IN_SELECTION)).to_be_visible()
    [request] = book.asked("/query-selected-text")
    assert len(request["selected_text"].split()) == 1538
