"""What the widget costs a page before anybody uses it, in a browser that is not slowed down."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

import pytest
from playwright.async_api import Browser, async_playwright

sys.path.append(str(Path(__file__).parents[1] / "browser"))
from scripted_book import serve_scripted_book

pytestmark = pytest.mark.soak

CHROMIUM = "/usr/bin/chromium"
LOADS = 9
MOST_MS = 50.0
SETTLED_MS = 600
SHIFTS = """() => new Promise(resolve => {
  let sum = 0;
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) sum += entry.value;
  }).observe({type: "layout-shift", buffered: true});
  setTimeout(() => resolve(sum), 300);
})"""


async def main_thread_ms(browser: Browser, url: str, widget: bool) -> tuple[float, float]:
    """The main thread's own time for one load in a fresh profile, and the layout shift."""
    context = await browser.new_context()
    page = await context.new_page()
    if not widget:
        await page.route("**/widget/**", lambda route: route.abort())
    devtools = await context.new_cdp_session(page)
    # Ticks of the thread: time in which other programs had the processor does not count.
    await devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    await page.goto(url, wait_until="load")
    if widget:
        await page.get_by_role("button", name="Ask the book").wait_for()
    await page.wait_for_timeout(SETTLED_MS)
    told = (await devtools.send("Performance.getMetrics"))["metrics"]
    shift = float(await page.evaluate(SHIFTS))
    await context.close()
    (seconds,) = (each["value"] for each in told if each["name"] == "TaskDuration")
    return seconds * 1000, shift


async def test_the_main_thread_is_free_before_the_first_use_and_nothing_moves() -> None:
    with serve_scripted_book() as book:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
            )
            url = f"{book.url}/docs/ch1"
            await main_thread_ms(browser, url, widget=True)  # the first load starts processes
            with_it = [await main_thread_ms(browser, url, widget=True) for _ in range(LOADS)]
            without = [await main_thread_ms(browser, url, widget=False) for _ in range(LOADS)]
            await browser.close()
    whole, bare = (median(ms for ms, _ in loads) for loads in (with_it, without))
    print(f"main thread: {whole:.1f} ms with the widget, {bare:.1f} ms without")  # noqa: T201
    assert whole - bare < MOST_MS
    assert {shift for _, shift in with_it} == {0.0}
