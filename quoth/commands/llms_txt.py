"""`quoth llms-txt`: the book's pages for language models, beside the built site."""

from __future__ import annotations

from pathlib import Path

import click

from functions.book.site.links import generator_of
from functions.book.site.manifest import ManifestUnreadable
from functions.ingest.prepare import BookLayout
from quoth.book_files import markdown_files
from quoth.commands.start_stack import check_book
from quoth.events.sync import BUILD_FOLDER
from quoth.site.built import BuiltSite
from quoth.site.llms_txt import FILE_NAME, write_llms_txt
from quoth.site.pages import read_contents


@click.command(name="llms-txt")
@click.argument("book", type=click.Path(path_type=Path))
@click.option(
    "--site", type=click.Path(path_type=Path), help="The folder of the built site; BOOK/build."
)
@click.option("--url", default="", help="The site's origin, such as https://book.example.org.")
@click.option("--title", default="", help="The book's title; that of its first page.")
def llms_txt(book: Path, site: Path | None, url: str, title: str) -> None:
    """Write llms.txt beside the built site: the pages of BOOK with their links.

    Links are those of the site's manifest; without one they follow the generator's rules.
    """
    book = check_book(book)
    site = site or book / BUILD_FOLDER
    try:
        manifest = BuiltSite(site).manifest
    except (NotADirectoryError, ManifestUnreadable) as error:
        raise click.ClickException(
            f"{error}: build the site first, or name it with --site"
        ) from error
    generator, docs_root = generator_of(list(markdown_files(book)))
    layout = BookLayout(generator=generator, docs_root=docs_root)
    contents = read_contents(book, layout, manifest)
    text = write_llms_txt(contents, title, url)
    try:
        (site / FILE_NAME).write_text(text, "utf-8")
    except OSError as error:
        raise click.ClickException(f"{site / FILE_NAME} cannot be written: {error}") from error
    click.echo(f"Wrote {site / FILE_NAME}: {text.count('](')} pages.")
