"""Pages of MkDocs Material in a browser: the widget knows which page is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from quoth.local_server import served
from tests.integration.guide_site import CHROMIUM
from tests.integration.test_mkdocs_sites import build, lay_out_traps

pytestmark = pytest.mark.browser


def test_the_widget_knows_the_page_after_an_instant_navigation(tmp_path: Path) -> None:
    features = ["navigation.instant", "navigation.expand"]
    files = StaticFiles(directory=tmp_path / "built", html=True, check_dir=False)
    site = Starlette(routes=[Mount("/manual", files)])
    with served(site) as url, sync_playwright() as playwright:
        theme = {"name": "material", "features": features, "font": False}
        build(lay_out_traps(tmp_path, theme=theme, site_url=f"{url}/manual/"))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1500, "height": 900})
        page.goto(f"{url}/manual/")
        widget = page.locator("quoth-widget")
        expect(widget).to_have_attribute("page-source", "text/README.md")
        page.evaluate("globalThis.stayed = true")
        page.get_by_role("link", name="Boxes and Tabs").first.click()
        expect(page.locator("h1")).to_contain_text("Boxes and Tabs")
        expect(widget).to_have_attribute("page-source", "text/guide/boxes.md")
        expect(widget).to_have_attribute("chapter-title", "Workshop")
        assert page.evaluate("globalThis.stayed")  # no page was loaded anew
        expect(page.get_by_role("button", name="Ask the book")).to_be_visible()
        browser.close()
