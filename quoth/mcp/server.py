"""An MCP server with the book as tools, for editors and assistants."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated, TypeVar

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from quoth.book_api import ApiFailed, BookApi
from quoth.mcp.answers import (
    BookAnswer,
    SectionList,
    as_markdown,
    list_as_markdown,
    read_answer,
    read_sections,
)
from quoth.mcp.sections import NoSection
from quoth.mcp.sections import read_section as read_section_of

INSTRUCTIONS = """\
Tools over one book. ask_book answers from the book alone: each statement was checked on the server
against the sentences that it cites, and a question that the book does not answer is refused. Give
the links of the sources with what you take from an answer. search_book finds sections, and
read_section gives the text of one.
"""
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)

Body = TypeVar("Body", bound=BaseModel)
Question = Annotated[
    str,
    Field(min_length=1, max_length=1000, description="One whole question, in the reader's words."),
]
Words = Annotated[str, Field(min_length=1, max_length=1000, description="What to look for.")]
Address = Annotated[
    str, Field(max_length=2000, description="A link of an answer or of search_book.")
]


def create_server(api: str, site: str, wait_s: float) -> MCPServer[None]:
    """The server over the API at `api`; links lead to `site`. A question waits at most `wait_s`."""
    book = BookApi(api, site)

    @asynccontextmanager
    async def connected(_: MCPServer[None]) -> AsyncIterator[None]:
        async with book:
            yield

    server: MCPServer[None] = MCPServer(
        "quoth", instructions=INSTRUCTIONS, lifespan=connected, log_level="WARNING"
    )

    @server.tool(annotations=READS)
    async def ask_book(
        question: Question, ctx: Context[None]
    ) -> Annotated[CallToolResult, BookAnswer]:
        """Ask the book. The answer cites it, or says that the book does not answer."""

        async def report(sentence: str) -> None:
            await ctx.report_progress(0.0, message=sentence)

        try:
            answer = await book.ask("/query", {"question": question}, wait_s, report)
            return _result(read_answer(answer, site), as_markdown)
        except KeyError as error:
            raise ToolError(f"{api} does not answer as Quoth does.") from error
        except ApiFailed as error:
            raise ToolError(str(error)) from error

    @server.tool(annotations=READS)
    async def search_book(query: Words) -> Annotated[CallToolResult, SectionList]:
        """Find sections of the book, best first."""
        try:
            return _result(read_sections(await book.search(query), site), list_as_markdown)
        except ApiFailed as error:
            raise ToolError(str(error)) from error

    @server.tool(annotations=READS)
    async def read_section(url: Address) -> str:
        """Read one section of the book, as its page shows it."""
        try:
            return await read_section_of(site, url)
        except NoSection as error:
            raise ToolError(str(error)) from error

    return server


def _result(body: Body, shown: Callable[[Body], str]) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=shown(body))],
        structured_content=body.model_dump(mode="json"),
    )
