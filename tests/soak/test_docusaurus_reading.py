"""Readers of a site that Docusaurus really built: below a base, with versions and languages."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Route, async_playwright, expect
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from quoth.local_server import served
from tests.integration.built_book import RECORDED, add_everything, build_site, lay_out_site
from tests.integration.test_sample_questions import QUESTIONS
from tests.integration.up_process import running_up

sys.path.append(str(Path(__file__).parents[1] / "browser"))
from live_book import WITHOUT_HIGHLIGHTS, Reader, folded, new_reader, select_words
from reading import find_axe_violations

pytestmark = pytest.mark.soak

CHROMIUM = "/usr/bin/chromium"
API = "https://api.example.org"
TEXT = ("docs", "community", "i18n", "versioned_docs")
START = "/book/next/"
TRAPS = [
    json.loads(line)["question"]
    for line in (RECORDED / "questions.jsonl").read_text("utf-8").splitlines()
]
FRENCH = "Comment marche le robot marqué Zircon ?"
FORMULAS = [
    "How many solutions does the inverse kinematics of the two-link arm have?",
    "Which matrix turns joint speeds into the speed of the hand?",
    "What torque supplies a force of the hand?",
]
"""Questions whose quotes hold formulas, or stand beside some."""
SAMPLE = [row["question"] for row in QUESTIONS if "phrases" in row][1::3][:20]
"""Questions to the sample book."""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """PostgreSQL never runs as root, and cannot enter pytest's own folder."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def site(folder: Path) -> Path:
    """The site's folder, built. BOOK_SITE names one that was built before."""
    if before := os.environ.get("BOOK_SITE"):
        return Path(before)
    site = lay_out_site(folder)
    add_everything(site)
    build_site(site)
    return site


@pytest.fixture(scope="module")
def functions(site: Path, folder: Path, pages: str) -> Iterator[str]:
    book = folder / "text"
    for name in TEXT:
        shutil.copytree(site / name, book / name)
    for name in ("quoth-manifest.json", "fr/quoth-manifest.json"):
        (book / name).parent.mkdir(exist_ok=True)
        shutil.copy(site / "build" / name, book / name)
    with running_up(book, folder / "data", QUOTH_ALLOWED_ORIGINS=pages) as up:
        yield up.url


@pytest.fixture(scope="module")
def pages(site: Path) -> Iterator[str]:
    files = StaticFiles(directory=site / "build", html=True)
    with served(Starlette(routes=[Mount("/book", files)])) as url:
        yield url


@pytest_asyncio.fixture(scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        await browser.close()


async def reader_of(
    browser: Browser, functions: str, script: str = "", width: int = 1600
) -> Reader:
    reader = await new_reader(browser, viewport={"width": width, "height": 900})

    async def forward(route: Route) -> None:
        reply = await route.fetch(url=route.request.url.replace(API, functions))
        headers = reply.headers | {"access-control-allow-origin": "*"}
        await route.fulfill(response=reply, headers=headers)

    await reader.page.route(f"{API}/**", forward)
    if script:
        await reader.page.add_init_script(script)
    return reader


@pytest.mark.parametrize("script", ["", WITHOUT_HIGHLIGHTS], ids=["highlights", "marks"])
async def test_every_citation_among_the_traps_leads_to_its_quotes(
    browser: Browser, functions: str, pages: str, script: str
) -> None:
    wrong, answered, clicked, unfolded, formulas = [], 0, 0, 0, 0
    for question in [*TRAPS, *FORMULAS, *SAMPLE]:
        reader = await reader_of(browser, functions, script)
        await reader.open(pages + START)
        await reader.page.evaluate("globalThis.stayed = true")
        panel, answer = await reader.ask(question)
        answered += bool(answer["citations"])
        for citation in answer["citations"]:
            await panel.locator("ol a.jump").nth(citation["n"] - 1).click()
            shown = await reader.wait_for_highlight()
            exact = "".join(quote["exact"] for quote in citation["quotes"])
            if folded(shown) != folded(exact):
                wrong.append((question, shown, exact))
            mark = reader.page.locator("main :focus")
            await expect(mark).to_be_visible()
            await expect(mark).to_be_in_viewport()
            unfolded += await mark.evaluate("e => e.closest('details, [role=tabpanel]') !== null")
            assert await reader.page.evaluate("globalThis.stayed")  # no page was loaded anew
            if not await panel.count():
                await reader.page.get_by_role("button", name="Back to the answer").click()
            await expect(panel.locator(".claim").first).to_be_visible()
            clicked += 1
            formulas += "$" in exact
        await reader.context.close()
    assert wrong == []
    assert answered >= 20
    assert clicked >= answered
    assert unfolded >= 2
    assert formulas >= 1
    print(f"{answered} answers, {clicked} citations clicked, {len(wrong)} wrong")  # noqa: T201


async def test_a_citation_link_opens_at_its_place(
    browser: Browser, functions: str, pages: str
) -> None:
    reader = await reader_of(browser, functions)
    await reader.open(pages + START)
    _, answer = await reader.ask("What is the ZMP used for?")
    url = pages + answer["citations"][0]["url"]
    fresh = await reader_of(browser, functions)
    await fresh.open(url)
    heading = fresh.page.locator(f"[id='{url.partition('#')[2]}']")
    await expect(heading).to_be_in_viewport()
    await expect(fresh.page.locator("quoth-widget")).to_have_count(1)
    await reader.context.close()
    await fresh.context.close()


async def test_the_widget_knows_source_version_and_chapter(
    browser: Browser, functions: str, pages: str
) -> None:
    reader = await reader_of(browser, functions)
    await reader.open(f"{pages}{START}balance-and-walking/zero-moment-point/")
    await select_words(reader.page, "article p", "The ZMP is used for")
    await reader.page.get_by_role("button", name="Ask about this").click()
    await reader.page.get_by_label("Whole book").check()
    await expect(reader.page.locator(".chapter .badge")).to_have_text(
        "Chapter 3: Balance and Walking"
    )
    await reader.page.get_by_label("This passage and around it").check()
    _, answer = await reader.ask("What is the ZMP used for?")
    assert (answer["mode"], answer["status"]) == ("highlight", "answered")
    (sent,) = [body for path, body in reader.asked if path == "/query"]
    assert sent["highlight"]["version"] == "current"
    assert sent["page"]["source_path"] == "docs/03-balance-and-walking/02-zero-moment-point.md"
    await reader.context.close()


@pytest.mark.parametrize("width", [1600, 390], ids=["desktop", "phone"])
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_nothing_in_the_sites_own_colours(
    browser: Browser, functions: str, pages: str, theme: str, width: int
) -> None:
    script = f"localStorage.setItem('theme', '{theme}')"
    reader = await reader_of(browser, functions, script, width)
    page = reader.page
    await reader.open(f"{pages}{START}balance-and-walking/zero-moment-point/")
    await expect(page.locator("html")).to_have_attribute("data-theme", theme)
    found = {"closed": await find_axe_violations(page)}
    await select_words(page, "article p", "The ZMP is used for")
    await page.get_by_role("button", name="Ask about this").click()
    found["selection"] = await find_axe_violations(page)
    await reader.ask("What is ZMP used for?")
    found["selection answered"] = await find_axe_violations(page)
    await page.get_by_text("Answers from: Only this text").click()
    await page.get_by_label("Whole book").check()
    panel, answer = await reader.ask("What is the ZMP used for?")
    await expect(panel.locator("ol a.jump")).to_have_count(len(answer["citations"]))
    found["answer"] = await find_axe_violations(page)
    await reader.ask("What is the capital of France?")
    await expect(panel.get_by_text("The nearest the book has")).to_be_visible()
    found["refusal"] = await find_axe_violations(page)
    await page.route(f"{API}/query", lambda route: route.abort())
    await page.get_by_label("Your question").fill("Is it there?")
    await page.keyboard.press("Enter")
    await expect(panel.get_by_role("button", name="Retry")).to_be_visible()
    found["error"] = await find_axe_violations(page)
    assert {state: each for state, each in found.items() if each} == {}
    await reader.context.close()


async def test_pages_in_a_language_without_strings_have_an_english_panel_that_says_so(
    browser: Browser, functions: str, pages: str
) -> None:
    reader = await reader_of(browser, functions)
    await reader.open(f"{pages}/book/fr/next/")
    await expect(reader.page.locator("html")).to_have_attribute("lang", "fr")
    panel, answer = await reader.ask(FRENCH)
    assert answer["status"] == "answered"
    assert {each["url"] for each in answer["citations"]} == {START.replace("/book", "/book/fr")}
    await expect(reader.page.locator("quoth-widget")).to_have_attribute("lang", "en")
    await expect(panel.locator(".claim").first).to_have_attribute("lang", "fr")
    (sent,) = [body for path, body in reader.asked if path == "/query"]
    assert sent["page"]["locale"] == "fr"
    await reader.context.close()
