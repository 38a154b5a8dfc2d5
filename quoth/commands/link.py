"""`quoth link`: a new link to the dashboard, while `quoth up` runs."""

from __future__ import annotations

from pathlib import Path

import click

from quoth.dashboard_link import DashboardLink
from quoth.store import DEFAULT_BOOK, store_of


@click.command()
@click.argument("book", type=click.Path(path_type=Path), default=DEFAULT_BOOK)
@click.option("--data", type=click.Path(path_type=Path), help="Where the book's data is kept.")
def link(book: Path, data: Path | None) -> None:
    """Print a link that lets one administrator into the dashboard of the running BOOK.

    It opens once. A link made before and not used stops working.
    """
    store = store_of(book, data)
    url = store.running_url
    if url is None:
        raise click.ClickException(f"No `quoth up` of {book} is running.")
    click.echo(url + DashboardLink(store.dashboard_link).renew())
