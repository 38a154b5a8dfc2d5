"""Serves the book's pages with the widget in them."""

from __future__ import annotations

from html import escape
from pathlib import Path
from urllib.parse import quote, unquote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from functions.book.markdown.parse import UnreadableDocument
from functions.ingest.compose import layout_of
from functions.runtime.settings import Settings
from quoth.shipped import shipped
from quoth.site.contents import Contents, neighbours, read_contents
from quoth.site.llms_txt import FILE_NAME as LLMS_TXT
from quoth.site.llms_txt import write_llms_txt
from quoth.site.pages import FILES, Page, picture_at, render_page

WIDGET_PATH = "/_quoth/widget/quoth-widget.js"
HERE = Path(__file__).parent
SCRIPTS = {"formulas": 'class="math ', "tabs": 'class="tabs"', "scroll": ""}
WIDGET = shipped("widget/dist")
CSP = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
    " object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
)
PICTURE_HEADERS = {
    # An SVG that is opened by itself is a page, and could run a script.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
}


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
        if found is None and wanted in ("/", layout.base_url) and contents:
            found = contents[0]
        if found is None:
            text = "<h1>There is no such page</h1>"
            return html(_document("Not found", text, contents, "", endpoint), 404)
        try:
            rendered = await run_in_threadpool(render_page, found, contents, book, layout)
        except (UnreadableDocument, OSError):
            body = "<h1>This page cannot be read</h1>"
            return html(_document("Unreadable", body, contents, "", endpoint), 500)
        return html(_page(rendered, contents, endpoint))

    async def llms(request: Request) -> Response:
        contents = await run_in_threadpool(read_contents, book, layout)
        return PlainTextResponse(await run_in_threadpool(write_llms_txt, contents))

    async def picture(request: Request) -> Response:
        found = await run_in_threadpool(picture_at, book, request.path_params["key"])
        if found is None:
            return Response("There is no such picture.", 404, media_type="text/plain")
        return FileResponse(found, headers=PICTURE_HEADERS)

    return Starlette(
        routes=[
            Mount("/_quoth/widget", StaticFiles(directory=WIDGET)),
            Mount("/_quoth/site", StaticFiles(directory=HERE / "static")),
            Route(FILES + "{key:path}", picture),
            Route(f"/{LLMS_TXT}", llms),
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
<link rel="stylesheet" href="/_quoth/site/site.css">
{_scripts(body)}<script type="module" src="{WIDGET_PATH}"></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header><button type="button" popovertarget="contents">Contents</button></header>
<nav id="contents" popover aria-label="Table of contents">{_navigation(contents, source_path)}</nav>
<div><main id="text" tabindex="-1">{body}</main>{_pager(contents, source_path)}</div>
<quoth-widget {asks}></quoth-widget>
</body>
</html>
"""


def _scripts(body: str) -> str:
    """What the page needs; before the widget, which marks quotes in the page as it then is."""
    needed = (name for name, mark in SCRIPTS.items() if mark in body)
    tag = '<script type="module" src="/_quoth/site/{}.js"></script>\n'
    return "".join(map(tag.format, needed))


def _navigation(contents: list[Contents], source_path: str) -> str:
    lines: list[str] = []
    chapter = None
    for entry in (each for each in contents if each.listed):
        if entry.chapter != chapter:
            if chapter is not None:
                lines.append("</ul>")
            chapter = entry.chapter
            named = chapter and chapter != entry.title  # a chapter of one page needs no name twice
            lines.append(f"<p>{escape(chapter)}</p><ul>" if named else "<ul>")
        here = ' aria-current="page"' if entry.source_path == source_path else ""
        link = _link(entry)
        depth = f' class="depth-{min(entry.depth, 3)}"' if entry.depth else ""
        lines.append(f'<li{depth}><a href="{link}"{here}>{escape(entry.title)}</a></li>')
    return "".join([*lines, "</ul>"] if lines else [])


def _pager(contents: list[Contents], source_path: str) -> str:
    """The links to the pages before and after this one. Outside of <main>: no quote stands here."""
    before, after = neighbours(contents, source_path)
    links = "".join(
        f'<a rel="{rel}" href="{_link(page)}"><small>{words}</small> {escape(page.title)}</a>'
        for rel, words, page in (("prev", "Previous", before), ("next", "Next", after))
        if page is not None
    )
    return f'<nav class="pager" aria-label="Previous and next page">{links}</nav>' if links else ""


def _link(page: Contents) -> str:
    return quote(unquote(page.url), safe="/-_.~")
