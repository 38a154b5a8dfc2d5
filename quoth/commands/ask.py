"""`quoth ask`: one question, answered by the running book or by one started for it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import click

from quoth.book_api import ApiFailed, BookApi
from quoth.store import DEFAULT_BOOK, store_of

WAIT_S = 120.0
"""For a question that is queued."""


@click.command()
@click.argument("question")
@click.option("--book", type=click.Path(path_type=Path), default=DEFAULT_BOOK, help="The book.")
@click.option("--data", type=click.Path(path_type=Path), help="Where the book's data is kept.")
@click.option("--selected", type=click.Path(path_type=Path), help="Ask only the text in this file.")
@click.option("--json", "as_json", is_flag=True, help="Print the raw JSON response.")
@click.option("--url", help="Ask a server at this address.")
def ask(
    question: str,
    book: Path,
    selected: Path | None,
    as_json: bool,
    url: str | None,
    data: Path | None,
) -> None:
    """Ask the book a QUESTION."""
    body: dict[str, Any] = {"question": question}
    path = "/query"
    if selected is not None:
        try:
            body["selected_text"] = selected.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise click.ClickException(f"{selected} cannot be read: {error}") from error
        path = "/query-selected-text"
    try:
        answer = _ask(book, data, url, path, body)
    except ApiFailed as error:
        raise click.ClickException(str(error)) from error
    click.echo(json.dumps(answer, ensure_ascii=False) if as_json else as_text(answer))


def _ask(
    book: Path, data: Path | None, url: str | None, path: str, body: dict[str, Any]
) -> dict[str, Any]:
    url = url or store_of(book, data).running_url
    if url is not None:
        return asyncio.run(_post(url, path, body))
    # Only now: starting the parts takes seconds to import, asking a running server does not.
    from quoth.commands.start_stack import check_book, plain_errors, served_book

    async def start_and_ask() -> dict[str, Any]:
        async with served_book(check_book(book), store_of(book, data), 0) as served:
            return await _post(served.url, path, body)

    with plain_errors():
        return asyncio.run(start_and_ask())


async def _post(url: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    async with BookApi(url) as api:
        return await api.ask(path, body, WAIT_S, _say)


async def _say(sentence: str) -> None:
    click.echo(sentence, err=True)


def as_text(answer: dict[str, Any]) -> str:
    """A response for reading: the text, its citations, or the closest sections."""
    lines = [answer["response"]]
    for citation in answer.get("citations", []):
        lines.append(f"  [{citation['n']}] {citation['label']}  {citation['url']}")
        lines += [f"      “{quote['exact']}”" for quote in citation["quotes"]]
    closest = (answer.get("refusal") or {}).get("closest", [])
    if closest:
        lines.append("Closest sections:")
        lines += [f"  {section['title']}  {section['url']}" for section in closest]
    if further := answer.get("clarify", []):
        lines += ["Ask on:", *(f"  {question}" for question in further)]
    lines += [notice["text"] for notice in answer.get("notices", [])]
    return "\n".join(lines)
