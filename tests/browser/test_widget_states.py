"""Every state of the widget: readable by all, still where it was, and honest about what failed."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect
from reading import ask, find_axe_violations, forget_conversation, select_text
from scripted_book import ANSWERED, QUEUED_SENTENCE, ScriptedBook, answer

pytestmark = pytest.mark.browser

SHIFTS = """() => new Promise(resolve => {
  let sum = 0;
  new PerformanceObserver(list => {
    // What follows a reader's own act at once is no surprise.
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
  }).observe({type: "layout-shift", buffered: true});
  setTimeout(() => resolve(sum), 300);
})"""


async def show_waiting(page: Page) -> None:
    async def never(route: Route) -> None:
        """Left without an answer."""

    await page.route("**/api/query", never)
    panel = await ask(page, "Is it slow?")
    await expect(panel.get_by_text("Checking an answer")).to_be_visible()


async def show_queued(page: Page) -> None:
    panel = await ask(page, "Please queue this")
    await expect(panel.get_by_text(QUEUED_SENTENCE.split("~")[0])).to_be_visible()


async def show_answer(page: Page) -> None:
    panel = await ask(page, "What are the benefits?")
    await expect(panel.locator(".last").get_by_text("Was this helpful?")).to_be_visible()


async def show_reason(page: Page) -> None:
    await show_answer(page)
    await page.get_by_role("button", name="No", exact=True).click()


async def show_refusal(page: Page) -> None:
    await expect(
        (await ask(page, "Is it France?")).get_by_text("The nearest the book has")
    ).to_be_visible()


async def show_error(page: Page) -> None:
    await expect((await ask(page, "broken")).get_by_role("alert").first).to_contain_text("wrong")


async def show_selection(page: Page) -> None:
    await select_text(page, "first")
    await page.get_by_role("button", name="Ask about this").click()


async def show_open(page: Page) -> None:
    await page.get_by_role("button", name="Ask the book").click()


async def show_closed(page: Page) -> None:
    await expect(page.get_by_role("button", name="Ask the book")).to_be_visible()


async def show_kept(page: Page) -> None:
    panel = await ask(page, "May it come later?")
    await expect(panel.get_by_text("Your question is kept")).to_be_visible()


async def show_too_many(page: Page) -> None:
    sentence = {"message": "You can ask 10 questions a minute. Please try again in 7 seconds."}
    body = json.dumps(sentence)
    await page.route("**/api/query", lambda route: route.fulfill(status=429, body=body))
    panel = await ask(page, "Is this it?")
    await expect(panel.get_by_role("alert").first).to_contain_text("try again in")


async def show_earlier(page: Page) -> None:
    await show_answer(page)
    panel = await ask(page, "And France?")
    await expect(panel.get_by_text("The nearest the book has")).to_be_visible()
    await expect(panel.locator(".asked")).to_have_count(2)


async def show_found(page: Page) -> None:
    await show_open(page)
    await page.get_by_label("Your question").press_sequentially("benef")
    await expect(page.get_by_role("option")).to_have_count(2)
    await page.keyboard.press("ArrowDown")


async def show_too_long(page: Page) -> None:
    await show_open(page)
    await page.get_by_label("Your question").fill("x" * 1_200)
    await expect(page.locator("#problem")).to_contain_text("200 characters too many")


def place(text: str, words: str) -> list[int]:
    return [text.index(words), text.index(words) + len(words)]


def part(text: str, form: str, words: str, **more: Any) -> dict[str, Any]:
    start, end = place(text, words)
    return {"form": form, "start": start, "end": end} | more


FORMS = "Call stop() at $x^2$.\nPart | Rate\neye | 20\nact(1)"
FORMED = {
    "text": FORMS,
    "citations": [1],
    "verification": "verbatim",
    "parts": [
        part(FORMS, "prose", "Call stop() at $x^2$."),
        part(FORMS, "table", "Part | Rate\neye | 20",
             header=[place(FORMS, "Part"), place(FORMS, "Rate")],
             rows=[[place(FORMS, "eye"), place(FORMS, "20")]]),
        part(FORMS, "code", "act(1)", language="python"),
    ],
    "emphasis": [place(FORMS, "eye | 20")],
    "styles": [
        {"start": 0, "end": 11, "style": "strong"},
        {"start": 5, "end": 11, "style": "code"},
    ],
}  # fmt: skip


async def show_forms(page: Page) -> None:
    body = json.dumps(answer(claims=[FORMED], citations=ANSWERED["citations"][:1]))
    await page.route("**/api/query", lambda route: route.fulfill(body=body))
    panel = await ask(page, "In which form?")
    await expect(panel.locator(".claim strong code")).to_have_text("stop()")
    await expect(panel.locator(".claim math")).to_be_attached()
    await panel.locator(".copy summary").click()


async def show_reworded(page: Page) -> None:
    """An answer that is reworded throughout, with a notice."""
    claims = [ANSWERED["claims"][2]] * 2
    notices = [{"code": "draft_rejected", "text": "The server's own words for it."}]
    reply = answer(claims=claims, citations=ANSWERED["citations"], notices=notices)
    body = json.dumps(reply)
    await page.route("**/api/query", lambda route: route.fulfill(body=body))
    panel = await ask(page, "In other words?")
    await expect(panel.locator(".notes")).to_contain_text("A written answer did not pass")


STATES: list[Callable[[Page], Awaitable[None]]] = [
    show_closed, show_open, show_waiting, show_queued, show_answer, show_reason, show_refusal,
    show_error, show_selection, show_kept, show_too_many, show_earlier, show_found, show_too_long,
    show_forms, show_reworded,
]  # fmt: skip


@pytest.mark.parametrize("width", [1280, 390], ids=["desktop", "phone"])
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_nothing_in_any_state(
    page: Page, book: ScriptedBook, theme: str, width: int
) -> None:
    await page.set_viewport_size({"width": width, "height": 800})
    found = {}
    for show in STATES:
        await page.unroute_all()
        await page.goto(f"{book.url}/docs/ch1?{theme}")
        await forget_conversation(page)
        await page.reload()
        await show(page)
        if violations := await find_axe_violations(page):
            found[show.__name__] = violations
    assert found == {}


SMALL = """() => {
  const roots = [document.querySelector("quoth-widget").shadowRoot];
  const inner = roots[0].querySelector("quoth-feedback");
  if (inner) roots.push(inner.shadowRoot);
  const all = roots.flatMap(root =>
    [...root.querySelectorAll(
      "button, #question, .modes summary, [role=option], label.choice, ol a, ul a")]);
  return all.filter(e => e.checkVisibility() && !e.matches(".mark"))
    .map(e => [e.textContent.trim(), e.getBoundingClientRect()])
    .filter(([, box]) => box.height < 43.5 || box.left < 0 || box.right > innerWidth)
    .map(([text, box]) => [text, box.height, box.left, box.right]);
}"""


@pytest.mark.parametrize("width", [320, 375])
async def test_everything_that_is_pressed_is_large_enough_and_on_the_screen(
    page: Page, book: ScriptedBook, width: int
) -> None:
    await page.set_viewport_size({"width": width, "height": 720})
    small = {}
    for show in STATES:
        await page.unroute_all()
        await forget_conversation(page)
        await page.goto(f"{book.url}/docs/ch1")
        await show(page)
        if found := await page.evaluate(SMALL):
            small[show.__name__] = found
    assert small == {}


async def test_nothing_in_the_page_moves(page: Page, book: ScriptedBook) -> None:
    await show_answer(page)
    await page.get_by_role("button", name="Close").click()
    assert await page.evaluate(SHIFTS) == 0


SCRIPTS = "() => performance.getEntriesByType('resource').map(e => e.name.split('/').at(-1))"


@pytest.mark.parametrize(("language", "name"), [("en", "Ask the book"), ("de", "Das Buch fragen")])
async def test_what_is_loaded_is_what_the_build_measures(
    page: Page, book: ScriptedBook, language: str, name: str
) -> None:
    path = Path(__file__).parents[2] / "widget" / "budgets.json"
    before, after = (
        set(b["files"]) for b in json.loads(path.read_text()) if b["language"] == language
    )

    async def scripts() -> set[str]:
        return {name for name in await page.evaluate(SCRIPTS) if name.endswith(".js")}

    await speak(page, language)
    await page.goto(f"{book.url}/docs/ch1")
    await page.get_by_role("button", name=name).wait_for()
    await page.wait_for_load_state("networkidle")
    assert await scripts() == before
    await page.get_by_role("button", name=name).click()
    await page.get_by_role("combobox").press_sequentially("Why?")
    await page.keyboard.press("Enter")
    await page.locator("quoth-feedback").wait_for()
    await page.wait_for_load_state("networkidle")
    assert await scripts() == after


async def speak(page: Page, language: str) -> None:
    """Serves the page in another language."""

    async def translate(route: Route) -> None:
        reply = await route.fetch()
        text = (await reply.text()).replace('lang="en"', f'lang="{language}"')
        await route.fulfill(response=reply, body=text)

    await page.route("**/docs/ch1", translate)


async def test_a_german_page_has_a_german_panel(page: Page, book: ScriptedBook) -> None:
    await speak(page, "de-CH")
    await page.goto(f"{book.url}/docs/ch1")
    await page.get_by_role("button", name="Das Buch fragen").click()
    await page.get_by_label("Ihre Frage").fill("Wozu?")
    await page.keyboard.press("Enter")
    await expect(page.locator(".claim summary")).to_have_accessible_name("Umformuliert")
    await page.locator(".claim summary").click()
    await expect(page.get_by_text("ein Sprachmodell hat bestätigt")).to_be_visible()
    await expect(page.get_by_text("War das hilfreich?")).to_be_visible()
    await expect(page.get_by_text("Relevanz 90 %").first).to_be_visible()
    assert await page.locator("quoth-widget").get_attribute("lang") == "de"


async def test_a_page_in_a_language_without_strings_has_an_english_panel_that_says_so(
    page: Page, book: ScriptedBook
) -> None:
    await speak(page, "fr")
    await page.goto(f"{book.url}/docs/ch1")
    panel = await ask(page, "À quoi cela sert-il ?")
    await expect(panel.locator(".last").get_by_text("Was this helpful?")).to_be_visible()
    # A voice reads the panel's words as English, and the book's as the page's.
    assert await page.locator("quoth-widget").get_attribute("lang") == "en"
    await expect(panel.locator(".claim").first).to_have_attribute("lang", "fr")
    await expect(panel.locator(".claim details").first).to_have_attribute("lang", "en")
    await expect(panel.locator(".citations .quotes").first).to_have_attribute("lang", "fr")
    assert await find_axe_violations(page) == []


async def test_in_a_page_from_right_to_left_the_panel_stands_left(page: Page) -> None:
    await page.evaluate("document.documentElement.dir = 'rtl'")
    await show_open(page)
    box = await page.get_by_role("dialog").bounding_box()
    assert box is not None
    assert box["x"] < 100


async def test_once_asked_a_selection_makes_room_for_the_answer(page: Page) -> None:
    await page.set_viewport_size({"width": 390, "height": 844})
    await select_text(page, "first")
    await page.get_by_role("button", name="Ask about this").click()
    held = page.get_by_role("figure", name="Selected text")
    await expect(held).to_be_visible()
    panel = await ask(page, "What does it say?")
    await panel.locator("quoth-feedback").wait_for()
    await expect(held).to_be_hidden()
    await expect(page.get_by_role("group", name="Selected text")).to_have_count(0)
    await panel.get_by_text("Answers from: Only this text").click()
    await expect(held).to_be_visible()


@pytest.mark.parametrize(("width", "is_beside"), [(1280, True), (900, True), (640, False)])
async def test_the_panel_stands_beside_the_text_where_that_keeps_room(
    page: Page, width: int, is_beside: bool
) -> None:
    await page.set_viewport_size({"width": width, "height": 800})
    await show_open(page)
    text = await page.get_by_role("heading", level=1).bounding_box()
    panel = await page.get_by_role("dialog").bounding_box()
    assert text is not None
    assert panel is not None
    assert (text["x"] + text["width"] <= panel["x"]) is is_beside
    await expect(page.get_by_role("separator")).to_have_count(int(is_beside))
    await page.get_by_role("button", name="Close").click()
    assert await page.locator("html").evaluate("e => getComputedStyle(e).paddingRight") == "0px"


async def test_paper_shows_nothing_of_it(page: Page) -> None:
    await show_open(page)
    await page.emulate_media(media="print")
    await expect(page.get_by_role("dialog")).to_be_hidden()


async def test_the_shortcut_is_silent_while_the_reader_types(page: Page) -> None:
    await select_text(page, "first")
    await expect(page.get_by_role("button", name="Ask about this")).to_be_visible()
    await page.evaluate(
        """() => {
          const field = document.createElement("input");
          document.querySelector("nav").append(field);
          field.dispatchEvent(new KeyboardEvent("keydown",
            {code: "KeyQ", altKey: true, bubbles: true, composed: true}));
        }"""
    )
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_formulas_and_code_are_set_and_the_renderer_comes_only_for_them(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await show_answer(page)
    assert not any(url.endswith("quoth-math.js") for url in asked)
    claim = {
        "text": r"With `zmp(m)` the point is $p = \frac{1}{2}$, at $5 and $6.",
        "citations": [1],
        "verification": "paraphrase",
    }
    body = json.dumps(answer(claims=[claim], citations=ANSWERED["citations"]))
    await page.route("**/api/query", lambda route: route.fulfill(body=body))
    panel = await ask(page, "Which formula?")
    await expect(panel.locator(".claim math mfrac")).to_be_attached()
    await expect(panel.locator(".claim code")).to_have_text("zmp(m)")
    await expect(panel.locator(".claim").last).to_contain_text("at $5 and $6.")
    assert any(url.endswith("quoth-math.js") for url in asked)


STEPS = "🤖 First:\n1. Look.\n2. Act.\n  - now\nPart | Rate\neye | 20\nact(\n\n  1)"


async def test_an_excerpt_has_the_form_of_the_book(page: Page) -> None:
    items = [
        dict(zip(("start", "end"), place(STEPS, words), strict=True), level=level, number=number)
        for words, level, number in (("Look.", 0, 1), ("Act.", 0, 2), ("now", 1, None))
    ]
    claim = {
        "text": STEPS,
        "citations": [1],
        "verification": "verbatim",
        "parts": [
            part(STEPS, "prose", "🤖 First:"),
            part(STEPS, "list", "1. Look.\n2. Act.\n  - now", items=items),
            part(STEPS, "table", "Part | Rate\neye | 20",
                 header=[place(STEPS, "Part"), place(STEPS, "Rate")],
                 rows=[[place(STEPS, "eye"), place(STEPS, "20")]]),
            part(STEPS, "code", "act(\n\n  1)", language="python"),
        ],
        "emphasis": [place(STEPS, "Act.")],
    }  # fmt: skip
    citation = ANSWERED["citations"][0] | {"section": "Benefits"}
    body = json.dumps(answer(claims=[claim, claim], citations=[citation]))
    await page.route("**/api/query", lambda route: route.fulfill(body=body))
    panel = await ask(page, "How?")
    await expect(panel.get_by_role("link", name="Benefits", exact=True)).to_have_count(1)
    excerpt = panel.locator(".claim").first
    await expect(excerpt.locator("p").first).to_have_text("🤖 First:")
    await expect(excerpt.locator("ol > li")).to_have_text(["Look.", re.compile(r"Act\.\s+now")])
    await expect(excerpt.locator("ol > li > ul > li")).to_have_text("now")
    await expect(excerpt.locator("mark")).to_have_text("Act.")
    await expect(excerpt.get_by_role("columnheader")).to_have_text(["Part", "Rate"])
    await expect(excerpt.get_by_role("cell")).to_have_text(["eye", "20"])
    assert await excerpt.locator("code.language-python").text_content() == "act(\n\n  1)"
    await expect(panel.locator(".citations .brief")).to_have_count(1)
    assert await find_axe_violations(page) == []
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await excerpt.get_by_role("button", name="Copy code").click()
    await expect(page.get_by_text("Copied.")).to_be_attached()
    assert await page.evaluate("navigator.clipboard.readText()") == "act(\n\n  1)"


async def test_where_all_is_reworded_one_line_says_so_and_opens_on_a_press(page: Page) -> None:
    await show_reworded(page)
    panel = page.get_by_role("dialog")
    await expect(panel.locator(".claim")).to_have_count(2)
    await expect(panel.locator(".claim summary")).to_have_count(0)
    line = panel.locator(".notes summary")
    await expect(line).to_contain_text(MEANING)
    closed = await line.evaluate("e => [e.clientHeight < 30, e.scrollWidth > e.clientWidth]")
    assert closed == [True, True]
    await line.click()
    assert await line.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert await find_axe_violations(page) == []


MEANING = "Reworded; a language model confirmed that the cited sentences say it."


async def test_the_mark_of_a_reworded_sentence_tells_by_mouse_finger_and_keys_what_it_means(
    page: Page,
) -> None:
    await show_answer(page)
    claim = page.locator(".claim").last
    mark = claim.locator("summary")
    meaning = claim.get_by_text(MEANING)
    await expect(mark).to_have_accessible_name("Reworded")
    await expect(mark).to_have_accessible_description("")
    await expect(mark.locator("span")).to_have_attribute("title", MEANING)
    await expect(meaning).to_be_hidden()
    await mark.click()
    await expect(meaning).to_be_visible()
    assert await find_axe_violations(page) == []
    await mark.press("Enter")
    await expect(meaning).to_be_hidden()
    await mark.press("Enter")
    await show_answer(page)
    await expect(meaning).to_be_hidden()


async def test_a_citation_is_copied_as_reference_and_as_link(
    page: Page, book: ScriptedBook
) -> None:
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await show_answer(page)
    copied = {}
    await page.locator("summary").filter(has_text="Copy").first.click()
    for name in ("APA", "BibTeX", "Link to the quote"):
        await page.get_by_role("button", name=f"Copy citation 1: {name}").click()
        await expect(page.get_by_text("Copied.")).to_be_attached()
        copied[name] = await page.evaluate("navigator.clipboard.readText()")
    assert copied["APA"].endswith(f"{book.url}/docs/ch1#benefits")
    assert copied["BibTeX"].startswith("@misc{")
    link = copied["Link to the quote"]
    assert link.startswith(f"{book.url}/docs/ch1#benefits:~:text=Physical%20AI")
