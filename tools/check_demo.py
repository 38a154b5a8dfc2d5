"""`quoth check-demo`: start the sample book and see for itself that four questions come right."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Awaitable, Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import click
import httpx2

from functions.answer.refusals import INSUFFICIENT_SELECTION, OUT_OF_SCOPE
from quoth.commands.ask import as_text
from quoth.commands.start_stack import EXPECTED, print_summary, served_book
from quoth.store import DEFAULT_BOOK, store_of

Response = dict[str, Any]
SECONDS = 60.0

ZMP = (
    "The Zero Moment Point (ZMP) is the point on the ground where the horizontal moments of "
    "gravity and inertia vanish. The ZMP is used for dynamic balance control in bipedal walking. "
    "A robot does not tip over while the ZMP stays inside the support polygon of its feet."
)


class WrongAnswer(Exception):
    """A question was not answered as it must be. The message says what is wrong."""


@click.command("check-demo")
def check_demo() -> None:
    """Ask the sample book four questions over HTTP; exit 0 only if the answers are right."""
    try:
        with tempfile.TemporaryDirectory(prefix="quoth-demo-") as folder:
            Path(folder).chmod(0o755)  # the database runs under an account of its own
            asyncio.run(_check(Path(folder)))
    except EXPECTED as error:
        raise click.ClickException(str(error)) from error
    except WrongAnswer as error:
        raise click.ClickException(f"The demo does not answer as it must: {error}") from error
    click.echo("All four answers are right.")


async def _check(data: Path) -> None:
    async with served_book(DEFAULT_BOOK, store_of(DEFAULT_BOOK, data), 0) as served:
        print_summary(served.stack)
        introduction = _text_of(DEFAULT_BOOK / "docs/01-foundations/01-what-is-physical-ai.md")
        async with httpx2.AsyncClient(base_url=served.url, timeout=SECONDS) as client:
            checks: list[tuple[str, str | None, Callable[[Response], Awaitable[None]]]] = [
                ("What are the benefits of Physical AI?", None, _benefits(client)),
                ("What is the capital of France?", None, _outside),
                ("What is ZMP used for?", ZMP, _cited_selection),
                ("What are Vision-Language-Action models?", introduction, _not_in_selection),
            ]
            for question, selected, check in checks:
                response = await _ask(client, question, selected)
                where = " (selected text)" if selected else ""
                click.echo(f"\n? {question}{where}\n{as_text(response)}")
                await check(response)


async def _ask(client: httpx2.AsyncClient, question: str, selected: str | None) -> Response:
    body = {"question": question, "session_id": "demo"}
    path = "/query"
    if selected is not None:
        body["selected_text"] = selected
        path = "/query-selected-text"
    reply = await client.post(path, json=body)
    _require(reply.status_code == httpx2.codes.OK, f"{path} answers {reply.status_code}")
    answer: Response = reply.json()
    return answer


def _benefits(client: httpx2.AsyncClient) -> Callable[[Response], Awaitable[None]]:
    async def check(response: Response) -> None:
        _require(response["status"] in ("answered", "partial"), "the benefits are refused")
        first = [c for c in response["citations"] if c["label"].startswith("Chapter 1,")]
        _require(bool(first), "no citation is of chapter 1")
        cited = {c["n"] for c in first}
        _require(
            cited & set(response["claims"][0]["citations"]) != set(),
            "the first sentence is not of chapter 1",
        )
        for citation in response["citations"]:
            await _check_link(client, citation)

    return check


async def _outside(response: Response) -> None:
    _require(response["status"] == "refused", "the capital of France is answered")
    _require(response["response"] == OUT_OF_SCOPE, "the refusal has other words")
    _require(bool(response["refusal"]["closest"]), "no closest sections are shown")


async def _cited_selection(response: Response) -> None:
    _require(response["status"] in ("answered", "partial"), "the ZMP selection is refused")
    _require("balance" in response["response"], "the answer does not say what the ZMP is for")
    kinds = {citation["kind"] for citation in response["citations"]}
    _require(kinds == {"selection"}, "the citations are not of the selection")


async def _not_in_selection(response: Response) -> None:
    _require(response["status"] == "refused", "the selection answers what it does not hold")
    _require(response["response"] == INSUFFICIENT_SELECTION, "the refusal has other words")


async def _check_link(client: httpx2.AsyncClient, citation: Response) -> None:
    """The page is there, has the element that the link names, and holds the quoted words."""
    parts = urlsplit(citation["url"])
    reply = await client.get(parts.path)
    _require(reply.status_code == httpx2.codes.OK, f"{citation['url']} is no page")
    page = _Page()
    page.feed(reply.text)
    anchor = unquote(parts.fragment)
    _require(not anchor or anchor in page.ids, f"{citation['url']} names no element of its page")
    for quote in citation["quotes"]:
        found = _folded(quote["exact"]) in _folded(" ".join(page.text))
        _require(found, f"{citation['url']} does not hold “{quote['exact']}”")


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids.update(value for name, value in attrs if name == "id" and value)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def _text_of(path: Path) -> str:
    """A page's first prose, as a reader would select it."""
    paragraphs = [
        part.strip()
        for part in path.read_text("utf-8").split("\n\n")
        if part.strip() and part.strip()[0].isalpha()
    ]
    return "\n\n".join(re.sub(r"[*`]", "", part) for part in paragraphs[:5])


def _folded(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise WrongAnswer(otherwise)
