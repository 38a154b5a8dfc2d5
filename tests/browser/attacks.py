"""Texts that try to become scripts, in every place of the widget that shows a text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.async_api import Page, Route, expect
from reading import ask, select_text
from scripted_book import answer, cite

OWN = [
    line
    for line in Path(__file__).with_name("payloads.txt").read_text("utf-8").splitlines()
    if line
]
WATCH = """
globalThis.executed = [];
for (const name of ["alert", "confirm", "prompt", "print"]) {
  globalThis[name] = () => { executed.push(name); };
}
Object.defineProperty(globalThis, "pwned", {set: () => executed.push("pwned")});
"""
LIVE = r"""() => {
  const roots = [document.querySelector("quoth-widget").shadowRoot];
  for (const root of roots) for (const each of root.querySelectorAll("*")) {
    if (each.shadowRoot) roots.push(each.shadowRoot);
  }
  const all = roots.flatMap(root => [...root.querySelectorAll("*")]);
  const bad = "script,img,iframe,object,embed,link,meta,base,svg,video,audio,style,template,"
    + "form[action]";
  const scheme = /^\s*(javascript|vbscript|data):/i;
  const links = ["href", "src", "action", "xlink:href"];
  const isLive = a => /^on/.test(a.name) || (links.includes(a.name) && scheme.test(a.value));
  return all.filter(e => e.matches(bad) || [...e.attributes].some(isLive))
    .map(e => e.outerHTML.slice(0, 200));
}"""


def everywhere(texts: Sequence[str]) -> dict[str, Any]:
    """An answer with the texts in every field that is shown, as a broken model would write it."""
    links = [{"title": text, "url": text} for text in texts]
    return answer(
        response=" ".join(texts),
        claims=[{"text": text, "citations": [1], "verification": "paraphrase"} for text in texts],
        citations=[cite(n + 1, text, text, text) for n, text in enumerate(texts)],
        related=links,
        clarify=list(texts),
        notices=[{"code": text, "text": text} for text in texts],
        metadata={"limited_mode": True, "model": texts[0]},
    )


async def attack(page: Page, texts: Sequence[str]) -> list[str]:
    """Show the texts as question, selection, model output and book content; what was executed."""

    async def reply(route: Route) -> None:
        sections = [{"title": text, "url": text} for text in texts]
        is_search = "/search" in route.request.url
        body = {"sections": sections} if is_search else everywhere(texts)
        await route.fulfill(body=json.dumps(body), content_type="application/json")

    for path in ("search**", "query", "query-selected-text"):
        await page.route(f"**/api/{path}", reply)
    words = "\n".join([*texts, "word " * 30])
    await page.evaluate("words => { document.getElementById('first').textContent = words }", words)
    await select_text(page, "first")
    await page.get_by_role("button", name="Ask about this").click()
    for scope in ("Only this text", "Whole book"):
        if not await page.get_by_label(scope).is_visible():
            await page.get_by_text("Answers from: ").click()
        await page.get_by_label(scope).check()
        panel = await ask(page, texts[0][:1000])
        await expect(panel.locator(".last .claim")).to_have_count(len(texts))
        await page.wait_for_timeout(200)
    live: list[str] = await page.evaluate(LIVE)
    executed: list[str] = await page.evaluate("executed")
    return executed + live
