"""`quoth llms-txt`: the book's pages for language models, beside the built site."""

from __future__ import annotations

from pathlib import Path

import click

from functions.book.site.manifest import ManifestUnreadable
from functions.runtime.plural import plural
from quoth.book_files import markdown_files
from quoth.book_layout import layout_of_folder
from quoth.commands.start_stack import check_book, plain_errors
from quoth.events.sync import BUILD_FOLDERS
from quoth.json_lines import BadRow
from quoth.site.built import BuiltSite
from quoth.site.contents import read_contents
from quoth.site.llms_txt import FILE_NAME, write_llms_txt


@click.command(name="llms-txt")
@click.argument("book", type=click.Path(path_type=Path))
@click.option(
    "--site",
    type=click.Path(path_type=Path),
    help="The folder of the built site; BOOK/build or BOOK/site.",
)
@click.option("--url", default="", help="The site's origin, such as https://book.example.org.")
@click.option("--title", default="", help="The book's title; that of its first page.")
def llms_txt(book: Path, site: Path | None, url: str, title: str) -> None:
    """Write llms.txt beside the built site: the pages of BOOK with their links.

    Links are those of the site's manifest; without one they follow the generator's rules.
    """
    book = check_book(book)
    built = (book / name for name in BUILD_FOLDERS if (book / name).is_dir())
    site = site or next(built, book / BUILD_FOLDERS[0])
    try:
        manifest = BuiltSite(site).manifest
    except (NotADirectoryError, ManifestUnreadable) as error:
        raise click.ClickException(
            f"{error}: build the site first, or name it with --site"
        ) from error
    with plain_errors(BadRow):
        layout = layout_of_folder(book, markdown_files(book))
    contents = read_contents(book, layout, manifest)
    text = write_llms_txt(contents, title, url)
    try:
        (site / FILE_NAME).write_text(text, "utf-8")
    except OSError as error:
        raise click.ClickException(f"{site / FILE_NAME} cannot be written: {error}") from error
    click.echo(f"Wrote {site / FILE_NAME}: {plural(text.count(']('), 'page')}.")
