"""Do the links that answers gave still lead to what was cited? Compared with a new build."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from functions.book.site.links import section_url
from quoth.site.built import BuiltSite, fragment_of

Verdict = Literal["ok", "moved", "changed", "gone"]


@dataclass(frozen=True, slots=True)
class StoredLink:
    """A link that was given out. `quotes` are the words cited there, none for a chunk's own link;
    `times` is how many answers gave it."""

    url: str
    source_path: str
    quotes: tuple[str, ...] = ()
    times: int = 0


@dataclass(frozen=True, slots=True)
class CheckedLink:
    """What became of a link. `url` is where it should lead now, "" when it is gone.

    "moved": the words, or the heading, stand elsewhere; "changed": the page is there, they are not.
    """

    link: StoredLink
    verdict: Verdict
    url: str


def resolves(site: BuiltSite, url: str, quotes: tuple[str, ...] = ()) -> bool:
    """Whether a link leads to a page that has its element and these words."""
    page = site.page(url)
    fragment = fragment_of(url)
    return (
        page is not None
        and (not fragment or fragment in page.ids)
        and all(page.has(quote) for quote in quotes)
    )


def check_link(link: StoredLink, site: BuiltSite) -> CheckedLink:
    """Resolve a link against a build with a manifest."""
    own = _own_page(link, site)
    stays = own is None or _bare(own) == _bare(link.url)
    if resolves(site, link.url, link.quotes) and (link.quotes or stays):
        return CheckedLink(link, "ok", link.url)
    if found := _found_again(link, own, site):
        return CheckedLink(link, "moved", found)
    if own is not None and site.page(own):
        return CheckedLink(link, "changed", own)
    if stays and link.quotes and site.page(link.url):
        return CheckedLink(link, "changed", link.url.split("#", 1)[0])
    return CheckedLink(link, "gone", "")


def _found_again(link: StoredLink, own: str | None, site: BuiltSite) -> str:
    """Where the words stand now, or the heading of a link without words; "" when nowhere."""
    if not link.quotes:
        moved = own + "#" + link.url.partition("#")[2] if own and "#" in link.url else own
        return moved if moved and moved != link.url and resolves(site, moved) else ""
    for url in _candidates(link, own, site):
        page = site.page(url)
        if page and all(page.has(quote) for quote in link.quotes):
            return section_url(url, page.heading_of(link.quotes[0]))
    return ""


def _candidates(link: StoredLink, own: str | None, site: BuiltSite) -> Iterator[str]:
    if own:
        yield own
    yield link.url.split("#", 1)[0]
    if site.manifest:
        yield from (page.permalink for page in site.manifest.pages.values())


def _own_page(link: StoredLink, site: BuiltSite) -> str | None:
    page = site.manifest.page_of(link.source_path) if site.manifest else None
    return page.permalink if page else None


def _bare(url: str) -> str:
    return url.split("#", 1)[0].rstrip("/")
