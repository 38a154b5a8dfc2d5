"""Pages from templates, with the headers that keep other people's text from becoming script."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi.responses import HTMLResponse

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
SECTIONS = (
    ("/analytics", "Overview"),
    ("/analytics/pages/topics", "Topics"),
    ("/analytics/pages/review", "Review"),
    ("/analytics/pages/coverage", "Coverage"),
    ("/analytics/pages/quality", "Quality"),
    ("/analytics/pages/value", "Value"),
)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # when a page is wanted

    from functions.analytics.pages.format import FILTERS

    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters.update(FILTERS)
    return environment


def render(
    template: str, title: str, *, status: int = 200, here: str = "", query: str = "",
    signed_in: bool = True, **values: Any,
) -> HTMLResponse:  # fmt: skip
    """A page. `here` is the section it belongs to, `query` what keeps the period in its links."""
    page = _environment().get_template(template)
    text = page.render(
        title=title, here=here, query=query, signed_in=signed_in, sections=SECTIONS, **values
    )
    return HTMLResponse(text, status_code=status, headers=HEADERS)


def book_link(url: str, site: str) -> str:
    """A link into the book: on its own site, where that is another one. Never a script."""
    if url.startswith("/") and not url.startswith("//"):
        return site.rstrip("/") + url
    return url if url.startswith(("https://", "http://")) else "#"
