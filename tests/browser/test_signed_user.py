"""Who the site says is reading goes with the session, and nowhere else."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import Page, Route, expect
from reading import ask
from scripted_book import BENEFITS

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("user", [{"user_id": "lea-4711", "user_hash": "f00d"}, {}])
async def test_the_sites_user_goes_with_the_session(page: Page, user: dict[str, str]) -> None:
    begun: list[dict[str, str]] = []
    asked: list[tuple[dict[str, str], str | None]] = []

    async def begin(route: Route) -> None:
        begun.append(json.loads(route.request.post_data or "{}"))
        await route.fulfill(body=json.dumps({"token": "signed", "expires_in_s": 900}))

    async def note(route: Route) -> None:
        headers = await route.request.all_headers()
        asked.append((json.loads(route.request.post_data or "{}"), headers.get("authorization")))
        await route.fallback()

    await page.route("**/api/session", begin)
    await page.route("**/api/query", note)
    for name, value in user.items():
        await page.locator("quoth-widget").evaluate(
            "(widget, [name, value]) => widget.setAttribute(name, value)",
            [name.replace("_", "-"), value],
        )
    panel = await ask(page, "What are the benefits?")
    await expect(panel.locator(".claim").first).to_contain_text(BENEFITS)
    assert begun == [{"session_id": asked[0][0]["session_id"], **user}]
    assert [authorization for _, authorization in asked] == ["Bearer signed"]
    assert not user.keys() & asked[0][0].keys()
