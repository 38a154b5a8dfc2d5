"""`quoth mcp`: the book as tools for editors and assistants."""

from __future__ import annotations

from urllib.parse import urlsplit

import click

from quoth.mcp.server import create_server

WAIT_S = 120.0


def _address(context: click.Context, parameter: click.Parameter, url: str | None) -> str | None:
    if url is not None and (
        urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc
    ):
        raise click.BadParameter("an address begins with http:// or https://")
    return url


@click.command()
@click.option(
    "--api", metavar="URL", required=True, callback=_address, help="Where the book's API answers."
)
@click.option(
    "--site",
    metavar="URL",
    callback=_address,
    help="Where the book's pages are, when not at the API's address.",
)
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=WAIT_S,
    show_default=True,
    help="Longest wait for a queued question, in seconds.",
)
def mcp(api: str, site: str | None, wait: float) -> None:
    """Serve a book to editors and assistants by the Model Context Protocol, over stdio.

    Tools: ask_book, search_book and read_section. An MCP client starts this command.
    """
    create_server(api, site or api, wait).run("stdio")
