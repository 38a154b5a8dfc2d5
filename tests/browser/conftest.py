"""A browser for the module, and for each test a fresh book and a fresh profile."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import pytest_asyncio
from live_book import Reader, new_reader
from playwright.async_api import Browser, Page, async_playwright, expect
from scripted_book import ScriptedBook, serve_scripted_book

from tests.integration.up_process import Up, running_up

ROOT = Path(__file__).parents[2]
PATIENCE_MS = 30_000  # what is there is found at once; a busy machine may need longer than 5 s
expect.set_options(timeout=PATIENCE_MS)
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium_path() -> Path:
    if not CHROMIUM.exists():
        pytest.skip(f"Chromium is not at {CHROMIUM}")
    return CHROMIUM


@pytest_asyncio.fixture(scope="module")
async def browser(chromium_path: Path) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=chromium_path, args=FLAGS)
        yield chromium
        await chromium.close()


@pytest.fixture
def book() -> Iterator[ScriptedBook]:
    with serve_scripted_book() as served:
        yield served


@pytest_asyncio.fixture
async def page(browser: Browser, book: ScriptedBook) -> AsyncIterator[Page]:
    """Chapter 1 in a fresh profile; fails when the page raises or asks another host."""
    context = await browser.new_context(reduced_motion="reduce")
    problems: list[str] = []
    page = await context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request",
        lambda request: (
            None if request.url.startswith((book.url, "data:,")) else problems.append(request.url)
        ),
    )
    await page.goto(f"{book.url}/docs/ch1")
    yield page
    await context.close()
    assert problems == []


@pytest.fixture(scope="session")
def live_up(chromium_path: Path) -> Iterator[Up]:
    """The sample book, served by the command itself: real functions, real parts."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # PostgreSQL never runs as root, and must get at its files
        book = folder / "book"
        ignored = shutil.ignore_patterns("node_modules", "build", ".docusaurus")
        shutil.copytree(ROOT / "examples" / "book", book, ignore=ignored)
        # Tokens end within seconds, so that the widget must fetch new ones as it goes.
        with running_up(
            book, folder / "data", QUOTH_SESSIONS="required", QUOTH_SESSION_SECONDS="8"
        ) as up:
            yield up


@pytest.fixture(scope="session")
def live_book(live_up: Up) -> str:
    """The address of the sample book with the real functions behind it."""
    return live_up.url


@pytest.fixture(scope="session")
def small_book(chromium_path: Path) -> Iterator[str]:
    """The address of a book of four pages with tables, code, formulas and lists."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        book = shutil.copytree(Path(__file__).with_name("small_book"), folder / "book")
        with running_up(book, folder / "data") as up:
            yield up.url


@pytest_asyncio.fixture
async def reader(browser: Browser) -> AsyncIterator[Reader]:
    """A reader in a fresh profile; fails when the page raises."""
    reader = await new_reader(browser)
    problems: list[str] = []
    reader.page.on("pageerror", lambda error: problems.append(str(error)))
    yield reader
    await reader.context.close()
    assert problems == []
