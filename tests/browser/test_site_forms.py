"""Pages of the built-in site in a browser: pictures, formulas, tabs, the contents on a phone."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
import uvicorn
from playwright.async_api import Browser, Page, expect
from reading import find_axe_violations

from functions.runtime.settings import Settings
from quoth.local_server import listen, url_of
from quoth.site.app import create_site

pytestmark = pytest.mark.browser

HERE = Path(__file__).parent
DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="12"/>'
FORMS = """# Forms

A mass $m$ leans by $\\theta$, and $\\wrong{$ is no formula.

$$
\\tau = m g l \\sin\\theta
$$

![An arm](arm.svg)

:::warning Hot

Wait.

:::

<Tabs>
<TabItem value="a" label="Linux">

- Install it on Linux.

</TabItem>
<TabItem value="b" label="macOS">

- Install it on macOS.

</TabItem>
</Tabs>

## Wide things

> [!NOTE]
> With `code` and a [link](forms.mdx).

| Joint | Length | Mass | Torque | Speed | Temperature | Manufacturer |
| --- | ---: | ---: | ---: | ---: | ---: | --- |
| shoulder-pitch-left | 0.32 | 1.9 | 12.5 | 3.1 | 61.2 | an_identifier_that_is_never_broken |

```python title="torque.py"
def torque(mass: float, length: float) -> float: return mass * 9.81 * length * math.sin(a)
```

$$
\\tau_1 + \\tau_2 + \\tau_3 = m_1 g l_1 \\sin\\theta_1 + m_2 g l_2 \\sin\\theta_2
+ m_3 g l_3 \\sin\\theta_3
$$

:::tip

Keep it short.

:::

:::danger

Never reach in.

:::

<details>
<summary>More</summary>

What is hidden.

</details>
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "forms.mdx").write_text(FORMS, "utf-8")
    (docs / "arm.svg").write_text(DRAWING, "utf-8")
    payloads = (HERE / "payloads.txt").read_text("utf-8").splitlines()
    hostile = [f"{each}\n\n:::note {each}\n\nx\n\n:::\n\n${each}$\n" for each in payloads]
    (docs / "hostile.md").write_text("# Hostile\n\n" + "\n".join(hostile), "utf-8")
    listener: socket.socket = listen(0)
    app = create_site(tmp_path, Settings())
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    yield url_of(listener)
    server.should_exit = True
    thread.join()


async def new_page(
    browser: Browser,
    width: int,
    problems: list[str],
    scheme: Literal["light", "dark"] = "light",
) -> Page:
    context = await browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme
    )
    page = await context.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    return page


async def test_a_page_has_its_pictures_formulas_and_tabs(browser: Browser, site: str) -> None:
    problems: list[str] = []
    page = await new_page(browser, 1200, problems)
    await page.goto(f"{site}/forms")
    assert await page.locator("img").evaluate("e => [e.naturalWidth, e.alt]") == [32, "An arm"]
    formulas = await page.locator("main annotation").all_text_contents()
    assert formulas[:3] == ["m", "\\theta", "\\tau = m g l \\sin\\theta"]
    await expect(page.locator(".math").nth(2)).to_have_text("\\wrong{")
    await expect(page.locator(".box.warning .title")).to_have_text("Hot")
    await expect(page.get_by_text("on macOS")).to_be_hidden()
    await page.get_by_role("tab", name="Linux").focus()
    await page.keyboard.press("ArrowRight")
    await expect(page.get_by_text("on macOS")).to_be_visible()
    await expect(page.get_by_text("on Linux")).to_be_hidden()
    await expect(page.get_by_role("tabpanel", name="macOS")).to_be_visible()
    assert problems == []
    await page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
async def test_everyone_can_read_a_page(
    browser: Browser, site: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    problems: list[str] = []
    page = await new_page(browser, width, problems, scheme)
    await page.goto(f"{site}/forms")
    await expect(page.locator("main math")).to_have_count(4)
    await page.get_by_role("tab", name="macOS").click()
    await page.locator("summary").click()
    assert await find_axe_violations(page, "html") == []
    if width < 600:
        for wide in ("pre", "table", ".math.block >> nth=1"):
            await page.locator(f"main {wide}").focus()
            await page.keyboard.press("ArrowRight")
            async with asyncio.timeout(30):  # the page's policy lets nothing be evaluated in it
                while not await page.evaluate("document.activeElement.scrollLeft > 0"):
                    await page.wait_for_timeout(50)
        await page.get_by_role("button", name="Contents").click()
        await expect(page.get_by_role("navigation").get_by_role("link").first).to_be_visible()
        assert await find_axe_violations(page, "html") == []
    assert problems == []
    await page.context.close()


async def test_the_contents_of_a_phone_open_and_close(browser: Browser, site: str) -> None:
    page = await new_page(browser, 390, [])
    await page.goto(f"{site}/forms")
    contents = page.get_by_role("navigation", name="Table of contents")
    await expect(contents).to_be_hidden()
    await expect(page.get_by_role("heading", name="Forms")).to_be_in_viewport()
    await page.get_by_role("button", name="Contents").click()
    await expect(contents.get_by_role("link", name="Forms")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(contents).to_be_hidden()
    await page.set_viewport_size({"width": 1200, "height": 800})
    await expect(contents).to_be_visible()
    await page.context.close()


async def test_the_keyboard_reads_page_after_page(browser: Browser, site: str) -> None:
    page = await new_page(browser, 1200, [])
    await page.goto(f"{site}/forms")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to the text")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator("main")).to_be_focused()
    pager = page.get_by_role("navigation", name="Previous and next page")
    await expect(pager.get_by_role("link")).to_have_text(["Next Hostile"])
    await pager.get_by_role("link").press("Enter")
    await page.wait_for_url(f"{site}/hostile")
    await expect(pager.get_by_role("link")).to_have_text(["Previous Forms"])
    await page.context.close()


async def test_no_words_of_a_book_run(browser: Browser, site: str) -> None:
    page = await new_page(browser, 1200, [])
    await page.goto(f"{site}/hostile")
    await page.wait_for_timeout(500)
    assert await page.locator("main h1").text_content() == "Hostile"
    assert await page.evaluate("window.pwned ?? null") is None
    await page.context.close()
