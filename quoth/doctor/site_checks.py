"""Is the site that readers see the one the manifest speaks of?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import httpx2

from functions.book.site.manifest import Manifest, ManifestPage
from quoth.doctor.findings import Finding, failed, passed

AT_ONCE = 8
SECONDS = 15.0
SHOWN = 5


def check_site(manifest: Manifest, site: str) -> list[Finding]:
    """Ask the site for every page of the manifest; `site` is scheme://host."""
    return asyncio.run(_check(manifest.pages.values(), site))


async def _check(pages: Iterable[ManifestPage], site: str) -> list[Finding]:
    lane = asyncio.Semaphore(AT_ONCE)
    async with httpx2.AsyncClient(timeout=SECONDS, follow_redirects=True) as http:

        async def ask(page: ManifestPage) -> tuple[str, str]:
            async with lane:
                try:
                    answer = await http.get(f"{site.rstrip('/')}{page.permalink}")
                except httpx2.HTTPError as error:
                    return page.permalink, type(error).__name__
            if answer.status_code != 200:
                return page.permalink, str(answer.status_code)
            lost = [h.id for h in page.headings if h.id and not _has_id(answer.text, h.id)]
            return page.permalink, f"no #{lost[0]}" if lost else ""

        answers = await asyncio.gather(*(ask(page) for page in pages))
    wrong = [f"{path} ({said})" for path, said in answers if said]
    if not wrong:
        return [passed("site.pages", f"all {len(answers)} pages are where the manifest says")]
    more = f" and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
    return [
        failed(
            "site.pages",
            f"{len(wrong)} of {len(answers)} are not: {', '.join(wrong[:SHOWN])}{more}",
            "build the site with quoth-docusaurus, publish it, and put its manifest in the bucket",
        )
    ]


def _has_id(html: str, name: str) -> bool:
    return any(f"id={quote}{name}{quote}" in html for quote in ('"', "'", ""))
