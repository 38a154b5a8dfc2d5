"""The text of a section, from the page that readers see."""

from __future__ import annotations

from urllib.parse import unquote, urljoin, urlsplit

import httpx2
from bs4 import BeautifulSoup, Tag
from markdownify import markdownify

SECONDS = 30.0
LONGEST_PAGE = 8 * 1024 * 1024
"""Bytes."""
LONGEST_SECTION = 40_000
"""Characters."""
MOST_REDIRECTS = 5
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
NOT_TEXT = ["script", "style", "nav", "button", "svg", "quoth-widget", "template"]
PERMALINKS = ".hash-link, .headerlink, .header-anchor"
"""The links to themselves that generators put into headings."""


class NoSection(Exception):
    """The section cannot be read. The message says why, for a person."""


async def read_section(site: str, address: str) -> str:
    """The section at an address of the site, as Markdown; the page without a fragment.

    `address` may be relative to the site. Raises NoSection.
    """
    url = _inside(site, site, address)
    if url is None:
        raise NoSection(f"{address} is not a page of this book's site, {site}.")
    html = await _fetch(site, url)
    return _text_of(html, unquote(urlsplit(url).fragment), url)


def _inside(site: str, page: str, link: str) -> str | None:
    """Where a link of a page leads; None when that is not the site."""
    try:
        url = urljoin(page, link)
        return url if urlsplit(url)[:2] == urlsplit(site)[:2] else None
    except ValueError:
        return None


async def _fetch(site: str, url: str) -> bytes:
    """A page. Redirects are followed within the site: many add a slash."""
    async with httpx2.AsyncClient(timeout=SECONDS) as http:
        for _ in range(MOST_REDIRECTS):
            try:
                async with http.stream("GET", url) as reply:
                    if reply.has_redirect_location:
                        target = _inside(site, url, reply.headers["location"])
                        if target is None:
                            raise NoSection(f"{url} has moved to another site.")
                        url = target
                        continue
                    if not reply.is_success:
                        raise NoSection(f"There is no page at {url} (HTTP {reply.status_code}).")
                    return await _content(reply)
            except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                raise NoSection(f"{site} cannot be reached. Is the site running?") from error
    raise NoSection(f"{url} redirects too often.")


async def _content(reply: httpx2.Response) -> bytes:
    content = bytearray()
    async for part in reply.aiter_bytes():
        content += part
        if len(content) > LONGEST_PAGE:
            raise NoSection("The page is too long to be read.")
    return bytes(content)


def _text_of(html: bytes, fragment: str, url: str) -> str:
    page = BeautifulSoup(html, "html.parser")
    main = page.find("article") or page.find("main") or page.body or page
    for unread in [*main.find_all(NOT_TEXT), *main.select(PERMALINKS)]:
        unread.decompose()
    for link in main.select("a[href]"):
        link["href"] = urljoin(url, str(link["href"]))
    for link in main.select(", ".join(f"{name} > a" for name in HEADINGS)):
        link.unwrap()
    found: list[Tag] = [main]
    if fragment:
        target = main.find(id=fragment)
        if not isinstance(target, Tag):
            raise NoSection(f"The page has no section #{fragment}: {url}")
        found = _section(target)
    text = "\n\n".join(_as_markdown(each) for each in found)
    if len(text) > LONGEST_SECTION:
        return f"{text[:LONGEST_SECTION]}\n\n(The rest is at {url})"
    return text


def _section(target: Tag) -> list[Tag]:
    """A heading and what follows it, up to the next one of its level or above."""
    heading = target if target.name in HEADINGS else target.find_parent(HEADINGS) or target
    if heading.name not in HEADINGS:
        return [heading]
    level = HEADINGS.index(heading.name)
    found = [heading]
    for each in heading.find_next_siblings():
        if each.name in HEADINGS[: level + 1]:
            break
        found.append(each)
    return found


def _as_markdown(element: Tag) -> str:
    return markdownify(str(element), heading_style="ATX", bullets="-").strip()
