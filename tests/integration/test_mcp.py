"""`quoth mcp` by the SDK's own client over stdio, in front of services that run."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import Any

import pytest
from click.testing import CliRunner
from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from quoth.cli import main
from quoth.local_server import free_port, served
from quoth.site.app import create_site
from tests.integration.http_stage import served_functions
from tests.integration.sample_stage import BOOK
from tests.integration.standing import TICKET_KEY, Standing
from tests.integration.up_process import command

pytest_plugins = ("tests.integration.standing_fixtures",)

ZMP = "What is the ZMP used for?"
PAGE = "/balance-and-walking/zero-moment-point"
ALL = {
    "ask_book": {"question": ZMP},
    "search_book": {"query": "ZMP"},
    "read_section": {"url": "/"},
}


@asynccontextmanager
async def client(api: str, *options: str) -> AsyncIterator[Client]:
    program, *arguments = command("mcp", "--api", api, *options)
    server = StdioServerParameters(command=program, args=arguments)
    async with Client(stdio_client(server, errlog=sys.stderr)) as connected:
        yield connected


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def call(api: str, tool: str, *options: str, **arguments: Any) -> tuple[str, bool]:
    async with client(api, *options) as connected:
        result = await connected.call_tool(tool, arguments)
    return text_of(result), bool(result.is_error)


@pytest.fixture
def site(parts: Standing) -> Iterator[str]:
    """The sample book's pages, as `quoth up` serves them."""
    with served(create_site(BOOK, parts.stage.settings("ingest"))) as url:
        yield url


@pytest.fixture
def api(parts: Standing, site: str) -> Iterator[str]:
    waiting = {
        "outbox_url": parts.emulator.outbox_urls["query"],
        "outbox_endpoint": parts.emulator.url,
        "ticket_key": TICKET_KEY,
        "allowed_origins": site,
    }
    with served_functions(parts.stage, **waiting) as url:
        yield url


BUSY = """
    UPDATE limit_settings SET running_cap = 1;
    INSERT INTO admissions (query_id, reader, mode, status, accepted_at, started_at, lease_until)
    VALUES ('00000000-0000-0000-0000-000000000001', 'another reader', 'book-wide', 'running',
            clock_timestamp(), clock_timestamp(), clock_timestamp() + interval '1 hour')
"""
FREE = """
    UPDATE limit_settings SET running_cap = 200;
    DELETE FROM admissions WHERE reader = 'another reader'
"""


@contextmanager
def busy(parts: Standing) -> Iterator[None]:
    """Another reader has the only place."""
    parts.sql(BUSY)
    try:
        yield
    finally:
        parts.sql(FREE)


async def test_names_three_tools_that_only_read(api: str, site: str) -> None:
    async with client(api, "--site", site) as connected:
        tools = (await connected.list_tools()).tools
        assert "checked on the server" in str(connected.instructions)
    assert [tool.name for tool in tools] == ["ask_book", "search_book", "read_section"]
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)


async def test_answers_with_links_to_quotes_and_reads_the_cited_section(
    api: str, site: str
) -> None:
    async with client(api, "--site", site) as connected:
        answer = await connected.call_tool("ask_book", {"question": ZMP})
        assert not answer.is_error
        data = answer.structured_content
        assert data is not None
        source = data["sources"][0]
        section = await connected.call_tool("read_section", {"url": source["url"]})
    assert data["status"] == "answered"
    assert {each["proof"] for each in data["statements"]} == {"verbatim"}
    assert data["statements"][0]["sources"] == [source["n"]]
    assert source["url"].startswith(f"{site}{PAGE}#")
    told = text_of(answer)
    assert "[1]" in told
    assert f"]({source['url']})" in told
    assert f"> {source['quotes'][0]}" in told
    assert not section.is_error
    assert source["quotes"][0] in text_of(section)
    assert text_of(section).startswith("## ")


async def test_a_refused_question_is_a_result_with_the_closest_sections(
    api: str, site: str
) -> None:
    async with client(api, "--site", site) as connected:
        refused = await connected.call_tool("ask_book", {"question": "Who painted the Mona Lisa?"})
    assert not refused.is_error
    data = refused.structured_content
    assert data is not None
    assert (data["status"], data["sources"], data["statements"]) == ("refused", [], [])
    assert data["closest"]
    assert "I cannot answer questions outside the scope of this book" in text_of(refused)
    assert f"]({data['closest'][0]['url']})" in text_of(refused)


async def test_finds_sections(api: str, site: str) -> None:
    text, is_error = await call(api, "search_book", "--site", site, query="zero moment point")
    assert not is_error
    assert text.startswith("- [")
    assert f"({site}{PAGE}" in text


UNKNOWN = [
    ("/no/such/page", "There is no page at"),
    (f"{PAGE}#no-such-section", "The page has no section #no-such-section"),
    ("http://127.0.0.1:9/x", "is not a page of this book's site"),
    ("//127.0.0.1:9/x", "is not a page of this book's site"),
    ("file:///etc/passwd", "is not a page of this book's site"),
    ("http://[::1/x", "is not a page of this book's site"),
]


async def test_an_unknown_section_is_a_clear_error(api: str, site: str) -> None:
    async with client(api, "--site", site) as connected:
        for url, said in UNKNOWN:
            result = await connected.call_tool("read_section", {"url": url})
            assert result.is_error, url
            assert said in text_of(result), url


async def test_a_dead_server_is_a_clear_error() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    async with client(url) as connected:
        for tool, arguments in ALL.items():
            result = await connected.call_tool(tool, arguments)
            assert result.is_error
            assert f"{url} cannot be reached." in text_of(result)


async def _elsewhere(request: Request) -> Response:
    if request.url.path == "/moved":
        return RedirectResponse("/page/")
    if request.url.path == "/away":
        return RedirectResponse("http://127.0.0.1:9/stolen")
    if request.url.path == "/round":
        return RedirectResponse("/round")
    return HTMLResponse(
        "<nav>Menu</nav><main><h2 id='a'>A<a class='hash-link' href='#a'>#</a></h2><p>One.</p>"
        "<table><tr><th>K</th></tr><tr><td>V</td></tr></table><h3 id='b'>B</h3><p>Two, "
        "<a href='../other'>see</a>.</p><h2 id='c'>C</h2><p>Three.</p></main>"
    )


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[str]:
    route = Route("/{path:path}", _elsewhere, methods=["GET", "POST"])
    with served(Starlette(routes=[route])) as url:
        yield url


async def test_an_address_that_is_no_book_is_a_clear_error(elsewhere: str) -> None:
    async with client(elsewhere) as connected:
        for tool in ("ask_book", "search_book"):
            result = await connected.call_tool(tool, ALL[tool])
            assert result.is_error
            assert "does not answer as Quoth does" in text_of(result)


async def test_a_section_ends_at_the_next_heading_of_its_level(elsewhere: str) -> None:
    text, is_error = await call(elsewhere, "read_section", url="/page#a")
    assert not is_error
    assert text.startswith("## A\n\nOne.")
    assert "| V |" in text
    assert f"### B\n\nTwo, [see]({elsewhere}/other)." in text
    assert "Three" not in text
    assert "Menu" not in text


async def test_redirects_are_followed_within_the_site(elsewhere: str) -> None:
    async with client(elsewhere) as connected:
        for path, said in (
            ("/moved", "Three."),
            ("/away", "has moved to another site"),
            ("/round", "redirects too often"),
        ):
            result = await connected.call_tool("read_section", {"url": path})
            assert said in text_of(result)


async def test_a_question_that_cannot_be_asked_is_a_clear_error(api: str, site: str) -> None:
    async with client(api, "--site", site) as connected:
        for question in ("", "x" * 1_001):
            result = await connected.call_tool("ask_book", {"question": question})
            assert result.is_error
            assert "question" in text_of(result)


async def test_waits_in_the_queue_and_brings_the_answer(
    api: str, site: str, parts: Standing
) -> None:
    told: list[str] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append(str(message))
        parts.sql(FREE)

    with busy(parts):
        async with client(api, "--site", site) as connected:
            answer = await connected.call_tool(
                "ask_book", {"question": ZMP}, progress_callback=progress
            )
    assert "dynamic balance control" in text_of(answer)
    assert told
    assert "Your question is queued" in told[0]


async def test_waits_for_a_deferred_answer(api: str, site: str, parts: Standing) -> None:
    told = asyncio.Event()

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.set()

    async with client(api, "--site", site) as connected:
        with ExitStack() as away:
            away.enter_context(parts.postgres_stopped())
            away.enter_context(parts.qdrant_killed())
            asked = asyncio.create_task(
                connected.call_tool("ask_book", {"question": ZMP}, progress_callback=progress)
            )
            await asyncio.wait_for(told.wait(), 60)
        with ThreadPoolExecutor(1) as thread:  # it runs an event loop of its own
            retried = await asyncio.wrap_future(thread.submit(parts.retry, "query"))
        answer = await asyncio.wait_for(asked, 90)
    assert retried["answered"] == 1
    assert not answer.is_error
    assert "dynamic balance control" in text_of(answer)


async def test_says_so_when_the_wait_is_too_long(api: str, site: str, parts: Standing) -> None:
    with busy(parts):
        text, is_error = await call(api, "ask_book", "--site", site, "--wait", "0", question=ZMP)
    assert not is_error
    assert "Your question is queued" in text


@pytest.mark.parametrize("url", ["book.example.org", "ftp://book.example.org", "http://"])
def test_an_address_without_a_scheme_is_refused_at_the_start(url: str) -> None:
    result = CliRunner().invoke(main, ["mcp", "--api", url])
    assert result.exit_code == 2
    assert "begins with http" in result.output
