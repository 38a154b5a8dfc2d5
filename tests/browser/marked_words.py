"""Clicks the mark of each claim of an answer, and says which words of the page it marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from live_book import Reader, folded
from playwright.async_api import Locator, expect
from reading import forget_conversation


@dataclass
class Marked:
    """A mark that was clicked: its claim's own words, and those that were marked in the page."""

    question: str
    own: str
    shown: str


async def click_marks(reader: Reader, url: str, question: str) -> list[Marked]:
    """Ask a question of a book and click each mark of the answer."""
    await reader.open(url)
    await forget_conversation(reader.page)  # ten a minute are one reader's limit
    await reader.open(url)
    panel, answer = await reader.ask(question)
    await expect(panel.locator(".claim")).to_have_count(len(answer["claims"]))
    found = []
    for at, claim in enumerate(answer["claims"]):
        for mark, n in enumerate(claim["citations"]):
            await show_panel(reader, panel)
            await panel.locator(".claim").nth(at).locator(".mark").nth(mark).click()
            shown = await reader.wait_for_highlight()
            await reader.page.wait_for_load_state()
            found.append(Marked(question, own_words(answer, claim, n), folded(shown)))
    return found


async def show_panel(reader: Reader, panel: Locator) -> None:
    """Bring the panel back where it gave way to the place it led to."""
    if not await panel.count():
        await reader.page.get_by_role("button", name="Back to the answer").click()
    await expect(panel.locator(".claim").first).to_be_visible()


def own_words(answer: dict[str, Any], claim: dict[str, Any], n: int) -> str:
    """What a claim rests on in a citation. A paragraph that is quoted is its own words."""
    if [part["form"] for part in claim["parts"]] == ["prose"] and len(claim["citations"]) == 1:
        return folded(claim["text"])
    citation = next(each for each in answer["citations"] if each["n"] == n)
    quotes = [citation["quotes"][own["quote"]] for own in claim["quotes"] if own["n"] == n]
    return folded("".join(quote["exact"] for quote in quotes))
