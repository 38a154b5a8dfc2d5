"""Shared by the pages of the dashboard: access, the period, rendering, and errors as pages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse
from fastapi.routing import APIRoute

from functions.adapters.aws.secrets import SecretUnavailable
from functions.adapters.postgres.analytics_settings import read_settings, today_in
from functions.adapters.postgres.database import Database, DatabaseRejected, DatabaseUnavailable
from functions.analytics.auth.access import Access, check_form
from functions.analytics.metrics.period import DEFAULT_DAYS, Period
from functions.runtime.logs import logger
from functions.runtime.settings import Settings
from functions.web.errors import ApiError
from functions.web.fields import clean

if TYPE_CHECKING:
    from jinja2 import Environment

LONGEST_FORM = 20_000
REFRESH_SECONDS = 2.5
"""The longest a page waits for questions to be grouped."""
NO_EMBEDDINGS = "What the book lacks is not grouped: no embeddings are set up for the dashboard."
STALE_TOPICS = "What the book lacks could not be grouped just now; these are the last groups."
AWAY = "The metrics cannot be read right now. Please try again."
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


@dataclass(frozen=True)
class View:
    """What a page is asked to show: a period, which its links keep. `section`: its place in the
    navigation. `csrf`: the token of its forms."""

    section: str
    period: Period
    today: date
    csrf: str

    @property
    def query(self) -> str:
        return _query(self.period)

    @property
    def presets(self) -> list[tuple[str, str]]:
        zone = self.period.time_zone
        this_month = Period.of_month(self.today, zone)
        return [
            *(
                (f"{days} days", _query(Period.of_last_days(days, self.today, zone)))
                for days in (7, 28, 90)
            ),
            ("this month", _query(this_month)),
            ("last month", _query(this_month.previous())),
        ]

    def render(
        self, template: str, title: str, *, status: int = 200, **values: Any
    ) -> HTMLResponse:
        return render(
            template, title, status=status, here=self.section, query=self.query,
            period=self.period, presets=self.presets, csrf=self.csrf, **values,
        )  # fmt: skip


class Dashboard:
    """What the pages share. Connects to the database when the first page is requested."""

    def __init__(
        self, read: Callable[[], Settings], access: Access, database: Callable[[], Database]
    ) -> None:
        self._read = read
        self._database = database
        self._access = access

    @property
    def database(self) -> Database:
        return self._database()

    @property
    def site(self) -> str:
        """The origin of the book, where it is not the dashboard's."""
        if self._read().stage == "local":
            return ""
        return self._read().allowed_origins.split(",")[0].strip()

    async def guard(self, request: Request) -> None:
        await self._access.guard(request)

    async def view(self, request: Request) -> View:
        """The view that an administrator asks for: 28 days without a period. ApiError."""
        administrator = await self._access.administrator(request)
        zone = (await read_settings(self.database)).time_zone
        today = await today_in(self.database, zone)
        path = request.url.path
        section = next(start for start, _ in reversed(SECTIONS) if path.startswith(start))
        first, last = request.query_params.get("first"), request.query_params.get("last")
        if not first and not last:
            period = Period.of_last_days(DEFAULT_DAYS, today, zone)
        else:
            period = _period(first, last, today, zone)
        return View(section, period, today, administrator.csrf or "")

    async def form(self, request: Request) -> dict[str, str]:
        """The fields of a form that an administrator sent from a page of the session. ApiError."""
        administrator = await self._access.administrator(request)
        fields = await _read_form(request)
        check_form(administrator, fields.get("csrf", ""))
        return fields

    async def refresh_topics(self) -> str:
        """Group questions again when a day has passed. What prevented it, or ""."""
        from functions.adapters.postgres.topic_records import TopicRecords
        from functions.analytics.topics.group import embeddings_of, refresh_if_stale

        settings = self._read()
        records = TopicRecords(self.database, settings.embedding_model)
        embeddings = embeddings_of(settings)
        try:
            async with asyncio.timeout(REFRESH_SECONDS):
                if embeddings is None:
                    return "" if await records.state() else NO_EMBEDDINGS
                await refresh_if_stale(records, embeddings, REFRESH_SECONDS)
        except (DatabaseUnavailable, DatabaseRejected, TimeoutError) as error:
            logger().error("topics not grouped", error=type(error).__name__, detail=str(error))
            return STALE_TOPICS
        finally:
            if embeddings is not None:
                await embeddings.close()
        return ""


class PageRoute(APIRoute):
    """A route whose errors are pages."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        handle = super().get_route_handler()

        async def handle_page(request: Request) -> Response:
            try:
                return await handle(request)
            except ApiError as error:
                return problem_page(error)
            except (DatabaseUnavailable, DatabaseRejected, SecretUnavailable) as error:
                logger().error("page failed", error=type(error).__name__, detail=str(error))
                return problem_page(ApiError(503, "away", AWAY, {"Retry-After": "30"}))

        return handle_page


def page_router() -> APIRouter:
    return APIRouter(prefix="/analytics", include_in_schema=False, route_class=PageRoute)


def render(
    template: str, title: str, *, status: int = 200, here: str = "", query: str = "",
    signed_in: bool = True, **values: Any,
) -> HTMLResponse:  # fmt: skip
    """A page. `here` is the current section, `query` keeps the period in its links."""
    text = (
        _environment()
        .get_template(template)
        .render(
            title=title, here=here, query=query, signed_in=signed_in, sections=SECTIONS, **values
        )
    )
    return HTMLResponse(text, status_code=status, headers=HEADERS)


def problem_page(error: ApiError) -> Response:
    """What went wrong, with a way to sign in."""
    titles = {401: "Sign in", 403: "No access", 404: "Not found", 503: "Not available"}
    page = render(
        "problem.html",
        titles.get(error.status, "Something is wrong"),
        status=error.status,
        signed_in=False,
        message=error.message,
        can_sign_in=error.status == 401,
        local_hint=error.status == 401 or error.code == "link_used",
    )
    page.headers.update(error.headers)
    return page


def book_link(url: str, site: str) -> str:
    """A link into the book, on the origin of its site. Never a script."""
    if url.startswith("/") and not url.startswith("//"):
        return site.rstrip("/") + url
    return url if url.startswith(("https://", "http://")) else "#"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # imported for the first page

    from functions.analytics.format import FILTERS

    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters.update(FILTERS, inbook=book_link)
    return environment


async def _read_form(request: Request) -> dict[str, str]:
    """The fields of a posted form, cleaned. ApiError 422."""
    body = await request.body()
    try:
        fields = parse_qsl(body[:LONGEST_FORM].decode(), keep_blank_values=True, max_num_fields=50)
    except (UnicodeDecodeError, ValueError) as error:
        raise ApiError(422, "invalid_form", "The form could not be read.") from error
    return {name: clean(value) for name, value in fields}


def _period(first: str | None, last: str | None, today: date, time_zone: str) -> Period:
    try:
        until = date.fromisoformat(last) if last else today
        since = date.fromisoformat(first) if first else until - timedelta(DEFAULT_DAYS - 1)
        return Period(since, until + timedelta(days=1), time_zone)
    except (ValueError, OverflowError) as error:
        message = (
            "This period cannot be shown: choose two days, the first not after the last, at most"
            " 400 days apart."
        )
        raise ApiError(422, "invalid_period", message) from error


def _query(period: Period) -> str:
    return "?" + urlencode({"first": period.first, "last": period.last})
