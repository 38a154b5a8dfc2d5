"""`quoth links …`: are the links that answers gave still good?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click
import psycopg

from functions.book.site.links import section_url
from functions.book.site.manifest import FILE_NAME, ManifestUnreadable
from functions.runtime.plural import plural
from quoth.commands.start_stack import check_book, plain_errors
from quoth.commands.stored_book import StoredBook, database_errors, with_stored_book
from quoth.site.built import BuiltSite, fragment_of

ROLE = "quoth_analytics"
CONNECT_SECONDS = 10
CITED = (
    "SELECT cited ->> 'url', cited ->> 'source_path',"
    " ARRAY(SELECT quote ->> 'exact' FROM jsonb_array_elements(cited -> 'quotes') AS quote),"
    " count(*) FROM responses, jsonb_array_elements(source_references) AS cited"
    " WHERE cited ->> 'kind' = 'book' GROUP BY 1, 2, 3 ORDER BY 1, 3"
)
CHUNKS = (
    "SELECT DISTINCT chunks.body ->> 'url', documents.source_path"
    " FROM chunks JOIN documents ON documents.id = document_id WHERE deleted_at IS NULL ORDER BY 1"
)


@click.group()
def links() -> None:
    """Check the links of stored answers and of the index."""


@links.command()
@click.option(
    "--site", type=click.Path(path_type=Path), required=True, help="The folder of the new build."
)
@with_stored_book
def check(stored: StoredBook, site: Path) -> None:
    """Tell which links a new build of the site moved, changed or lost; exit with 1 if it lost any.

    The links are those of all answers that are kept, and those of the index.
    """
    try:
        built = BuiltSite(site)
        if built.manifest is None:
            raise click.UsageError(f"{site} has no {FILE_NAME}: build it with Quoth's plugin.")
    except (NotADirectoryError, ManifestUnreadable) as error:
        raise click.UsageError(str(error)) from error
    if not stored.url:
        check_book(stored.book)
    with plain_errors(), database_errors(), stored.database(ROLE) as address:
        checked = [check_link(link, built) for link in _stored_links(address)]
    for each in checked:
        if each.verdict != "ok":
            click.echo(_as_line(each))
    counts = Counter(each.verdict for each in checked)
    click.echo(
        f"{plural(len(checked), 'link')}: {counts['ok']} good, {counts['moved']} moved,"
        f" {counts['changed']} changed, {counts['gone']} gone"
    )
    if counts["gone"]:
        raise SystemExit(1)


def _as_line(checked: CheckedLink) -> str:
    link = checked.link
    parts = [f"{checked.verdict:<8}{link.url}"]
    if checked.url:
        parts.append(f"→ {checked.url}")
    parts.append(f"({link.source_path}, {_used(link)})")
    if link.quotes:
        parts.append(f"“{link.quotes[0][:80]}”")
    return " ".join(parts)


def _used(link: StoredLink) -> str:
    if not link.times:
        return "in the index"
    return f"cited {link.times} times" if link.times > 1 else "cited once"


def _stored_links(address: str) -> list[StoredLink]:
    with psycopg.connect(address, connect_timeout=CONNECT_SECONDS) as connection:
        cited = connection.execute(CITED).fetchall()
        chunks = connection.execute(CHUNKS).fetchall()
    return [StoredLink(url, path, tuple(quotes), times) for url, path, quotes, times in cited] + [
        StoredLink(url, path) for url, path in chunks
    ]


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
    """The result of checking a link. `url` is where it should lead now, "" when it is gone.

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
