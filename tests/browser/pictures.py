"""Takes the pictures of the panel in docs/images from the widget as it is: `make pictures`.

With `--states DIR` it takes every state too, on a desk and on a phone, light and dark, to be looked
at there. The written answer is a test server's in the place of OpenAI; all else is real.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import tempfile
from pathlib import Path

from live_book import new_reader, select_words
from playwright.async_api import Browser, Page, ViewportSize, async_playwright
from scripted_book import serve_scripted_book
from test_widget_states import STATES

from tests.integration.up_process import running_up
from tests.integration.writers import PARAPHRASE, QUESTION, is_judging
from tests.openai_server.replies import Answer, Reply, Verdicts
from tests.openai_server.running import serving
from tests.openai_server.service import OpenAIServer, Recorded

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
DESK, PHONE = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=800)
ZMP = "/balance-and-walking/zero-moment-point"
CITED = "The ZMP is used for dynamic balance control"


def write(request: Recorded) -> Reply:
    if is_judging(request):
        return Verdicts([True])
    cited = next(id for id, text in request.sentences.items() if text.startswith(CITED))
    return Answer([(PARAPHRASE, [cited])])


async def picture_answer(browser: Browser, url: str, name: str, verification: str) -> None:
    """An answer whose first claim is verified so, and its first quote shown in the page."""
    reader = await new_reader(browser, viewport=DESK)
    await reader.open(url + ZMP)
    panel, answer = await reader.ask(QUESTION)
    assert answer["claims"][0]["verification"] == verification, answer["response"]
    await panel.get_by_role("link", name="Citation 1").first.click()
    await reader.wait_for_highlight()
    await panel.locator(".asked").evaluate("e => e.scrollIntoView()")
    await keep(reader.page, IMAGES / name)


async def picture_refusal(browser: Browser, url: str) -> None:
    reader = await new_reader(browser, viewport=DESK)
    await reader.open(url + ZMP)
    await reader.ask("What is the capital of France?")
    await keep(reader.page, IMAGES / "refusal.png")


async def picture_selection(browser: Browser, url: str) -> None:
    """A passage selected on a phone, and its answer."""
    reader = await new_reader(browser, viewport=PHONE, has_touch=True, is_mobile=True)
    await reader.open(url + ZMP)
    await select_words(reader.page, "main p", CITED)
    await reader.page.get_by_role("button", name="Ask about this").tap()
    await reader.ask("What is ZMP used for?")
    await reader.page.locator(".asked").evaluate("e => e.scrollIntoView()")
    await keep(reader.page, IMAGES / "selection-phone.png")


async def picture_states(browser: Browser, folder: Path) -> None:
    for theme in ("light", "dark"):
        for width, viewport in (("desk", DESK), ("phone", PHONE)):
            for show in STATES:
                with serve_scripted_book() as book:
                    reader = await new_reader(browser, viewport=viewport)
                    await reader.open(f"{book.url}/docs/ch1?{theme}")
                    await show(reader.page)
                    name = f"{show.__name__.removeprefix('show_')}-{width}-{theme}.png"
                    await keep(reader.page, folder / name)


async def keep(page: Page, path: Path) -> None:
    await page.wait_for_timeout(300)  # fonts, and what is drawn late
    await page.screenshot(path=path)
    await page.context.close()


async def take(url: str, written: bool, states: Path | None) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        if written:
            await picture_answer(browser, url, "written.png", "paraphrase")
        else:
            await picture_answer(browser, url, "answer.png", "verbatim")
            await picture_refusal(browser, url)
            await picture_selection(browser, url)
        if states:
            await picture_states(browser, states)
        await browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=Path, metavar="DIR")
    states: Path | None = parser.parse_args().states
    if states:
        states.mkdir(parents=True, exist_ok=True)
    os.environ.pop("OPENAI_API_KEY", None)
    server = OpenAIServer()
    server.answer_with(write)
    with tempfile.TemporaryDirectory() as name, serving(server) as base_url:
        folder = Path(name)
        folder.chmod(0o755)  # PostgreSQL never runs as root
        ignored = shutil.ignore_patterns("node_modules", "build", ".docusaurus")
        book = shutil.copytree(ROOT / "examples" / "book", folder / "book", ignore=ignored)
        with running_up(book, folder / "data") as up:
            asyncio.run(take(up.url, False, states))
        model = {"QUOTH_OPENAI_API_KEY": server.api_key, "QUOTH_OPENAI_BASE_URL": base_url}
        with running_up(book, folder / "data", **model) as up:
            asyncio.run(take(up.url, True, None))


if __name__ == "__main__":
    main()
