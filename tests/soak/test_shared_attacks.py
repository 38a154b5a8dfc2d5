"""The long list of texts that try to become scripts, where it is at hand (QUOTH_DATA)."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from playwright.async_api import async_playwright

sys.path.append(str(Path(__file__).parents[1] / "browser"))
from attacks import WATCH, attack
from reading import forget_conversation
from scripted_book import serve_scripted_book

pytestmark = pytest.mark.soak

ROOT = Path(__file__).parents[2]
LIST = Path(os.environ.get("QUOTH_DATA", ROOT.parent / "shared/data")) / "adversarial/xss.dev.jsonl"
BATCH = 40


async def test_nothing_of_the_long_list_is_executed() -> None:
    if not LIST.exists():
        pytest.skip(f"{LIST} is not there: QUOTH_DATA names the folder")
    texts = [json.loads(line)["text"] for line in LIST.read_text("utf-8").splitlines()]
    texts = [text for text in texts if text.strip()]
    executed: list[str] = []
    with serve_scripted_book() as book:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path="/usr/bin/chromium", args=["--no-sandbox"]
            )
            page = await browser.new_page()
            await page.add_init_script(WATCH)
            for start in range(0, len(texts), BATCH):
                await page.goto(f"{book.url}/docs/ch1")
                executed += await attack(page, texts[start : start + BATCH])
                await forget_conversation(page)  # else the panel holds all of the list
            await browser.close()
    assert executed == []
