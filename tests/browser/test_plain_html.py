"""The script tag of the author's guide, copied into a page of another server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from live_book import new_reader
from playwright.async_api import Browser, expect
from reading import ask
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from quoth.local_server import served
from tests.integration.up_process import running_up

ROOT = Path(__file__).parents[2]
GUIDES = (ROOT / "README.md", ROOT / "docs" / "guides" / "author.md")
TAG = re.compile(r'<script type="module"[^>]*src="http://127\.0\.0\.1:8000/.*?</script>', re.DOTALL)
LIGHT = "# Lighthouses\n\n## Pellworm\n\nThe lamp of Pellworm was lit in 1907.\n"
LAMP = "When was the lamp of Pellworm lit?"


@dataclass(frozen=True)
class Sites:
    """The author's own page at an address that may ask, and at one that may not."""

    allowed: str
    other: str
    api: str


@pytest.fixture(scope="module")
def sites(chromium_path: Path) -> Iterator[Sites]:
    first, *others = (TAG.findall(guide.read_text("utf-8")) for guide in GUIDES)
    assert others == [first]
    (tag,) = first
    tags: list[str] = []

    async def page(_: object) -> HTMLResponse:
        text = "<h1>Lighthouses</h1><h2 id='pellworm'>Pellworm</h2>"
        said = "<p>The lamp of Pellworm was lit in 1907.</p>"
        head = "<!doctype html><html lang='en'><title>My page</title>"
        return HTMLResponse(f"{head}<body>{text}{said}{tags[0]}</body></html>")

    app = Starlette(routes=[Route("/{path:path}", page)])
    with TemporaryDirectory() as name, served(app) as allowed, served(app) as other:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "book").mkdir()
        (folder / "book" / "light.md").write_text(LIGHT)
        with running_up(folder / "book", folder / "data", "--origin", allowed) as up:
            tags.append(tag.replace("http://127.0.0.1:8000", up.url))
            yield Sites(allowed, other, up.url)


async def test_the_copied_tag_answers_on_another_origin(browser: Browser, sites: Sites) -> None:
    reader = await new_reader(browser)
    said: list[str] = []
    reader.page.on("console", lambda message: said.append(message.text))
    await reader.open(f"{sites.allowed}/light")
    panel, answer = await reader.ask(LAMP)
    await expect(panel).to_contain_text("lit in 1907")
    assert answer["citations"][0]["url"] == "/light#pellworm"
    assert said == []
    assert await reader.page.locator("quoth-widget").count() == 1
    await reader.context.close()


async def test_a_page_that_may_not_ask_says_which_setting_to_change(
    browser: Browser, sites: Sites
) -> None:
    reader = await new_reader(browser)
    await reader.open(f"{sites.other}/light")
    async with reader.page.expect_console_message(
        lambda message: message.text.startswith("Quoth: ")
    ) as message:
        await ask(reader.page, LAMP)
    text = (await message.value).text
    assert f"{sites.api} takes no questions from {sites.other}" in text
    assert f"`quoth up --origin {sites.other}`" in text
    await reader.context.close()
