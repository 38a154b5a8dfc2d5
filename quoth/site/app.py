"""Serves the book's pages with the widget in them."""

from __future__ import annotations

from html import escape
from pathlib import Path
from urllib.parse import quote, unquote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from functions.book.markdown.parse import UnreadableDocument
from functions.ingest.compose import layout_of
from functions.runtime.settings import Settings
from quoth.shipped import shipped
from quoth.site.pages import Contents, Page, read_contents, render_page

WIDGET_PATH = "/_quoth/widget/quoth-widget.js"
HERE = Path(__file__).parent
WIDGET = shipped("widget/dist")
CSP = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
    " object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
)


def create_site(book: Path, settings: Settings, endpoint: str = "") -> Starlette:
    """The pages of a book's folder, read anew at each request.

    `endpoint` is where the functions answer, when that is not where the pages are.
    """
    layout = layout_of(settings)

    def html(body: str, status: int = 200) -> HTMLResponse:
        return _html(body, status, endpoint)

    async def page(request: Request) -> Response:
        contents = await run_in_threadpool(read_contents, book, layout)
        wanted = request.url.path
        found = next((c for c in contents if _same(c.url, wanted)), None)
        if found is None and wanted == layout.base_url and contents:
            found = contents[0]
        if found is None:
            text = "<h1>There is no such page</h1>"
            return html(_document("Not found", text, contents, "", endpoint), 404)
        try:
            rendered = await run_in_threadpool(render_page, found)
        except (UnreadableDocument, OSError):
            body = "<h1>This page cannot be read</h1>"
            return html(_document("Unreadable", body, contents, "", endpoint), 500)
        return html(_page(rendered, contents, endpoint))

    async def style(request: Request) -> Response:
        return FileResponse(HERE / "site.css", media_type="text/css")

    return Starlette(
        routes=[
            Mount("/_quoth/widget", StaticFiles(directory=WIDGET)),
            Route("/_quoth/site.css", style),
            Route("/{path:path}", page),
        ]
    )


def _same(url: str, path: str) -> bool:
    return unquote(url).rstrip("/") == path.rstrip("/")


def _html(body: str, status: int, endpoint: str) -> HTMLResponse:
    policy = f"{CSP}; connect-src 'self' {endpoint}" if endpoint else CSP
    headers = {"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff"}
    return HTMLResponse(body, status_code=status, headers=headers)


def _page(page: Page, contents: list[Contents], endpoint: str) -> str:
    return _document(page.title, page.body, contents, page.source_path, endpoint)


def _document(
    title: str,
    body: str,
    contents: list[Contents],
    source_path: str,
    endpoint: str,
) -> str:
    asks = f'endpoint="{escape(endpoint)}" page-source="{escape(source_path)}"'
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/_quoth/site.css">
<script type="module" src="{WIDGET_PATH}"></script>
</head>
<body>
<nav aria-label="Table of contents">{_navigation(contents, source_path)}</nav>
<main>{body}</main>
<quoth-widget {asks}></quoth-widget>
</body>
</html>
"""


def _navigation(contents: list[Contents], source_path: str) -> str:
    lines: list[str] = []
    chapter = None
    for entry in contents:
        if entry.chapter != chapter:
            if chapter is not None:
                lines.append("</ul>")
            chapter = entry.chapter
            lines.append(f"<p>{escape(chapter)}</p><ul>")
        here = ' aria-current="page"' if entry.source_path == source_path else ""
        link = quote(unquote(entry.url), safe="/-_.~")
        lines.append(f'<li><a href="{link}"{here}>{escape(entry.title)}</a></li>')
    return "".join([*lines, "</ul>"] if lines else [])
