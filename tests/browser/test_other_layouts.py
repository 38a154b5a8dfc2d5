"""The panel beside pages of other generators, from a small window to a wide one."""

from __future__ import annotations

from pathlib import Path

import pytest
from layouts import LAYOUTS, build_material, lay_out, serve_files
from playwright.async_api import Page, expect
from reading import ask
from scripted_book import ScriptedBook

pytestmark = pytest.mark.browser

WIDTHS = (600, 800, 1000, 1200)
NARROWEST, LEAST_TEXT = 320, 336
STAND = """() => {
  const widget = document.querySelector("quoth-widget");
  const panel = widget.shadowRoot.querySelector(".panel");
  const {left, top, right, bottom} = panel.getBoundingClientRect();
  const isInside = at =>
    at.right > left + 1 && at.left < right && at.bottom > top && at.top < bottom;
  const drawn = element => {
    let {left, right, top, bottom} = element.getBoundingClientRect();
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (getComputedStyle(at).overflowX === "visible") continue;
      const edge = at.getBoundingClientRect();
      [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
    }
    return {left, right, top, bottom};
  };
  const shown = [...document.querySelectorAll("a, button, input, label, h1, h2, p, pre, li")]
    .filter(each => each.checkVisibility({visibilityProperty: true}) && !widget.contains(each));
  const root = document.documentElement;
  return {
    isDocked: panel.classList.contains("beside"),
    font: getComputedStyle(panel).fontSize,
    width: right - left,
    isWhole: left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight,
    text: document.querySelector("main h1, article h1").clientWidth,
    scrolls: root.scrollWidth > root.clientWidth,
    covered: shown.filter(each => isInside(drawn(each))).map(each => each.outerHTML.slice(0, 80)),
  };
}"""


@pytest.mark.parametrize("layout", [*LAYOUTS, "material"])
async def test_the_panel_leaves_the_page_to_its_reader(
    page: Page, book: ScriptedBook, tmp_path: Path, layout: str
) -> None:
    if layout == "material":
        await serve_files(page, build_material(tmp_path))
    else:
        await lay_out(page, layout)
    docked = 0
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": 800})
        await page.goto(f"{book.url}/layout{'/' if layout == 'material' else ''}")
        panel = await ask(page, "What are the benefits?")
        await expect(panel.locator(".last .claim").first).to_be_visible()
        found = await page.evaluate(STAND)
        at = f"{layout} at {width} px: {found}"
        assert found["font"] == "16px", at  # whatever the root's is
        assert found["width"] >= NARROWEST, at
        assert found["isWhole"], at
        assert not found["scrolls"], at
        if found["isDocked"]:
            docked += 1
            assert found["covered"] == [], at
            assert found["text"] >= LEAST_TEXT, at
        await page.keyboard.press("Escape")
        await expect(panel).to_have_count(0)
        assert await page.evaluate("getComputedStyle(document.documentElement).paddingRight") == (
            "0px"
        )
        await page.get_by_role("button", name="Ask the book").click()
        await expect(panel.locator(".last .claim").first).to_be_visible()
    assert docked >= 2  # at 800 and at 1,200 px at least
