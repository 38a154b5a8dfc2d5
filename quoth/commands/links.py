"""`quoth links …`: are the links that answers gave still good?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click
import psycopg

from functions.book.site.manifest import FILE_NAME, ManifestUnreadable
from quoth.commands.start_stack import EXPECTED, check_book
from quoth.commands.stored_book import database_of
from quoth.site.built import BuiltSite
from quoth.site.link_check import CheckedLink, StoredLink, check_link
from quoth.store import DEFAULT_BOOK, store_of

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
    """The links of stored answers and of the index."""


@links.command()
@click.option(
    "--site", type=click.Path(path_type=Path), required=True, help="The folder of the new build."
)
@click.option("--book", type=click.Path(path_type=Path), default=DEFAULT_BOOK, help="The book.")
@click.option("--data", type=click.Path(path_type=Path), help="Where the book's data is kept.")
@click.option("--database-url", envvar="QUOTH_DATABASE_URL", help="A database instead of these.")
def check(site: Path, book: Path, data: Path | None, database_url: str | None) -> None:
    """Tell which links a new build of the site moved, changed or lost; exit with 1 if it lost any.

    The links are those of all answers that are kept, and those of the index.
    """
    try:
        built = BuiltSite(site)
        if built.manifest is None:
            raise click.UsageError(f"{site} has no {FILE_NAME}: build it with quoth-docusaurus.")
    except (NotADirectoryError, ManifestUnreadable) as error:
        raise click.UsageError(str(error)) from error
    try:
        if database_url:
            stored = _stored_links(database_url)
        else:
            with database_of(store_of(check_book(book), data), ROLE) as address:
                stored = _stored_links(address)
    except psycopg.Error as error:
        raise click.ClickException(f"The database: {error}") from error
    except EXPECTED as error:
        raise click.ClickException(str(error)) from error
    checked = [check_link(link, built) for link in stored]
    for each in checked:
        if each.verdict != "ok":
            click.echo(_as_line(each))
    counts = Counter(each.verdict for each in checked)
    click.echo(
        f"{len(checked)} links: {counts['ok']} good, {counts['moved']} moved,"
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
